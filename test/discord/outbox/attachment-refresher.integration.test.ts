import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { attachmentRefresher } from '../../../src/discord/outbox/attachment-refresher.ts';
import { createDiscordClients } from '../../../src/discord/outbox/clients.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const url = 'https://cdn.example/attachments/1/2/a.png?ex=0';

/** Refreshes the URL at a server that sends this reply; without a body, the server never responds. */
async function refreshWith(reply: { status?: number; body?: unknown }) {
  const clock = new ManualClock();
  const server = createServer((request, response) => {
    request.resume();
    if (reply.body === undefined) return clock.advance(10_000);
    const { status = 200 } = reply;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(reply.body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const clients = createDiscordClients(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  clients.rest.setToken('token');
  closers.push(async () => {
    await clients.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const logged: string[] = [];
  const record = (facts: object, message: string) => void logged.push(JSON.stringify(facts) + message);
  const log = { info: record, warn: record, error: record };
  const refreshed = await attachmentRefresher(clients, clock, log)([url]);
  return { refreshed: [...refreshed], logged: logged.join('\n') };
}

it('Refreshed attachment URLs are matched with the old ones, and malformed entries in the response are ignored', async () => {
  const body = { refreshed_urls: [{ original: url, refreshed: 'https://cdn.example/new' }, { original: 'b' }, 7] };
  expect((await refreshWith({ body })).refreshed).toEqual([[url, 'https://cdn.example/new']]);
});

it.each([
  ['a refusal', { status: 403, body: { message: 'no', code: 50_001 } }],
  ['a response of another shape', { body: { refreshed_urls: 'none' } }],
  ['a failure', { status: 500, body: {} }],
  ['no response in time', {}],
])('No attachment URL is refreshed after %s from Discord', async (_, reply) => {
  const { refreshed, logged } = await refreshWith(reply);
  expect(refreshed).toEqual([]);
  expect(logged).not.toContain(url);
});
