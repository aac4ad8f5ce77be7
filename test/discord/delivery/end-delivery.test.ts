import { RESTJSONErrorCodes as Code, SnowflakeUtil } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { EMPTY_ANSWER } from '../../../src/services/tasks/answer.ts';
import { clearMessage, recordIntent } from '../../../src/services/tasks/delivery-state.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { buildTask, minute, order, start } from '../../services/orders/builders.ts';
import type { Parts } from '../../support/tasks.ts';
import { APPLICATION, CHANNEL, DIRECT_CHANNEL, done, posted, refused, unavailable } from '../outbox/fixture.ts';
import { createFixture, MEMBER, PLACE, planOf, readyTask } from './fixture.ts';

const BY_TOKEN = /^PATCH .*\/webhooks\/.*\/messages\/@original$/;
const BY_BOT = new RegExp(`^PATCH .*/channels/${CHANNEL}/messages/${PLACE.id}$`);
const IN_CHANNEL = new RegExp(`^POST .*/channels/${CHANNEL}/messages$`);
const OPEN_DIRECT = /^POST .*\/users\/@me\/channels$/;
const IN_DIRECT = new RegExp(`^POST .*/channels/${DIRECT_CHANNEL}/messages$`);
const HISTORY = new RegExp(`^GET .*/channels/${CHANNEL}/messages`);
const DIRECT_HISTORY = new RegExp(`^GET .*/channels/${DIRECT_CHANNEL}/messages`);

const directChannel = { body: { id: DIRECT_CHANNEL } };
const { token: _, ...withoutToken } = order.route;
const privately = { ...order.route, isPrivate: true };
const image = { name: 'fox.png', bytes: Buffer.from('a picture'), alt: 'a fox' };

/** A message of the bot as Discord lists it, with a button for the task. */
const listed = (id: string, verb = 'act', changes: object = {}) => ({
  id,
  author: { id: APPLICATION },
  components: [{ type: 1, components: [{ type: 2, custom_id: `${verb}.1.${buildTask().id}` }] }],
  ...changes,
});
const idAt = (time: number): string => String(SnowflakeUtil.generate({ timestamp: time, increment: 0n }));

