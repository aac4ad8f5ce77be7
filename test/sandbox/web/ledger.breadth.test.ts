import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Ledger } from '../../../sandbox/web/protocol.ts';
import { type PageServer, startPageServer } from './page-server.ts';

let server: PageServer;
let hallId: string;
beforeAll(async () => {
  server = await startPageServer();
  hallId = await server.channel('member', 'hall');
});
afterAll(() => server.close());

const fetchLedger = async (): Promise<Ledger> => (await server.get<Ledger>('/api/ledger')).body;
const sendCommand = (as: string, name: string, options: Record<string, unknown> = {}) =>
  server.act({ as, in: hallId, do: 'slash', name, options });
const waitForMessage = (as: string, expected: string) =>
  server.waitFor(async () => (await server.messages(hallId, as)).find((message) => text(message).includes(expected)));

describe('The server with budgets on the sandbox page', () => {
  it('The ledger shows the estimated cost of a request, then its actual cost, which equals the bill of the gateway', async () => {
    expect(await fetchLedger()).toEqual({
      entries: [],
      count: 0,
      reserved: '0',
      unconfirmed: '0',
      settled: '0',
      waived: '0',
      bill: '0',
      difference: '0',
    });
    await sendCommand('member', 'imagine', { prompt: 'a boat' });
    const settledLedger = await server.waitFor(async () => {
      const current = await fetchLedger();
      return current.entries[0]?.standing === 'settled' ? current : undefined;
    });
    const [entry] = settledLedger.entries;
    expect(entry).toMatchObject({ kind: 'imagine', member: 'member', server: 'elsewhere' });
    expect(Number(entry?.estimate)).toBeGreaterThan(0);
    expect(entry?.cost).toBe(settledLedger.bill);
    expect(settledLedger.settled).toBe(settledLedger.bill);
    expect(Number(settledLedger.difference)).toBe(0);
    // The server's admin has enabled the display of costs.
    await waitForMessage('member', 'Cost: ');
  });

  it('A member’s order beyond the owner’s limits is refused, and expensive orders require confirmation', async () => {
    await sendCommand('owner', 'budget show');
    await waitForMessage('owner', '40 tasks a day');
    await server.trouble({ do: 'speed', factor: 0.25 });
    for (const n of [1, 2, 3]) await sendCommand('member', 'imagine', { prompt: `boat ${n}` });
    await waitForMessage('member', '2 tasks at once');
    await sendCommand('other', 'video', { prompt: 'waves', model: 'reel-2' });
    await waitForMessage('other', 'asks for confirmation before requests that cost more than');
  });

  it('A prompt with a word that the owner has blocked is refused in any spelling, and the refusal is posted to the log channel', async () => {
    await sendCommand('other', 'imagine', { prompt: 'a c4s1no at night' });
    await waitForMessage('other', 'a word or phrase that is blocked here');
    await sendCommand('other', 'imagine', { prompt: 'doubt:violence' });
    await waitForMessage('other', 'The moderation service flagged your request');
    const log = await server.channel('owner', 'log');
    await server.waitFor(async () =>
      (await server.messages(log, 'owner')).find((one) => text(one).includes('||`casino`||')),
    );
  });
});
