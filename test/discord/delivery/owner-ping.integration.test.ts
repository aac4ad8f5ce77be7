import { MessageType, PermissionFlagsBits as Permission, Routes } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { EMPTY_ANSWER } from '../../../src/services/tasks/answer.ts';
import { clearMessage } from '../../../src/services/tasks/delivery-state.ts';
import type { Task, TaskFacts } from '../../../src/services/tasks/task.ts';
import { markDismissed, setSuccessor } from '../../../src/services/tasks/transitions.ts';
import { withChanges } from '../../support/tasks.ts';
import { fixtureWithOrder, minutes, planOf, seconds, until } from './integration-fixture.ts';

type Fixture = Awaited<ReturnType<typeof fixtureWithOrder>>;

const LONG_JOB_MS = seconds(61);
const isPingStarted = (_: Task, next: Task): boolean => next.delivery.call?.goingAt !== undefined;

/** Ends a job after the given time; by default, the job takes long. */
async function endJob(
  { task, updateTask, clock }: Pick<Fixture, 'task' | 'updateTask' | 'clock'>,
  durationMs = LONG_JOB_MS,
  change: Partial<TaskFacts> = { state: 'ready' },
): Promise<void> {
  clock.advance(durationMs);
  await updateTask(task.id, { ...change, times: { ...task.times, ended: clock.now() } });
}

/** All messages in all channels that notify someone. */
const notifyingMessages = ({ discord }: Pick<Fixture, 'discord'>) =>
  [...discord.world.channels.keys()]
    .flatMap((id) => discord.messages(id))
    .filter(({ mentions, mention_everyone }) => mentions.length > 0 || mention_everyone);

const posts = ({ requestsTo }: Fixture) => requestsTo('POST', /messages$|^\/webhooks/);

/** Shows the result, and then makes the owner ping fail. */
async function withDelayedPing(options: Parameters<typeof fixtureWithOrder>[0] = {}) {
  const fixture = await fixtureWithOrder(options);
  const { tasks, timerCount } = fixture;
  tasks.shouldFail = isPingStarted;
  await endJob(fixture);
  await until(() => tasks.failures === 1 && timerCount() === 1);
  tasks.shouldFail = () => false;
  return fixture;
}

