import fc from 'fast-check';
import { expect, it } from 'vitest';
import { dialects } from '../../../../sandbox/gateway/realtime/dialect.ts';
import { clientEvents } from '../../../../sandbox/gateway/realtime/requests/events.ts';
import { stage } from './test-client.ts';

/** Field names that have a meaning in some event, with any values. */
const names = ['type', 'session', 'audio', 'output', 'item', 'role', 'content', 'text', 'tools', 'response', 'item_id'];
const { any } = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(null, true, -1, 0, '', 'message', 'realtime', 'user', 'function_call', 'input_text'),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), tie('any'), { maxKeys: 5 }),
  ),
}));

it.each(dialects)('A session in the %s dialect responds to any JSON and continues', async (dialect) => {
  const { say, until, events, socket } = await (await stage(dialect)).talker();
  await until('session.created');
  const event = fc
    .tuple(fc.constantFrom(...clientEvents[dialect].keys()), fc.dictionary(fc.constantFrom(...names), any))
    .map(([type, rest]) => ({ ...rest, type }));
  for (const one of fc.sample(event, 300)) say(one);
  for (const one of fc.sample(fc.json(), 100)) say(one);
  say(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
  say({ type: 'session.update', session: 'the last', event_id: 'last' });
  await expect.poll(() => events.some(({ error }) => error?.event_id === 'last')).toBe(true);
  expect(socket.readyState).toBe(socket.OPEN);
});