describe('The end of a task', () => {
  it('The end is shown in the message of the task with the token of its interaction, and is then settled', async () => {
    const { discord, showEnd, unreleasedCount } = createFixture(readyTask());
    discord.reply(BY_TOKEN, posted(PLACE.id));
    const task = await showEnd();
    expect(task).toMatchObject({ state: 'delivered', message: PLACE, times: { settled: start + 1_000 } });
    expect(task.delivery.intention).toBeUndefined();
    expect(discord.requests).toMatchObject([{ body: { content: 'ready' } }]);
    expect(unreleasedCount()).toBe(0);
  });

  it.each([
    ['is still running', readyTask({ state: 'running', times: { created: start, settled: start } })],
    ['belongs to a member who erased their data', { ...readyTask(), unwanted: true as const }],
    [
      'is shown already, and only its owner has to be pinged',
      readyTask({ delivery: { progressEdits: 0, call: { shownAt: start } } }),
    ],
  ])('Nothing is sent for a task that %s', async (_what, task) => {
    const { discord, showEnd } = createFixture(task);
    expect(await showEnd()).toEqual(task);
    expect(discord.requests).toEqual([]);
  });

  it('The end is not shown anywhere if the message of the task was deleted', async () => {
    const { discord, showEnd, messageState } = createFixture(readyTask());
    messageState.isDeleted = true;
    expect(await showEnd()).toMatchObject({ state: 'ready', delivery: { undeliverable: 'deleted' } });
    expect(discord.requests).toEqual([]);
  });

  it('The end of a task whose message is found to be deleted is not shown elsewhere', async () => {
    const { discord, showEnd } = createFixture(readyTask());
    discord.reply(BY_TOKEN, refused(Code.UnknownMessage, 404));
    expect(await showEnd()).toMatchObject({ state: 'ready', delivery: { undeliverable: 'deleted' } });
    expect(discord.requests).toHaveLength(1);
  });

  it('The end takes the next route if one is refused, and the last is a direct message', async () => {
    const { discord, showEnd, preparedCount, unreleasedCount } = createFixture(readyTask());
    discord.reply(BY_TOKEN, refused(Code.InvalidWebhookToken, 401));
    discord.reply(BY_BOT, refused(Code.MissingAccess, 403));
    discord.reply(IN_CHANNEL, refused(Code.MissingPermissions, 403));
    discord.reply(OPEN_DIRECT, directChannel);
    discord.reply(IN_DIRECT, posted('8', DIRECT_CHANNEL));
    const task = await showEnd();
    expect(task).toMatchObject({ state: 'delivered', message: { channelId: DIRECT_CHANNEL, id: '8' } });
    expect(discord.requestsTo(OPEN_DIRECT)).toMatchObject([{ body: { recipient_id: MEMBER } }]);
    expect(discord.requestsTo(IN_DIRECT)).toMatchObject([{ body: { nonce: task.id, enforce_nonce: true } }]);
    expect([preparedCount(), unreleasedCount()]).toEqual([1, 0]);
  });

  it('A refused route is remembered, and an expired token is deleted', async () => {
    const { discord, showEnd, messageState, stored } = createFixture(readyTask());
    discord.reply(BY_TOKEN, refused(Code.UnknownWebhook, 404));
    discord.reply(BY_BOT, () => {
      expect(stored().route.token).toBeUndefined();
      return refused(Code.MissingAccess, 403);
    });
    discord.reply(IN_CHANNEL, posted('8'));
    await showEnd();
    expect([...messageState.closed]).toEqual(['token', 'edit']);
  });

  it('A route that is refused for another reason keeps the token', async () => {
    const { discord, showEnd, stored } = createFixture(readyTask());
    discord.reply(BY_TOKEN, refused(Code.MissingPermissions, 403));
    discord.reply(BY_BOT, () => {
      expect(stored().route.token).toBe(order.route.token);
      return posted(PLACE.id);
    });
    expect(await showEnd()).toMatchObject({ state: 'delivered' });
  });

  it('The end cannot be shown if no route is left', async () => {
    const { discord, showEnd, preparedCount } = createFixture(readyTask({ route: withoutToken, message: undefined }));
    discord.reply(IN_CHANNEL, refused(Code.MissingAccess, 403));
    discord.reply(OPEN_DIRECT, directChannel);
    discord.reply(IN_DIRECT, refused(Code.CannotSendMessagesToThisUser, 403));
    expect(await showEnd()).toMatchObject({ state: 'ready', delivery: { undeliverable: 'no-way' } });
    expect(preparedCount()).toBe(1);
  });

  it('Nothing is prepared for the end of a conversation without a thread, which counts as shown', async () => {
    const talk = { turns: [], heardAt: start, end: 'ended' as const };
    const { discord, showEnd, preparedCount } = createFixture(
      readyTask({ kind: 'talk', request: { model: 'a-voice', who: 'me' }, talk, message: undefined }),
    );
    expect(await showEnd()).toMatchObject({ state: 'delivered' });
    expect([discord.requests.length, preparedCount()]).toEqual([0, 0]);
  });

  it('While Discord cannot be reached the end is shown later, prepared again and by the same route', async () => {
    const { discord, showEnd, clock, preparedCount, unreleasedCount } = createFixture(readyTask());
    const [first, later] = [unavailable, posted(PLACE.id)];
    discord.reply(BY_TOKEN, first, first, first, first, later);
    expect(await showEnd()).toMatchObject({ state: 'delivered' });
    expect(discord.count(BY_TOKEN)).toBe(5);
    expect([preparedCount(), unreleasedCount()]).toEqual([2, 0]);
    expect(clock.now() - start).toBeGreaterThanOrEqual(6_000);
  });

  it('The shown end is stored with the time of the message, however often the store fails, and is sent once', async () => {
    const { discord, showEnd, tasks, clock } = createFixture(readyTask());
    discord.reply(BY_TOKEN, posted(PLACE.id));
    tasks.shouldFail = (_previous, next) => next.state === 'delivered' && tasks.failures < 2;
    expect(await showEnd()).toMatchObject({ state: 'delivered', times: { settled: start + 1_000 } });
    expect(discord.count(BY_TOKEN)).toBe(1);
    expect(clock.now()).toBeGreaterThan(start + 10_000);
  });

  it('A bug in the preparation is logged with a reference, and the end is shown later', async () => {
    let failures = 0;
    const plan = (task: Task) => {
      failures += 1;
      if (failures === 1) throw new Error('a bug');
      return planOf(task);
    };
    const { discord, showEnd, logged } = createFixture(readyTask(), { plan });
    discord.reply(BY_TOKEN, posted(PLACE.id));
    expect(await showEnd()).toMatchObject({ state: 'delivered' });
    expect(logged()).toMatch(/"reference":"[0-9a-f]{8}".*Could not show the end of a task/);
  });
});

