import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { REST } from '@discordjs/rest';
import { Routes } from 'discord-api-types/v10';
import { expect, it } from 'vitest';
import { connectInTime, DiscordUnreachable, reachDiscord } from '../../src/discord/reach.ts';
import { StoreError } from '../../src/services/tasks/store-error.ts';
import { addCleanup } from '../support/ending.ts';
import { ManualClock } from '../support/manual-clock.ts';

/** What a start reports if Discord, or a proxy in front of it, responds like this. */
async function failureAfter(status: number, body: string, type = 'application/json'): Promise<unknown> {
  const server = createServer((_request, response) => response.writeHead(status, { 'content-type': type }).end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  addCleanup(async () => void server.close());
  const { port } = server.address() as AddressInfo;
  const rest = new REST({ api: `http://127.0.0.1:${port}/api`, retries: 0 }).setToken('a.b.c');
  return reachDiscord(rest.get(Routes.gatewayBot())).catch((error: unknown) => error);
}

it.each([
  [503, '', 'text/plain'],
  [500, '{"message": "500: Internal Server Error", "code": 0}', 'application/json'],
  [403, '<html>Access denied</html>', 'text/html'],
])('A response of Discord or a proxy with status %i counts as an outage', async (status, body, type) => {
  expect(await failureAfter(status, body, type)).toBeInstanceOf(DiscordUnreachable);
});

it('A refusal by Discord and the loss of the store do not count as an outage of Discord', async () => {
  expect(await failureAfter(401, '{"message": "401: Unauthorized", "code": 0}')).toMatchObject({ status: 401 });
  const lost = new StoreError('lost', 'The store belongs to another bot.');
  await expect(reachDiscord(Promise.reject(lost))).rejects.toBe(lost);
});

it('A connection that is refused again and again counts as an outage after a minute', async () => {
  const clock = new ManualClock();
  const outcome = connectInTime(new Promise(() => undefined), clock).catch((error: unknown) => error);
  clock.advance(60_000);
  expect(await outcome).toBeInstanceOf(DiscordUnreachable);
});
