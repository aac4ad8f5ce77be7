import { createServer } from 'node:net';
import { REST } from '@discordjs/rest';
import { expect, it, onTestFinished } from 'vitest';
import { isUnsent } from '../../../src/discord/outbox/errors.ts';

/** Sends a request to a local port, and returns the error with which it fails. */
async function requestError(port: number): Promise<unknown> {
  const rest = new REST({ api: `http://127.0.0.1:${port}`, retries: 0 }).setToken('x');
  return rest.post('/webhooks/1/t', { body: {}, auth: false }).catch((error: unknown) => error);
}

it('A request counts as unsent only if no connection could be opened', async () => {
  const server = createServer((socket) => socket.once('data', () => socket.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  onTestFinished(() => void server.close());
  expect(isUnsent(await requestError(port))).toBe(false);
  await new Promise((resolve) => server.close(resolve));
  expect(isUnsent(await requestError(port))).toBe(true);
  expect(isUnsent(new Error('connect'))).toBe(false);
});