describe('The end that Discord refuses to show whole', () => {
  it('Too large files are left out, and the fallback says so', async () => {
    const plan = () => ({ content: 'here it is', files: [image] });
    const { discord, showEnd, logged } = createFixture(readyTask(), { plan, fallback: { content: 'too large' } });
    discord.reply(BY_TOKEN, refused(Code.RequestEntityTooLarge, 413), posted(PLACE.id));
    expect(await showEnd()).toMatchObject({ state: 'delivered' });
    expect(discord.requests[0]?.body).toContain('here it is');
    expect(discord.requests[1]?.body).toMatchObject({ content: 'too large' });
    expect(logged()).toContain('"level":40');
  });

  it('A malformed message is reduced to its text, which is what all further routes get, and is reported as a bug', async () => {
    const { discord, showEnd, logged } = createFixture(readyTask());
    discord.reply(BY_TOKEN, refused(Code.InvalidFormBodyOrContentType), refused(Code.MissingAccess, 403));
    discord.reply(BY_BOT, posted(PLACE.id));
    expect(await showEnd()).toMatchObject({ state: 'delivered' });
    const components = discord.requests.map(({ body }) => (body as { components: unknown[] }).components.length);
    expect(components).toEqual([1, 0, 0]);
    expect(logged()).toMatch(/"level":50.*"reference":"[0-9a-f]{8}"/);
  });

  it('A message of which even the text is refused takes the next route', async () => {
    const { discord, showEnd } = createFixture(readyTask());
    const malformed = refused(Code.InvalidFormBodyOrContentType);
    discord.reply(BY_TOKEN, malformed, malformed);
    discord.reply(BY_BOT, posted(PLACE.id));
    expect(await showEnd()).toMatchObject({ state: 'delivered' });
    expect(discord.requests).toHaveLength(3);
  });
});

