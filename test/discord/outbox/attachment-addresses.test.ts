import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { attachmentRefresher } from '../../../src/discord/outbox/attachment-addresses.ts';
import { openDiscordClients } from '../../../src/discord/outbox/clients.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const address = 'https://cdn.example/attachments/1/2/a.png?ex=0';

/** Returns the URL after Discord has responded with `answer`; without a body, Discord never responds. */
async function refreshedBy(answer: { status?: number; body?: unknown }) {
  const clock = new ManualClock();
  const server = createServer((request, response) => {
    request.resume();
    if (answer.body === undefined) return clock.advance(10_000);
    const { status = 200 } = answer;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const clients = openDiscordClients(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  clients.client.rest.setToken('token');
  closers.push(async () => {
    await clients.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const logged: string[] = [];
  const log = { info: (facts: object, sentence: string) => void logged.push(JSON.stringify(facts) + sentence) };
  const refreshed = await attachmentRefresher(clients, clock, log)([address]);
  return { refreshed: [...refreshed], logged: logged.join('\n') };
}

it('Fresh URLs are read by their old ones, and odd entries of the response are left out', async () => {
  const body = { refreshed_urls: [{ original: address, refreshed: 'https://cdn.example/new' }, { original: 'b' }, 7] };
  expect((await refreshedBy({ body })).refreshed).toEqual([[address, 'https://cdn.example/new']]);
});

it.each([
  ['a refusal', { status: 403, body: { message: 'no', code: 50_001 } }],
  ['another shape', { body: { refreshed_urls: 'none' } }],
  ['a failure', { status: 500, body: {} }],
  ['no response in time', {}],
])('No URL is refreshed if Discord responds with %s', async (_, answer) => {
  const { refreshed, logged } = await refreshedBy(answer);
  expect(refreshed).toEqual([]);
  expect(logged).not.toContain(address);
});
