import { SnowflakeUtil } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { findPosted } from '../../../src/discord/outbox/adoption.ts';
import type { Intention, Task } from '../../../src/services/tasks/task.ts';
import { minutes, seconds } from '../delivery/integration-fixture.ts';

const at = Date.UTC(2026, 0, 1);
const ownId = '1454000000000000001';
const botUserId = '1454000000000000002';
const intention: Intention = { by: 'channel', channelId: '7', nonce: 'mine', at };
const task = { id: 'mine', route: { applicationId: ownId } } as Task;

const idAt = (time: number): string => String(SnowflakeUtil.generate({ timestamp: time, increment: 0n }));
const components = [{ type: 1, components: [{ type: 2, custom_id: 'act.1.mine.0' }] }];
const message = (time: number, changes: object = {}) => ({
  id: idAt(time),
  author: { id: ownId },
  components,
  ...changes,
});

/** A channel whose messages are requested page by page. */
function channel(messages: { id: string }[], pageSize = 100) {
  const requestedIds: string[] = [];
  const messagesBefore = async (_: string, id: string): Promise<unknown[]> => {
    requestedIds.push(id);
    const older = messages.filter((one) => BigInt(one.id) < BigInt(id));
    return older.sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? 1 : -1)).slice(0, pageSize);
  };
  return { messagesBefore, botUserId, requestedIds };
}

const findIn = (messages: ({ id: string } & Record<string, unknown>)[]) =>
  findPosted(task, intention, channel(messages));

describe('The search for a message from the bot', () => {
  it('The search for a message finds those from the bot by their author or their application', async () => {
    const ownMessage = message(at + seconds(2));
    expect(await findIn([ownMessage])).toEqual({ channelId: '7', id: ownMessage.id });
    expect(await findIn([{ ...ownMessage, author: { id: '9' }, application_id: ownId }])).toEqual({
      channelId: '7',
      id: ownMessage.id,
    });
    const botMessage = message(at + seconds(2), { author: { id: botUserId } });
    expect(await findIn([botMessage])).toMatchObject({ id: botMessage.id });
  });

  it.each([
    ['of another bot with our buttons', message(at, { author: { id: '9' } })],
    ['that responds to an interaction', message(at, { interaction_metadata: {} })],
    ['without buttons', message(at, { components: [] })],
    [
      'of another task',
      message(at, { components: [{ type: 1, components: [{ custom_id: 'act.1.other.mine-not' }] }] }),
    ],
    ['with a foreign custom id', message(at, { components: [{ custom_id: 'mine' }, { custom_id: 7 }, null] })],
    ['from long before the intention', message(at - minutes(2))],
    ['from long after the intention', message(at + minutes(16))],
    ['with unknown properties', { id: idAt(at) }],
  ])('The search for a message from the bot does not accept a message %s', async (_, otherMessage) => {
    expect(await findIn([otherMessage])).toBeUndefined();
  });

  it('The search for a message tolerates a small difference between the clocks', async () => {
    const ownMessage = message(at - seconds(59));
    expect(await findIn([ownMessage])).toEqual({ channelId: '7', id: ownMessage.id });
  });

  it('The search for a message requests no more pages than necessary', async () => {
    const laterMessages = [...Array(250).keys()].map((count) => ({ id: idAt(at + minutes(10) - seconds(2 * count)) }));
    const { requestedIds, ...busyChannel } = channel([
      ...laterMessages,
      ...[...Array(300).keys()].map((count) => ({ id: idAt(at - minutes(2 + count)) })),
    ]);
    expect(await findPosted(task, intention, busyChannel)).toBeUndefined();
    expect(requestedIds).toHaveLength(3);
  });

  it('The search for a message gives up in a channel with too many messages', async () => {
    const { requestedIds, ...busyChannel } = channel(
      [...Array(5_000).keys()].map((count) => ({ id: idAt(at + count * 100) })),
    );
    expect(await findPosted(task, intention, busyChannel)).toBeUndefined();
    expect(requestedIds).toHaveLength(10);
  });
});
