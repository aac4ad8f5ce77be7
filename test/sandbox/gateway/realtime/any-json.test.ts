import fc from 'fast-check';
import { expect, it } from 'vitest';
import { dialects } from '../../../../sandbox/gateway/realtime/dialect.ts';
import { clientEvents } from '../../../../sandbox/gateway/realtime/requests/events.ts';
import { startRealtimeGateway } from './test-client.ts';

/** Names of fields that occur in events; their values here are arbitrary. */
const fieldNames = [
  'type',
  'session',
  'audio',
  'output',
  'item',
  'role',
  'content',
  'text',
  'tools',
  'response',
  'item_id',
];
const { any: arbitraryValue } = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(null, true, -1, 0, '', 'message', 'realtime', 'user', 'function_call', 'input_text'),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...fieldNames), fc.string()), tie('any'), { maxKeys: 5 }),
  ),
}));

it.each(dialects)('A session in the %s dialect responds to any JSON and continues', async (dialect) => {
  const { send, waitFor, events, socket } = await (await startRealtimeGateway(dialect)).connect();
  await waitFor('session.created');
  const event = fc
    .tuple(
      fc.constantFrom(...clientEvents[dialect].keys()),
      fc.dictionary(fc.constantFrom(...fieldNames), arbitraryValue),
    )
    .map(([type, rest]) => ({ ...rest, type }));
  for (const message of fc.sample(event, 300)) send(message);
  for (const message of fc.sample(fc.json(), 100)) send(message);
  send(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
  send({ type: 'session.update', session: 'the last', event_id: 'last' });
  await expect.poll(() => events.some(({ error }) => error?.event_id === 'last')).toBe(true);
  expect(socket.readyState).toBe(socket.OPEN);
});