describe('The owner ping at the end of a long job', () => {
  it('The owner ping is deleted if the message that it replies to is deleted at that moment', async () => {
    const fixture = await fixtureWithOrder();
    const { task, tasks, discord } = fixture;
    const stopListening = discord.listen(() => {
      if (notifyingMessages(fixture).length > 0 && tasks.get(task.id).message) void tasks.change(task.id, clearMessage);
    });
    await endJob(fixture);
    expect((await tasks.waitUntilSettled(task.id)).beside).toBeUndefined();
    stopListening();
    expect(posts(fixture)).toHaveLength(1);
    expect(notifyingMessages(fixture)).toEqual([]);
  });

  it('Without Read Message History, the owner ping is posted as a message that is not a reply', async () => {
    const fixture = await fixtureWithOrder();
    fixture.deny(Permission.ReadMessageHistory);
    await endJob(fixture);
    await fixture.tasks.waitUntilSettled(fixture.task.id);
    expect(notifyingMessages(fixture)).toMatchObject([{ type: MessageType.Default, content: expect.any(String) }]);
  });

  it('The owner ping replies to the message with the result and notifies only the owner', async () => {
    const fixture = await fixtureWithOrder({
      plan: (task) =>
        task.delivery.call ? { ...planOf(task), content: `<@${task.requesterId}> @everyone` } : planOf(task),
    });
    const { task, tasks, writes } = fixture;
    await endJob(fixture);
    const settledTask = await tasks.waitUntilSettled(task.id);
    expect(notifyingMessages(fixture)).toMatchObject([
      {
        type: MessageType.Reply,
        message_reference: { message_id: settledTask.message?.id },
        mentions: [{ id: task.requesterId }],
        mention_everyone: false,
      },
    ]);
    expect(writes().at(-1)?.body).toMatchObject({
      allowed_mentions: { parse: [], users: [task.requesterId], replied_user: false },
      nonce: `${task.id}-call`,
      enforce_nonce: true,
    });
    expect(settledTask).toMatchObject({ state: 'delivered' });
    expect(settledTask.delivery.call).toBeUndefined();
    expect(settledTask.route.token).toBeUndefined();
  });

  it.each([
    ['a minute', minutes(1), 0],
    ['a minute and a millisecond', minutes(1) + 1, 1],
  ])('Only a job of more than a minute pings its owner: %s', async (_, durationMs, count) => {
    const fixture = await fixtureWithOrder();
    await endJob(fixture, durationMs);
    await fixture.tasks.waitUntilSettled(fixture.task.id);
    expect(notifyingMessages(fixture)).toHaveLength(count);
    expect(posts(fixture)).toHaveLength(count);
  });

  it.each(['failed', 'unconfirmed', 'expired'] as const)(
    'The owner ping is also sent if the task is %s',
    async (state) => {
      const fixture = await fixtureWithOrder();
      await endJob(fixture, LONG_JOB_MS, { state, failure: { cause: state } });
      expect(await fixture.tasks.waitUntilSettled(fixture.task.id)).toMatchObject({ state });
      expect(notifyingMessages(fixture).map(({ content }) => content)).toEqual([
        `<@${fixture.task.requesterId}>: ${state}`,
      ]);
    },
  );

  it('The owner ping replies to the new message if the result was posted as one', async () => {
    const fixture = await fixtureWithOrder();
    await endJob(fixture, minutes(20));
    const { message } = await fixture.tasks.waitUntilSettled(fixture.task.id);
    expect(fixture.read()).toHaveLength(3);
    expect(notifyingMessages(fixture)).toMatchObject([{ message_reference: { message_id: message?.id } }]);
  });

  it('The owner ping is also sent in the bot’s own direct messages, because an edit notifies no one', async () => {
    const fixture = await fixtureWithOrder({ order: { in: 'dm' } });
    await endJob(fixture);
    const { message } = await fixture.tasks.waitUntilSettled(fixture.task.id);
    expect(fixture.directMessages('member')).toHaveLength(2);
    expect(notifyingMessages(fixture)).toMatchObject([{ message_reference: { message_id: message?.id } }]);
  });

  it('The owner ping is not sent if the result is a new direct message, which notifies its owner', async () => {
    const fixture = await fixtureWithOrder();
    fixture.deny(Permission.ViewChannel);
    await endJob(fixture, minutes(20));
    await fixture.tasks.waitUntilSettled(fixture.task.id);
    expect(fixture.directMessages('member')).toHaveLength(1);
    expect(notifyingMessages(fixture)).toEqual([]);
  });

  it.each([
    ['the interaction reply', LONG_JOB_MS],
    ['a direct message', minutes(20)],
  ])('The owner ping is not sent for a private result in %s, and no channel shows it', async (_, durationMs) => {
    const fixture = await fixtureWithOrder({ order: { isPrivate: true } });
    await endJob(fixture, durationMs);
    await fixture.tasks.waitUntilSettled(fixture.task.id);
    expect(fixture.discord.messages('studio').filter(({ ephemeral }) => !ephemeral)).toEqual([]);
    expect(notifyingMessages(fixture)).toEqual([]);
    expect(posts(fixture).filter(({ path }) => path.includes(fixture.channel.id))).toEqual([]);
    expect(fixture.logText()).not.toContain('was not pinged');
  });

  it('The owner ping is not sent for a private result, even if the store requests one', async () => {
    const fixture = await fixtureWithOrder({ order: { isPrivate: true } });
    const { task, tasks, clock, delivery } = fixture;
    const message = { channelId: fixture.channel.id, id: fixture.discord.messages('studio')[0]?.id ?? '' };
    tasks.put({ ...task, state: 'delivered', message, delivery: { progressEdits: 0, call: { shownAt: clock.now() } } });
    delivery.show(tasks.get(task.id));
    await tasks.waitUntilSettled(task.id);
    expect(posts(fixture)).toEqual([]);
  });

  it('The owner ping is sent with the interaction token if only the member has installed the bot', async () => {
    const fixture = await fixtureWithOrder({ order: { by: 'installer' } });
    await endJob(fixture);
    await fixture.tasks.waitUntilSettled(fixture.task.id);
    expect(notifyingMessages(fixture)).toMatchObject([{ mentions: [{ id: fixture.task.requesterId }] }]);
    expect(posts(fixture)).toMatchObject([{ route: '/webhooks/:application/:token', auth: 'none' }]);
  });

  it('The owner ping is not sent if the bot is not allowed to post and the token has expired', async () => {
    const fixture = await fixtureWithOrder({ order: { in: 'read-only' } });
    await fixture.updateTask(fixture.task.id, { state: 'running' });
    await fixture.tasks.waitForEdits(fixture.task.id, 1);
    await endJob(fixture, minutes(14));
    await fixture.tasks.waitUntilSettled(fixture.task.id);
    expect(fixture.read('read-only')).toEqual([expect.stringContaining('ready')]);
    expect(posts(fixture)).toEqual([]);
  });

  it('The owner ping is not sent if the message was deleted before the end', async () => {
    const fixture = await fixtureWithOrder();
    const { task, updateTask, tasks, rest } = fixture;
    await updateTask(task.id, { state: 'running' });
    const { message } = await tasks.waitForEdits(task.id, 1);
    await rest.delete(Routes.channelMessage(message?.channelId ?? '', message?.id ?? ''));
    await endJob(fixture);
    await tasks.waitUntilSettled(task.id);
    expect(posts(fixture)).toEqual([]);
  });

  it('The owner ping is not sent if the task’s owner has ordered again in the meantime', async () => {
    const fixture = await fixtureWithOrder();
    await fixture.tasks.change(fixture.task.id, (task) => setSuccessor(task, 'another'));
    await endJob(fixture, LONG_JOB_MS, { state: 'unconfirmed', failure: { cause: 'unconfirmed' } });
    await fixture.tasks.waitUntilSettled(fixture.task.id);
    expect(posts(fixture)).toEqual([]);
  });
});