describe('A new message with the end', () => {
  const unplaced = readyTask({ route: withoutToken, message: undefined });

  it('The intention is stored before the message is posted', async () => {
    const { discord, showEnd, stored, clock } = createFixture(unplaced);
    discord.reply(IN_CHANNEL, () => {
      const { intention } = stored().delivery;
      expect(intention).toEqual({ by: 'channel', channelId: CHANNEL, nonce: unplaced.id, at: clock.now() });
      return posted('8');
    });
    const task = await showEnd();
    expect(task).toMatchObject({ state: 'delivered', message: { channelId: CHANNEL, id: '8' } });
    expect(task.delivery.intention).toBeUndefined();
  });

  it('A message whose response was lost is found in the channel and not posted again', async () => {
    const id = idAt(start + 2_000);
    const { discord, showEnd } = createFixture(unplaced);
    discord.reply(IN_CHANNEL, 'reset');
    discord.reply(HISTORY, {
      body: [listed('1', 'act', { id: idAt(start + 3_000), author: { id: '9' } }), listed(id)],
    });
    expect(await showEnd()).toMatchObject({ state: 'delivered', message: { channelId: CHANNEL, id } });
    expect(discord.count(IN_CHANNEL)).toBe(1);
  });

  it('A message that is not found in the channel is posted again', async () => {
    const { discord, showEnd } = createFixture(unplaced);
    discord.reply(IN_CHANNEL, 'reset', posted('8'));
    discord.reply(HISTORY, { body: [] });
    expect(await showEnd()).toMatchObject({ state: 'delivered', message: { id: '8' } });
    expect(discord.count(IN_CHANNEL)).toBe(2);
  });

  it('Where the bot may not read, the message is posted again under the same nonce', async () => {
    const { discord, showEnd } = createFixture(unplaced);
    discord.reply(IN_CHANNEL, 'reset', posted('8'));
    discord.reply(HISTORY, refused(Code.MissingAccess, 403));
    expect(await showEnd()).toMatchObject({ state: 'delivered' });
    expect(discord.requestsTo(IN_CHANNEL).map(({ body }) => (body as { nonce: string }).nonce)).toEqual([
      unplaced.id,
      unplaced.id,
    ]);
  });

  it('Nothing is posted while it cannot be found out whether the message exists', async () => {
    const { discord, showEnd, clock } = createFixture(unplaced);
    discord.reply(IN_CHANNEL, 'reset', posted('8'));
    discord.reply(HISTORY, ...Array.from({ length: 4 }, () => unavailable), { body: [] });
    expect(await showEnd()).toMatchObject({ state: 'delivered' });
    expect(clock.now() - start).toBeGreaterThan(15_000);
    expect(discord.requests.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET', 'GET', 'GET', 'GET', 'POST']);
  });
});

describe('An end that may have been shown in a message that the bot cannot read', () => {
  const secret = readyTask({ route: privately, message: undefined });
  const unseen = (changes: Parts = {}): Task =>
    readyTask({ route: privately, message: undefined, delivery: { progressEdits: 0, unseenSince: start }, ...changes });

  it('It is recorded before the end is sent to such a message, and not for one that the bot can read', async () => {
    for (const [task, expected] of [
      [secret, start + 1_000],
      [readyTask(), undefined],
    ] as const) {
      const { discord, showEnd, stored } = createFixture(task);
      discord.reply(BY_TOKEN, () => {
        expect(stored().delivery.unseenSince).toBe(expected);
        return posted(PLACE.id);
      });
      const shown = await showEnd();
      expect(shown.delivery.unseenSince).toBeUndefined();
      expect(shown.state).toBe('delivered');
    }
  });

  it('While the token is valid, the same message is edited again', async () => {
    const { discord, showEnd } = createFixture(unseen());
    discord.reply(BY_TOKEN, posted(PLACE.id));
    expect(await showEnd()).toMatchObject({ state: 'delivered', message: PLACE });
    expect(discord.requests).toHaveLength(1);
  });

  it('After the token, its owner gets a hint instead of the end', async () => {
    const { discord, showEnd, stored, clock } = createFixture(unseen());
    clock.advance(15 * minute);
    discord.reply(OPEN_DIRECT, directChannel);
    discord.reply(IN_DIRECT, () => {
      const { intention } = stored().delivery;
      expect(intention).toMatchObject({ by: 'direct', channelId: DIRECT_CHANNEL, nonce: secret.id });
      return posted('8', DIRECT_CHANNEL);
    });
    const task = await showEnd();
    expect(task).toMatchObject({ state: 'ready', delivery: { undeliverable: 'no-way' } });
    expect(task.message).toBeUndefined();
    expect(discord.requestsTo(IN_DIRECT)).toMatchObject([{ body: { content: 'perhaps shown', nonce: secret.id } }]);
  });

  it('The hint is sent later while Discord cannot be reached, and never if the owner accepts no messages', async () => {
    const { discord, showEnd, clock } = createFixture(unseen());
    clock.advance(15 * minute);
    discord.reply(OPEN_DIRECT, ...Array.from({ length: 4 }, () => unavailable), directChannel);
    discord.reply(IN_DIRECT, refused(Code.CannotSendMessagesToThisUser, 403));
    expect(await showEnd()).toMatchObject({ delivery: { undeliverable: 'no-way' } });
    expect(discord.count(OPEN_DIRECT)).toBe(5);
  });

  it('A hint that was posted before a crash is not posted again', async () => {
    const intention = { by: 'direct' as const, channelId: DIRECT_CHANNEL, nonce: secret.id, at: start };
    const { discord, showEnd } = createFixture(
      unseen({ delivery: { progressEdits: 0, unseenSince: start, intention } }),
    );
    discord.reply(DIRECT_HISTORY, { body: [listed(idAt(start + 500), 'showall')] });
    expect(await showEnd()).toMatchObject({ state: 'ready', delivery: { undeliverable: 'no-way' } });
    expect(discord.requests).toHaveLength(1);
  });

  it('In a channel that the bot can read, it looks whether the end is shown', async () => {
    const task = unseen({ route: { ...order.route, mayPost: false }, message: PLACE });
    const shown = createFixture(task);
    shown.discord.reply(HISTORY, { body: [listed(PLACE.id, 'delete')] });
    expect(await shown.showEnd()).toMatchObject({ state: 'delivered', message: PLACE });
    expect(shown.discord.requests).toHaveLength(1);

    const progressing = createFixture(task);
    progressing.discord.reply(HISTORY, { body: [listed(PLACE.id, 'cancel')] });
    progressing.discord.reply(BY_TOKEN, posted(PLACE.id));
    expect(await progressing.showEnd()).toMatchObject({ state: 'delivered', message: PLACE });

    const unreadable = createFixture(task);
    unreadable.clock.advance(15 * minute);
    unreadable.discord.reply(HISTORY, refused(Code.MissingAccess, 403));
    unreadable.discord.reply(OPEN_DIRECT, directChannel);
    unreadable.discord.reply(IN_DIRECT, posted('8', DIRECT_CHANNEL));
    expect(await unreadable.showEnd()).toMatchObject({ delivery: { undeliverable: 'no-way' } });
  });
});

describe('The end of a task in a restored store', () => {
  const restored = (changes: Parts = {}): Task => readyTask({ restored: { at: start + 500 }, ...changes });

  it('An end that is shown already is left as it is, and its owner is not pinged again', async () => {
    const { discord, showEnd } = createFixture(restored({ times: { created: start, ended: start + 2 * minute } }));
    discord.reply(HISTORY, { body: [listed(PLACE.id, 'delete')] });
    const task = await showEnd();
    expect(task).toMatchObject({ state: 'delivered', message: PLACE });
    expect(task.delivery.call).toBeUndefined();
    expect(discord.requests).toHaveLength(1);
  });

  it('A message that shows progress is found by its buttons and edited', async () => {
    const id = idAt(start + 400);
    const { discord, showEnd } = createFixture(restored({ message: undefined, route: withoutToken }));
    discord.reply(HISTORY, { body: [listed(id, 'cancel')] });
    discord.reply(new RegExp(`^PATCH .*/messages/${id}$`), posted(id));
    expect(await showEnd()).toMatchObject({ state: 'delivered', message: { channelId: CHANNEL, id } });
  });

  it('The end is shown as usual if the message is not found, or the channel cannot be read', async () => {
    for (const reply of [{ body: [] }, refused(Code.MissingAccess, 403)]) {
      const { discord, showEnd } = createFixture(restored());
      discord.reply(HISTORY, reply);
      discord.reply(BY_TOKEN, posted(PLACE.id));
      expect(await showEnd()).toMatchObject({ state: 'delivered' });
      expect(discord.requests).toHaveLength(2);
    }
  });

  it('Nothing is sent while it cannot be found out what the message shows', async () => {
    const { discord, showEnd } = createFixture(restored());
    discord.reply(HISTORY, ...Array.from({ length: 4 }, () => unavailable), { body: [listed(PLACE.id, 'delete')] });
    expect(await showEnd()).toMatchObject({ state: 'delivered' });
    expect(discord.requests.map(({ method }) => method)).toEqual(Array.from({ length: 5 }, () => 'GET'));
  });

  it('A private message is not searched for, and a direct message with the end is not sent twice', async () => {
    const id = idAt(start + 400);
    const { discord, showEnd, clock } = createFixture(
      restored({ route: { ...privately, token: undefined }, message: undefined }),
    );
    clock.advance(15 * minute);
    discord.reply(OPEN_DIRECT, directChannel);
    discord.reply(DIRECT_HISTORY, { body: [listed(id, 'delete')] });
    expect(await showEnd()).toMatchObject({ state: 'delivered', message: { channelId: DIRECT_CHANNEL, id } });
    expect(discord.count(HISTORY)).toBe(0);
    expect(discord.count(IN_DIRECT)).toBe(0);
  });

  it('A direct message is sent if none of them shows the end', async () => {
    const { discord, showEnd } = createFixture(
      restored({ route: { ...privately, token: undefined }, message: undefined }),
    );
    discord.reply(OPEN_DIRECT, directChannel);
    discord.reply(DIRECT_HISTORY, { body: [listed(idAt(start + 400), 'cancel')] });
    discord.reply(IN_DIRECT, posted('8', DIRECT_CHANNEL));
    expect(await showEnd()).toMatchObject({ state: 'delivered', message: { id: '8' } });
  });
});

describe('The ping of an owner', () => {
  /** A task that took long, and whose end is shown. */
  const shown = (changes: Parts = {}): Task =>
    readyTask({ state: 'delivered', delivery: { progressEdits: 0, call: { shownAt: start } }, ...changes });

  it('The end of a task that took more than a minute makes a ping due', async () => {
    for (const [tookMs, isDue] of [
      [minute, false],
      [minute + 1, true],
    ] as const) {
      const { discord, showEnd } = createFixture(readyTask({ times: { created: start, ended: start + tookMs } }));
      discord.reply(BY_TOKEN, posted(PLACE.id));
      expect((await showEnd()).delivery.call !== undefined).toBe(isDue);
    }
  });

  it.each(['decided', 'wordsSent'] as const)(
    'The minute before a ping starts again when the task was continued (%s)',
    async (name) => {
      for (const [tookMs, isDue] of [
        [minute, false],
        [minute + 1, true],
      ] as const) {
        const continued = start + 10 * minute;
        const times = { created: start, [name]: continued, ended: continued + tookMs };
        const { discord, showEnd } = createFixture(readyTask({ times }));
        discord.reply(BY_TOKEN, posted(PLACE.id));
        expect((await showEnd()).delivery.call !== undefined).toBe(isDue);
      }
    },
  );

  it('The ping replies to the message with the end, under a nonce of its own, and is stored with the task', async () => {
    const { discord, ping, stored, unreleasedCount } = createFixture(shown());
    discord.reply(IN_CHANNEL, () => {
      expect(stored().delivery.call).toEqual({ shownAt: start, goingAt: start + 1_000 });
      return posted('8');
    });
    const task = await ping();
    expect(discord.requests).toMatchObject([
      {
        body: {
          content: `<@${MEMBER}> delivered`,
          nonce: `${task.id}-call`,
          message_reference: { message_id: PLACE.id },
          allowed_mentions: { users: [MEMBER] },
        },
      },
    ]);
    expect(task.delivery.call).toBeUndefined();
    expect(task.beside).toEqual([{ channelId: CHANNEL, id: '8', guildId: order.guildId }]);
    expect(unreleasedCount()).toBe(0);
  });

  it.each([
    ['no ping is due', shown({ delivery: { progressEdits: 0 } })],
    ['the result is private', shown({ route: privately })],
    ['its message was deleted', clearMessage(shown())],
    [
      'the utterance has no voice message to send',
      shown({ kind: 'said', request: { talk: 'a-talk', model: 'a-voice' } }),
    ],
    ['it is too late', shown({ delivery: { progressEdits: 0, call: { shownAt: start - 15 * minute + 1_000 } } })],
    ['its token has expired where the bot may not post', shown({ route: { ...withoutToken, mayPost: false } })],
    [
      'a follow-up with an unknown outcome may have been it',
      shown({
        route: { ...order.route, mayPost: false },
        delivery: { progressEdits: 0, call: { shownAt: start, goingAt: start + 1_000 } },
      }),
    ],
    [
      'its nonce may be forgotten',
      shown({ delivery: { progressEdits: 0, call: { shownAt: start, goingAt: start + 1_000 - 2 * minute } } }),
    ],
  ])('The owner of a task is not pinged if %s', async (_what, task) => {
    const { discord, ping, preparedCount } = createFixture(task);
    expect((await ping()).delivery.call).toBeUndefined();
    expect(discord.requests).toEqual([]);
    expect(preparedCount()).toBe(0);
  });

  it('The owner of a task is pinged just before it is too late, and while the nonce is remembered', async () => {
    for (const call of [
      { shownAt: start - 15 * minute + 1_001 },
      { shownAt: start - 60 * minute, goingAt: start + 1_001 - 2 * minute },
    ]) {
      const { discord, ping } = createFixture(shown({ delivery: { progressEdits: 0, call } }));
      discord.reply(IN_CHANNEL, posted('8'));
      expect((await ping()).beside).toHaveLength(1);
    }
  });

  it('A voice message is sent no matter how late', async () => {
    const answer = { ...EMPTY_ANSWER, voice: { seconds: 1, sound: 'AAAA', waveform: 'AAAA' } };
    const call = { shownAt: start - 60 * minute };
    const { discord, ping } = createFixture(
      shown({
        kind: 'said',
        request: { talk: 'a-talk', model: 'a-voice' },
        answer,
        delivery: { progressEdits: 0, call },
      }),
    );
    discord.reply(IN_CHANNEL, posted('8'));
    expect((await ping()).beside).toHaveLength(1);
  });

  it('Where the bot may not post, the ping is a follow-up that others can read', async () => {
    const { discord, ping } = createFixture(shown({ route: { ...order.route, mayPost: false } }));
    discord.reply(/^POST .*\/webhooks\/.*wait=true$/, posted('8'));
    expect((await ping()).beside).toHaveLength(1);
    expect(discord.requests[0]?.body).not.toHaveProperty('flags');
    expect(discord.requests[0]?.body).not.toHaveProperty('message_reference');
  });

  it('A closed token is not used for a ping', async () => {
    const { discord, ping, messageState } = createFixture(shown({ route: { ...order.route, mayPost: false } }));
    messageState.closed.add('token');
    await ping();
    expect(discord.requests).toEqual([]);
  });

  it('A ping is repeated under its nonce while Discord cannot be reached, and a follow-up is not', async () => {
    const reply = createFixture(shown());
    reply.discord.reply(IN_CHANNEL, 'reset', posted('8'));
    expect((await reply.ping()).beside).toHaveLength(1);
    expect(reply.discord.count(IN_CHANNEL)).toBe(2);

    const followUp = createFixture(shown({ route: { ...order.route, mayPost: false } }));
    followUp.discord.reply(/^POST .*\/webhooks\//, 'reset');
    const task = await followUp.ping();
    expect([task.beside, task.delivery.call]).toEqual([undefined, undefined]);
    expect(followUp.logged()).toContain('was not pinged');
  });

  it('A refused ping is given up, and logged', async () => {
    const { discord, ping, logged, unreleasedCount } = createFixture(shown());
    discord.reply(IN_CHANNEL, refused(Code.MissingPermissions, 403));
    const task = await ping();
    expect([task.beside, task.delivery.call]).toEqual([undefined, undefined]);
    expect(logged()).toContain('was not pinged');
    expect(unreleasedCount()).toBe(0);
  });

  it.each([Code.MissingPermissions, Code.InvalidFormBodyOrContentType])(
    'A ping that Discord refuses with code %i is sent in its plain form, if there is one',
    async (code) => {
      const { discord, ping } = createFixture(shown(), { fallback: { content: 'plain' } });
      discord.reply(IN_CHANNEL, refused(code), posted('8'));
      expect((await ping()).beside).toHaveLength(1);
      expect(discord.requests[1]).toMatchObject({
        body: { content: 'plain', message_reference: { message_id: PLACE.id } },
      });
    },
  );

  it('The plain form is not sent for other failures', async () => {
    const { discord, ping } = createFixture(shown(), { fallback: { content: 'plain' } });
    discord.reply(IN_CHANNEL, refused(Code.UnknownMessage, 404));
    await ping();
    expect(discord.requests).toHaveLength(1);
  });

  it('A ping is deleted if its message was deleted in the meantime', async () => {
    const { discord, ping, tasks } = createFixture(shown());
    discord.reply(IN_CHANNEL, async () => {
      await tasks.change(shown().id, clearMessage);
      return posted('8');
    });
    discord.reply(/^DELETE /, done);
    expect((await ping()).beside).toBeUndefined();
    expect(discord.requests[1]?.path).toContain(`/channels/${CHANNEL}/messages/8`);
  });

  it('A ping that cannot be deleted is only logged', async () => {
    const { discord, ping, tasks, logged } = createFixture(shown());
    discord.reply(IN_CHANNEL, async () => {
      await tasks.change(shown().id, clearMessage);
      return posted('8');
    });
    discord.reply(/^DELETE /, refused(Code.MissingPermissions, 403));
    expect((await ping()).delivery.call).toBeUndefined();
    expect(logged()).toContain('Could not delete a ping');
  });

  it('A ping that was posted but could not be stored is not posted again', async () => {
    const { discord, ping, tasks } = createFixture(shown());
    discord.reply(IN_CHANNEL, posted('8'));
    tasks.shouldFail = (_previous, next) => next.beside !== undefined && tasks.failures < 2;
    expect((await ping()).beside).toHaveLength(1);
    expect(discord.count(IN_CHANNEL)).toBe(1);
  });

  it('A ping that another process has ended in the meantime is not sent', async () => {
    const { discord, ping, tasks } = createFixture(shown(), {
      plan: (task) => {
        tasks.put({ ...task, delivery: { progressEdits: 0 } });
        return planOf(task);
      },
    });
    await ping();
    expect(discord.requests).toEqual([]);
  });

  it('An intention from before does not keep the end from being shown in the message that has it', async () => {
    const intention = { by: 'channel' as const, channelId: CHANNEL, nonce: 'x', at: start };
    const { discord, showEnd } = createFixture(recordIntent(readyTask(), intention));
    discord.reply(HISTORY, { body: [listed(PLACE.id)] });
    discord.reply(BY_TOKEN, posted(PLACE.id));
    expect(await showEnd()).toMatchObject({ state: 'delivered', message: PLACE });
    expect(discord.requests).toHaveLength(2);
  });
});
