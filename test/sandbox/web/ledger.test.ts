import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Ledger } from '../../../sandbox/web/protocol.ts';
import { openPageServer, type PageServer } from './page-server.ts';

let at: PageServer;
let hall: string;
beforeAll(async () => {
  at = await openPageServer();
  hall = await at.channel('member', 'hall');
});
afterAll(() => at.close());

const ledger = async (): Promise<Ledger> => (await at.get<Ledger>('/api/ledger')).body;
const command = (as: string, name: string, options: Record<string, unknown> = {}) =>
  at.act({ as, in: hall, do: 'slash', name, options });
const waitFor = (as: string, words: string) =>
  at.until(async () => (await at.messages(hall, as)).find((message) => text(message).includes(words)));

describe('The server with budgets on the sandbox page', () => {
  it('The ledger shows a request at its estimate, then at its cost, and the bill of the gateway is the same', async () => {
    expect(await ledger()).toEqual({
      ...{ entries: [], count: 0, reserved: '0', unconfirmed: '0', settled: '0', bill: '0', difference: '0' },
    });
    await command('member', 'imagine', { prompt: 'a boat' });
    const ended = await at.until(async () => {
      const known = await ledger();
      return known.entries[0]?.standing === 'settled' ? known : undefined;
    });
    const [entry] = ended.entries;
    expect(entry).toMatchObject({ kind: 'imagine', member: 'member', server: 'elsewhere' });
    expect(Number(entry?.estimate)).toBeGreaterThan(0);
    expect(entry?.cost).toBe(ended.bill);
    expect(ended.settled).toBe(ended.bill);
    expect(Number(ended.difference)).toBe(0);
    // The server's admin has enabled the display of costs.
    await waitFor('member', 'Cost: ');
  });

  it('The owner’s limits refuse a member’s order, and the server’s budget requires confirmation of expensive orders', async () => {
    await command('owner', 'budget show');
    await waitFor('owner', '40 tasks a day');
    await at.trouble({ do: 'speed', factor: 0.25 });
    for (const n of [1, 2, 3]) await command('member', 'imagine', { prompt: `boat ${n}` });
    await waitFor('member', '2 at once');
    await command('other', 'video', { prompt: 'waves', model: 'reel-2' });
    await waitFor('other', 'asks for confirmation before requests that cost more than');
  });

  it('The owner’s rules refuse a blocked word in any spelling, and the refusal is posted to the log channel', async () => {
    await command('other', 'imagine', { prompt: 'a c4s1no at night' });
    await waitFor('other', 'a word or phrase that is blocked here');
    await command('other', 'imagine', { prompt: 'doubt:violence' });
    await waitFor('other', 'The moderation service flagged your prompt');
    const log = await at.channel('owner', 'log');
    await at.until(async () => (await at.messages(log, 'owner')).find((one) => text(one).includes('(||casino||)')));
  });
});