describe('A delayed owner ping', () => {
  it('A delayed owner ping is dropped if the task’s owner has deleted the message', async () => {
    const fixture = await withDelayedPing();
    await fixture.tasks.change(fixture.task.id, clearMessage);
    await fixture.advanceOnceWaiting(seconds(5));
    await fixture.tasks.waitUntilSettled(fixture.task.id);
    expect(posts(fixture)).toEqual([]);
  });

  it('A delayed owner ping is dropped if the task’s owner has decided about an unknown outcome', async () => {
    const fixture = await fixtureWithOrder();
    const { task, tasks, clock, advanceOnceWaiting, timerCount } = fixture;
    tasks.shouldFail = isPingStarted;
    await endJob(fixture, LONG_JOB_MS, { state: 'unconfirmed', failure: { cause: 'unconfirmed' } });
    await until(() => timerCount() === 1);
    tasks.shouldFail = () => false;
    const decidedTask = await tasks.change(task.id, (known) => markDismissed(known, clock.now()));
    expect(decidedTask.delivery.call).toBeUndefined();
    await advanceOnceWaiting(seconds(5));
    await until(() => timerCount() === 0);
    await fixture.delivery.finish();
    expect(posts(fixture)).toEqual([]);
    expect(tasks.get(task.id)).toEqual(decidedTask);
  });

  it('A delayed owner ping is dropped even if the task’s owner decides at the last moment', async () => {
    const fixture = await fixtureWithOrder({
      plan: async (task) => {
        if (task.delivery.call) await tasks.change(task.id, (known) => markDismissed(known, clock.now()));
        return planOf(task);
      },
    });
    const { task, tasks, clock, delivery } = fixture;
    await endJob(fixture, LONG_JOB_MS, { state: 'unconfirmed', failure: { cause: 'unconfirmed' } });
    expect(await tasks.waitUntilSettled(task.id)).toMatchObject({ state: 'cancelled' });
    await delivery.finish();
    expect(posts(fixture)).toEqual([]);
  });

  it('A delayed owner ping is dropped immediately if the message no longer exists', async () => {
    const fixture = await withDelayedPing({ expects: 'refusals' });
    const { task, tasks, rest, advanceOnceWaiting } = fixture;
    const { message } = tasks.get(task.id);
    await rest.delete(Routes.channelMessage(message?.channelId ?? '', message?.id ?? ''));
    await advanceOnceWaiting(seconds(5));
    expect(await tasks.waitUntilSettled(task.id)).toMatchObject({ state: 'delivered' });
    expect(posts(fixture).map(({ status }) => status)).toEqual([400]);
    expect(notifyingMessages(fixture)).toEqual([]);
  });

  it('A delayed owner ping is dropped immediately if the bot is no longer allowed to send messages', async () => {
    const fixture = await withDelayedPing();
    fixture.deny(Permission.SendMessages);
    await fixture.advanceOnceWaiting(seconds(5));
    expect(await fixture.tasks.waitUntilSettled(fixture.task.id)).toMatchObject({ state: 'delivered' });
    expect(posts(fixture).map(({ status }) => status)).toEqual([403]);
    expect(fixture.logText()).toContain('was not pinged');
  });

  it('A delayed owner ping is dropped immediately if the channel no longer exists', async () => {
    const fixture = await withDelayedPing();
    fixture.discord.world.channels.delete(fixture.channel.id);
    await fixture.advanceOnceWaiting(seconds(5));
    await fixture.tasks.waitUntilSettled(fixture.task.id);
    expect(posts(fixture).map(({ status }) => status)).toEqual([404]);
  });

  it('A delayed owner ping is sent when Discord is available again', async () => {
    const fixture = await fixtureWithOrder();
    fixture.discord.faults.add({
      on: { method: 'POST', route: '/channels' },
      do: { type: 'status', status: 503 },
      times: 8,
    });
    await endJob(fixture);
    await fixture.advanceOnceWaiting(seconds(5));
    await fixture.advanceOnceWaiting(seconds(10));
    await fixture.tasks.waitUntilSettled(fixture.task.id);
    expect(notifyingMessages(fixture)).toHaveLength(1);
    expect(posts(fixture).map(({ status }) => status)).toEqual([...Array(8).fill(503), 200]);
  });

  it('A delayed owner ping is dropped after two minutes, and the result stays delivered', async () => {
    const fixture = await fixtureWithOrder();
    const { tasks, task, clock, advanceOnceWaiting, timerCount, discord } = fixture;
    discord.faults.add({ on: { method: 'POST', route: '/channels' }, do: { type: 'status', status: 503 }, times: 100 });
    await endJob(fixture);
    for (const wait of [5, 10, 20, 40, 80]) {
      await until(() => timerCount() === 1);
      expect(tasks.get(task.id)).toMatchObject({ state: 'delivered' });
      await advanceOnceWaiting(seconds(wait));
    }
    await tasks.waitUntilSettled(task.id);
    const [first] = posts(fixture);
    expect(posts(fixture)).toHaveLength(4 * 5);
    expect((posts(fixture).at(-1)?.at ?? 0) - (first?.at ?? 0)).toBe(seconds(75));
    discord.faults.clear();
    clock.advance(minutes(60));
    expect(notifyingMessages(fixture)).toEqual([]);
    expect(timerCount()).toBe(0);
  });

  it.each([
    ['is lost', { type: 'reset', done: true }, 1],
    // More often than discord.js retries.
    ['never comes', { type: 'hang', done: true }, 5],
  ] as const)('The owner ping is posted only once even if Discord’s response %s', async (_, fault, times) => {
    const fixture = await fixtureWithOrder();
    fixture.timeOutSoon();
    fixture.discord.faults.add({ on: { method: 'POST', route: '/channels' }, do: fault, times });
    await endJob(fixture);
    await fixture.advanceOnceWaiting(seconds(5));
    await fixture.tasks.waitUntilSettled(fixture.task.id);
    expect(notifyingMessages(fixture)).toHaveLength(1);
    expect(posts(fixture).length).toBeGreaterThan(1);
  });

  it.each([
    ['lost', { type: 'reset', done: true }, 1],
    ['a failure', { type: 'status', status: 502 }, 0],
  ] as const)(
    'An owner ping with the token is posted only once even if the response is %s',
    async (_, fault, count) => {
      const fixture = await fixtureWithOrder({ order: { by: 'installer' } });
      fixture.discord.faults.add({ on: { method: 'POST', route: '/webhooks' }, do: fault });
      await endJob(fixture);
      expect(await fixture.tasks.waitUntilSettled(fixture.task.id)).toMatchObject({ state: 'delivered' });
      expect(posts(fixture)).toHaveLength(1);
      expect(notifyingMessages(fixture)).toHaveLength(count);
    },
  );

  it('The owner ping is posted only once even if the store cannot record it', async () => {
    const fixture = await fixtureWithOrder();
    const { task, tasks, advanceOnceWaiting } = fixture;
    tasks.shouldFail = (_, next) => next.times.settled !== undefined && tasks.failures < 3;
    await endJob(fixture);
    for (const wait of [5, 10, 20]) await advanceOnceWaiting(seconds(wait));
    await tasks.waitUntilSettled(task.id);
    expect(tasks.failures).toBe(3);
    expect(posts(fixture)).toHaveLength(1);
  });

  it('An owner ping that cannot be prepared is logged with a reference and retried after 30 seconds', async () => {
    let failuresLeft = 1;
    const fixture = await fixtureWithOrder({
      plan: (task) => {
        if (task.delivery.call && failuresLeft-- > 0) throw new TypeError('a bug in a view');
        return planOf(task);
      },
    });
    await endJob(fixture);
    await fixture.advanceOnceWaiting(seconds(30));
    await fixture.tasks.waitUntilSettled(fixture.task.id);
    expect(notifyingMessages(fixture)).toHaveLength(1);
    expect(fixture.logText()).toMatch(/"reference":"[0-9a-f]{8}"[^\n]*a bug in a view/);
  });
});

/** The points at which the bot is killed. Each function leaves the store as the crash would. */
const crashes = {
  async 'before the store recorded the visible result'(fixture: Fixture) {
    fixture.tasks.shouldFail = (_, next) => next.delivery.call !== undefined;
    await endJob(fixture);
  },
  async 'before the store recorded the intended ping'(fixture: Fixture) {
    fixture.tasks.shouldFail = isPingStarted;
    await endJob(fixture);
  },
  async 'before Discord received the ping'({ discord, ...fixture }: Fixture) {
    discord.faults.add({ on: { method: 'POST' }, do: { type: 'status', status: 500 }, times: 4 });
    await endJob(fixture);
  },
  async 'before Discord’s response to the ping arrived'({ discord, ...fixture }: Fixture) {
    fixture.timeOutSoon();
    discord.faults.add({ on: { method: 'POST' }, do: { type: 'hang', done: true }, times: 4 });
    await endJob(fixture);
  },
  async 'before the store recorded the posted ping'(fixture: Fixture) {
    fixture.tasks.shouldFail = (_, next) => next.times.settled !== undefined;
    await endJob(fixture);
  },
};

type Crash = keyof typeof crashes;

async function crash(point: Crash, fixture: Fixture): Promise<void> {
  await crashes[point](fixture);
  await until(() => fixture.timerCount() === 1);
  await fixture.delivery.finish();
  fixture.tasks.shouldFail = () => false;
}

describe('The owner ping after a crash', () => {
  it.each([
    ['before the store recorded the visible result', 0, 1],
    ['before the store recorded the visible result', 60, 1],
    ['before the store recorded the intended ping', 0, 1],
    ['before the store recorded the intended ping', 14, 1],
    // The result has been visible for so long that its owner has seen it.
    ['before the store recorded the intended ping', 15, 0],
    ['before Discord received the ping', 1, 1],
    // It is unknown whether the ping was sent, and no ping is better than two.
    ['before Discord received the ping', 2, 0],
    ['before Discord’s response to the ping arrived', 1, 1],
    ['before Discord’s response to the ping arrived', 60, 1],
    ['before the store recorded the posted ping', 1, 1],
    ['before the store recorded the posted ping', 60, 1],
  ] as const)(
    'After a crash %s and %i minutes of downtime, the owner was pinged %i times',
    async (point, downtimeMinutes, count) => {
      const fixture = await fixtureWithOrder();
      const { task, updateTask, tasks, clock, open: openDelivery } = fixture;
      await updateTask(task.id, { state: 'running' });
      await tasks.waitForEdits(task.id, 1);
      await crash(point, fixture);
      expect(tasks.get(task.id).times.settled).toBeUndefined();
      clock.advance(minutes(downtimeMinutes));
      openDelivery().show(tasks.get(task.id));
      expect(await tasks.waitUntilSettled(task.id)).toMatchObject({ state: 'delivered' });
      expect(notifyingMessages(fixture)).toHaveLength(count);
      expect(fixture.read().filter((line) => line.startsWith('ready'))).toHaveLength(1);
      // A second start has nothing left to do.
      const requestCount = fixture.discord.requests.length;
      const secondDelivery = openDelivery();
      secondDelivery.show(tasks.get(task.id));
      await secondDelivery.finish();
      expect(fixture.discord.requests).toHaveLength(requestCount);
    },
  );

  it('After a crash, missing audio is posted even hours later, because it is a result and not a notification', async () => {
    const fixture = await fixtureWithOrder();
    const { task, tasks, clock, open: openDelivery } = fixture;
    const voice = { seconds: 1, waveform: 'AA==', sound: Buffer.from('a sound').toString('base64') };
    const utterance = { kind: 'said' as const, request: { talk: 'x', model: 'aria-realtime' } };
    tasks.put(withChanges(tasks.get(task.id), { ...utterance, answer: { ...EMPTY_ANSWER, voice } }));
    await crash('before the store recorded the intended ping', fixture);
    expect(posts(fixture)).toHaveLength(0);
    clock.advance(minutes(300));
    openDelivery().show(tasks.get(task.id));
    expect((await tasks.waitUntilSettled(task.id)).answer?.voice?.sound).toBeUndefined();
    expect(posts(fixture)).toHaveLength(1);
  });

  it('After a crash, an owner ping that was sent with the token is not sent a second time', async () => {
    const fixture = await fixtureWithOrder({ order: { by: 'installer' } });
    await crash('before the store recorded the posted ping', fixture);
    fixture.open().show(fixture.tasks.get(fixture.task.id));
    await fixture.tasks.waitUntilSettled(fixture.task.id);
    expect(notifyingMessages(fixture)).toHaveLength(1);
    expect(posts(fixture)).toHaveLength(1);
  });

  it('After a crash, a result that is posted hours later still pings its owner', async () => {
    const fixture = await fixtureWithOrder();
    const { task, tasks, clock, open: openDelivery } = fixture;
    clock.advance(LONG_JOB_MS);
    tasks.put({ ...tasks.get(task.id), state: 'ready', times: { ...task.times, ended: clock.now() } });
    clock.advance(minutes(300));
    openDelivery().show(tasks.get(task.id));
    await tasks.waitUntilSettled(task.id);
    expect(notifyingMessages(fixture)).toHaveLength(1);
  });

  it('After a crash, the owner ping is not mistaken for the message with the result', async () => {
    const fixture = await fixtureWithOrder();
    const { task, tasks, clock, open: openDelivery, updateTask } = fixture;
    clock.advance(minutes(20));
    tasks.shouldFail = (_, next) => next.times.settled !== undefined;
    await updateTask(task.id, { state: 'ready', times: { ...task.times, ended: clock.now() } });
    await until(() => fixture.timerCount() === 1);
    await fixture.delivery.finish();
    tasks.shouldFail = () => false;
    const { message } = tasks.get(task.id);
    openDelivery().show(tasks.get(task.id));
    expect((await tasks.waitUntilSettled(task.id)).message).toEqual(message);
    expect(fixture.read()).toHaveLength(3);
  });
});
