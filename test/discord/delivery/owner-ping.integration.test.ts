import { MessageType, PermissionFlagsBits as Permission, Routes } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { EMPTY_ANSWER } from '../../../src/services/tasks/answer.ts';
import { clearMessage } from '../../../src/services/tasks/delivery-state.ts';
import type { Task, TaskFacts } from '../../../src/services/tasks/task.ts';
import { markDismissed, setSuccessor } from '../../../src/services/tasks/transitions.ts';
import { withChanges } from '../../support/tasks.ts';
import { minutes, planOf, sceneWithOrder, seconds, until } from './scene.ts';

type Stage = Awaited<ReturnType<typeof sceneWithOrder>>;

const LONG_JOB_MS = seconds(61);
const isPingStarted = (_: Task, next: Task): boolean => next.delivery.call?.goingAt !== undefined;

/** Ends a job after the given time; by default, the job takes long. */
async function endJob(
  { task, updateTask, clock }: Pick<Stage, 'task' | 'updateTask' | 'clock'>,
  durationMs = LONG_JOB_MS,
  change: Partial<TaskFacts> = { state: 'ready' },
): Promise<void> {
  clock.advance(durationMs);
  await updateTask(task.id, { ...change, times: { ...task.times, ended: clock.now() } });
}

/** All messages in all channels that notify someone. */
const notifyingMessages = ({ discord }: Pick<Stage, 'discord'>) =>
  [...discord.world.channels.keys()]
    .flatMap((id) => discord.messages(id))
    .filter(({ mentions, mention_everyone }) => mentions.length > 0 || mention_everyone);

const posts = ({ requestsTo }: Stage) => requestsTo('POST', /messages$|^\/webhooks/);

/** Shows the result, and then makes the owner ping fail. */
async function withDelayedPing(options: Parameters<typeof sceneWithOrder>[0] = {}) {
  const stage = await sceneWithOrder(options);
  const { tasks, timerCount } = stage;
  tasks.shouldFail = isPingStarted;
  await endJob(stage);
  await until(() => tasks.failures === 1 && timerCount() === 1);
  tasks.shouldFail = () => false;
  return stage;
}

describe('The owner ping at the end of a long job', () => {
  it('The owner ping is deleted if the message that it replies to is deleted at that moment', async () => {
    const stage = await sceneWithOrder();
    const { task, tasks, discord } = stage;
    const stopListening = discord.listen(() => {
      if (notifyingMessages(stage).length > 0 && tasks.get(task.id).message) void tasks.change(task.id, clearMessage);
    });
    await endJob(stage);
    expect((await tasks.waitUntilSettled(task.id)).beside).toBeUndefined();
    stopListening();
    expect(posts(stage)).toHaveLength(1);
    expect(notifyingMessages(stage)).toEqual([]);
  });

  it('Without Read Message History, the owner ping is posted as a message that is not a reply', async () => {
    const stage = await sceneWithOrder();
    stage.deny(Permission.ReadMessageHistory);
    await endJob(stage);
    await stage.tasks.waitUntilSettled(stage.task.id);
    expect(notifyingMessages(stage)).toMatchObject([{ type: MessageType.Default, content: expect.any(String) }]);
  });

  it('The owner ping replies to the message with the result and notifies only the owner', async () => {
    const stage = await sceneWithOrder({
      plan: (task) =>
        task.delivery.call ? { ...planOf(task), content: `<@${task.requesterId}> @everyone` } : planOf(task),
    });
    const { task, tasks, writes } = stage;
    await endJob(stage);
    const settledTask = await tasks.waitUntilSettled(task.id);
    expect(notifyingMessages(stage)).toMatchObject([
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
    const stage = await sceneWithOrder();
    await endJob(stage, durationMs);
    await stage.tasks.waitUntilSettled(stage.task.id);
    expect(notifyingMessages(stage)).toHaveLength(count);
    expect(posts(stage)).toHaveLength(count);
  });

  it.each(['failed', 'unconfirmed', 'expired'] as const)(
    'The owner ping is also sent if the task is %s',
    async (state) => {
      const stage = await sceneWithOrder();
      await endJob(stage, LONG_JOB_MS, { state, failure: { cause: state } });
      expect(await stage.tasks.waitUntilSettled(stage.task.id)).toMatchObject({ state });
      expect(notifyingMessages(stage).map(({ content }) => content)).toEqual([
        `<@${stage.task.requesterId}>: ${state}`,
      ]);
    },
  );

  it('The owner ping replies to the new message if the result was posted as one', async () => {
    const stage = await sceneWithOrder();
    await endJob(stage, minutes(20));
    const { message } = await stage.tasks.waitUntilSettled(stage.task.id);
    expect(stage.read()).toHaveLength(3);
    expect(notifyingMessages(stage)).toMatchObject([{ message_reference: { message_id: message?.id } }]);
  });

  it('The owner ping is also sent in the bot’s own direct messages, because an edit notifies no one', async () => {
    const stage = await sceneWithOrder({ order: { in: 'dm' } });
    await endJob(stage);
    const { message } = await stage.tasks.waitUntilSettled(stage.task.id);
    expect(stage.directMessages('member')).toHaveLength(2);
    expect(notifyingMessages(stage)).toMatchObject([{ message_reference: { message_id: message?.id } }]);
  });

  it('The owner ping is not sent if the result is a new direct message, which notifies its owner', async () => {
    const stage = await sceneWithOrder();
    stage.deny(Permission.ViewChannel);
    await endJob(stage, minutes(20));
    await stage.tasks.waitUntilSettled(stage.task.id);
    expect(stage.directMessages('member')).toHaveLength(1);
    expect(notifyingMessages(stage)).toEqual([]);
  });

  it.each([
    ['the interaction reply', LONG_JOB_MS],
    ['a direct message', minutes(20)],
  ])('The owner ping is not sent for a private result in %s, and no channel shows it', async (_, durationMs) => {
    const stage = await sceneWithOrder({ order: { isPrivate: true } });
    await endJob(stage, durationMs);
    await stage.tasks.waitUntilSettled(stage.task.id);
    expect(stage.discord.messages('studio').filter(({ ephemeral }) => !ephemeral)).toEqual([]);
    expect(notifyingMessages(stage)).toEqual([]);
    expect(posts(stage).filter(({ path }) => path.includes(stage.channel.id))).toEqual([]);
    expect(stage.logText()).not.toContain('was not pinged');
  });

  it('The owner ping is not sent for a private result, even if the store requests one', async () => {
    const stage = await sceneWithOrder({ order: { isPrivate: true } });
    const { task, tasks, clock, delivery } = stage;
    const message = { channelId: stage.channel.id, id: stage.discord.messages('studio')[0]?.id ?? '' };
    tasks.put({ ...task, state: 'delivered', message, delivery: { progressEdits: 0, call: { shownAt: clock.now() } } });
    delivery.show(tasks.get(task.id));
    await tasks.waitUntilSettled(task.id);
    expect(posts(stage)).toEqual([]);
  });

  it('The owner ping is sent with the interaction token if only the member has installed the bot', async () => {
    const stage = await sceneWithOrder({ order: { by: 'installer' } });
    await endJob(stage);
    await stage.tasks.waitUntilSettled(stage.task.id);
    expect(notifyingMessages(stage)).toMatchObject([{ mentions: [{ id: stage.task.requesterId }] }]);
    expect(posts(stage)).toMatchObject([{ route: '/webhooks/:application/:token', auth: 'none' }]);
  });

  it('The owner ping is not sent if the bot is not allowed to post and the token has expired', async () => {
    const stage = await sceneWithOrder({ order: { in: 'read-only' } });
    await stage.updateTask(stage.task.id, { state: 'running' });
    await stage.tasks.waitForEdits(stage.task.id, 1);
    await endJob(stage, minutes(14));
    await stage.tasks.waitUntilSettled(stage.task.id);
    expect(stage.read('read-only')).toEqual([expect.stringContaining('ready')]);
    expect(posts(stage)).toEqual([]);
  });

  it('The owner ping is not sent if the message was deleted before the end', async () => {
    const stage = await sceneWithOrder();
    const { task, updateTask, tasks, client } = stage;
    await updateTask(task.id, { state: 'running' });
    const { message } = await tasks.waitForEdits(task.id, 1);
    await client.rest.delete(Routes.channelMessage(message?.channelId ?? '', message?.id ?? ''));
    await endJob(stage);
    await tasks.waitUntilSettled(task.id);
    expect(posts(stage)).toEqual([]);
  });

  it('The owner ping is not sent if the task’s owner has ordered again in the meantime', async () => {
    const stage = await sceneWithOrder();
    await stage.tasks.change(stage.task.id, (task) => setSuccessor(task, 'another'));
    await endJob(stage, LONG_JOB_MS, { state: 'unconfirmed', failure: { cause: 'unconfirmed' } });
    await stage.tasks.waitUntilSettled(stage.task.id);
    expect(posts(stage)).toEqual([]);
  });
});

describe('A delayed owner ping', () => {
  it('A delayed owner ping is dropped if the task’s owner has deleted the message', async () => {
    const stage = await withDelayedPing();
    await stage.tasks.change(stage.task.id, clearMessage);
    await stage.advanceOnceWaiting(seconds(5));
    await stage.tasks.waitUntilSettled(stage.task.id);
    expect(posts(stage)).toEqual([]);
  });

  it('A delayed owner ping is dropped if the task’s owner has decided about an unknown outcome', async () => {
    const stage = await sceneWithOrder();
    const { task, tasks, clock, advanceOnceWaiting, timerCount } = stage;
    tasks.shouldFail = isPingStarted;
    await endJob(stage, LONG_JOB_MS, { state: 'unconfirmed', failure: { cause: 'unconfirmed' } });
    await until(() => timerCount() === 1);
    tasks.shouldFail = () => false;
    const decidedTask = await tasks.change(task.id, (known) => markDismissed(known, clock.now()));
    expect(decidedTask.delivery.call).toBeUndefined();
    await advanceOnceWaiting(seconds(5));
    await until(() => timerCount() === 0);
    await stage.delivery.finish();
    expect(posts(stage)).toEqual([]);
    expect(tasks.get(task.id)).toEqual(decidedTask);
  });

  it('A delayed owner ping is dropped even if the task’s owner decides at the last moment', async () => {
    const stage = await sceneWithOrder({
      plan: async (task) => {
        if (task.delivery.call) await tasks.change(task.id, (known) => markDismissed(known, clock.now()));
        return planOf(task);
      },
    });
    const { task, tasks, clock, delivery } = stage;
    await endJob(stage, LONG_JOB_MS, { state: 'unconfirmed', failure: { cause: 'unconfirmed' } });
    expect(await tasks.waitUntilSettled(task.id)).toMatchObject({ state: 'cancelled' });
    await delivery.finish();
    expect(posts(stage)).toEqual([]);
  });

  it('A delayed owner ping is dropped immediately if the message no longer exists', async () => {
    const stage = await withDelayedPing({ expects: 'refusals' });
    const { task, tasks, client, advanceOnceWaiting } = stage;
    const { message } = tasks.get(task.id);
    await client.rest.delete(Routes.channelMessage(message?.channelId ?? '', message?.id ?? ''));
    await advanceOnceWaiting(seconds(5));
    expect(await tasks.waitUntilSettled(task.id)).toMatchObject({ state: 'delivered' });
    expect(posts(stage).map(({ status }) => status)).toEqual([400]);
    expect(notifyingMessages(stage)).toEqual([]);
  });

  it('A delayed owner ping is dropped immediately if the bot is no longer allowed to send messages', async () => {
    const stage = await withDelayedPing();
    stage.deny(Permission.SendMessages);
    await stage.advanceOnceWaiting(seconds(5));
    expect(await stage.tasks.waitUntilSettled(stage.task.id)).toMatchObject({ state: 'delivered' });
    expect(posts(stage).map(({ status }) => status)).toEqual([403]);
    expect(stage.logText()).toContain('was not pinged');
  });

  it('A delayed owner ping is dropped immediately if the channel no longer exists', async () => {
    const stage = await withDelayedPing();
    stage.discord.world.channels.delete(stage.channel.id);
    await stage.advanceOnceWaiting(seconds(5));
    await stage.tasks.waitUntilSettled(stage.task.id);
    expect(posts(stage).map(({ status }) => status)).toEqual([404]);
  });

  it('A delayed owner ping is sent when Discord is available again', async () => {
    const stage = await sceneWithOrder();
    stage.discord.faults.add({
      on: { method: 'POST', route: '/channels' },
      do: { type: 'status', status: 503 },
      times: 8,
    });
    await endJob(stage);
    await stage.advanceOnceWaiting(seconds(5));
    await stage.advanceOnceWaiting(seconds(10));
    await stage.tasks.waitUntilSettled(stage.task.id);
    expect(notifyingMessages(stage)).toHaveLength(1);
    expect(posts(stage).map(({ status }) => status)).toEqual([...Array(8).fill(503), 200]);
  });

  it('A delayed owner ping is dropped after two minutes, and the result stays delivered', async () => {
    const stage = await sceneWithOrder();
    const { tasks, task, clock, advanceOnceWaiting, timerCount, discord } = stage;
    discord.faults.add({ on: { method: 'POST', route: '/channels' }, do: { type: 'status', status: 503 }, times: 100 });
    await endJob(stage);
    for (const wait of [5, 10, 20, 40, 80]) {
      await until(() => timerCount() === 1);
      expect(tasks.get(task.id)).toMatchObject({ state: 'delivered' });
      await advanceOnceWaiting(seconds(wait));
    }
    await tasks.waitUntilSettled(task.id);
    const [first] = posts(stage);
    expect(posts(stage)).toHaveLength(4 * 5);
    expect((posts(stage).at(-1)?.at ?? 0) - (first?.at ?? 0)).toBe(seconds(75));
    discord.faults.clear();
    clock.advance(minutes(60));
    expect(notifyingMessages(stage)).toEqual([]);
    expect(timerCount()).toBe(0);
  });

  it.each([
    ['is lost', { type: 'reset', done: true }, 1],
    // More often than discord.js retries.
    ['never comes', { type: 'hang', done: true }, 5],
  ] as const)('The owner ping is posted only once even if Discord’s response %s', async (_, fault, times) => {
    const stage = await sceneWithOrder();
    stage.client.rest.options.timeout = 50;
    stage.discord.faults.add({ on: { method: 'POST', route: '/channels' }, do: fault, times });
    await endJob(stage);
    await stage.advanceOnceWaiting(seconds(5));
    await stage.tasks.waitUntilSettled(stage.task.id);
    expect(notifyingMessages(stage)).toHaveLength(1);
    expect(posts(stage).length).toBeGreaterThan(1);
  });

  it.each([
    ['lost', { type: 'reset', done: true }, 1],
    ['a failure', { type: 'status', status: 502 }, 0],
  ] as const)(
    'An owner ping with the token is posted only once even if the response is %s',
    async (_, fault, count) => {
      const stage = await sceneWithOrder({ order: { by: 'installer' } });
      stage.discord.faults.add({ on: { method: 'POST', route: '/webhooks' }, do: fault });
      await endJob(stage);
      expect(await stage.tasks.waitUntilSettled(stage.task.id)).toMatchObject({ state: 'delivered' });
      expect(posts(stage)).toHaveLength(1);
      expect(notifyingMessages(stage)).toHaveLength(count);
    },
  );

  it('The owner ping is posted only once even if the store cannot record it', async () => {
    const stage = await sceneWithOrder();
    const { task, tasks, advanceOnceWaiting } = stage;
    tasks.shouldFail = (_, next) => next.times.settled !== undefined && tasks.failures < 3;
    await endJob(stage);
    for (const wait of [5, 10, 20]) await advanceOnceWaiting(seconds(wait));
    await tasks.waitUntilSettled(task.id);
    expect(tasks.failures).toBe(3);
    expect(posts(stage)).toHaveLength(1);
  });

  it('An owner ping that cannot be prepared is logged with a reference and retried after 30 seconds', async () => {
    let failuresLeft = 1;
    const stage = await sceneWithOrder({
      plan: (task) => {
        if (task.delivery.call && failuresLeft-- > 0) throw new TypeError('a bug in a view');
        return planOf(task);
      },
    });
    await endJob(stage);
    await stage.advanceOnceWaiting(seconds(30));
    await stage.tasks.waitUntilSettled(stage.task.id);
    expect(notifyingMessages(stage)).toHaveLength(1);
    expect(stage.logText()).toMatch(/"reference":"[0-9a-f]{8}"[^\n]*a bug in a view/);
  });
});

/** The points at which the bot is killed. Each function leaves the store as the crash would. */
const crashes = {
  async 'before the store recorded the visible result'(stage: Stage) {
    stage.tasks.shouldFail = (_, next) => next.delivery.call !== undefined;
    await endJob(stage);
  },
  async 'before the store recorded the intended ping'(stage: Stage) {
    stage.tasks.shouldFail = isPingStarted;
    await endJob(stage);
  },
  async 'before Discord received the ping'({ discord, ...stage }: Stage) {
    discord.faults.add({ on: { method: 'POST' }, do: { type: 'status', status: 500 }, times: 4 });
    await endJob(stage);
  },
  async 'before Discord’s response to the ping arrived'({ discord, client, ...stage }: Stage) {
    client.rest.options.timeout = 50;
    discord.faults.add({ on: { method: 'POST' }, do: { type: 'hang', done: true }, times: 4 });
    await endJob(stage);
  },
  async 'before the store recorded the posted ping'(stage: Stage) {
    stage.tasks.shouldFail = (_, next) => next.times.settled !== undefined;
    await endJob(stage);
  },
};

type Crash = keyof typeof crashes;

async function crash(point: Crash, stage: Stage): Promise<void> {
  await crashes[point](stage);
  await until(() => stage.timerCount() === 1);
  await stage.delivery.finish();
  stage.tasks.shouldFail = () => false;
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
      const stage = await sceneWithOrder();
      const { task, updateTask, tasks, clock, open: openDelivery } = stage;
      await updateTask(task.id, { state: 'running' });
      await tasks.waitForEdits(task.id, 1);
      await crash(point, stage);
      expect(tasks.get(task.id).times.settled).toBeUndefined();
      clock.advance(minutes(downtimeMinutes));
      openDelivery().show(tasks.get(task.id));
      expect(await tasks.waitUntilSettled(task.id)).toMatchObject({ state: 'delivered' });
      expect(notifyingMessages(stage)).toHaveLength(count);
      expect(stage.read().filter((line) => line.startsWith('ready'))).toHaveLength(1);
      // A second start has nothing left to do.
      const requestCount = stage.discord.requests.length;
      const secondDelivery = openDelivery();
      secondDelivery.show(tasks.get(task.id));
      await secondDelivery.finish();
      expect(stage.discord.requests).toHaveLength(requestCount);
    },
  );

  it('After a crash, missing audio is posted even hours later, because it is a result and not a notification', async () => {
    const stage = await sceneWithOrder();
    const { task, tasks, clock, open: openDelivery } = stage;
    const voice = { seconds: 1, waveform: 'AA==', sound: Buffer.from('a sound').toString('base64') };
    const utterance = { kind: 'said' as const, request: { talk: 'x', model: 'aria-realtime' } };
    tasks.put(withChanges(tasks.get(task.id), { ...utterance, answer: { ...EMPTY_ANSWER, voice } }));
    await crash('before the store recorded the intended ping', stage);
    expect(posts(stage)).toHaveLength(0);
    clock.advance(minutes(300));
    openDelivery().show(tasks.get(task.id));
    expect((await tasks.waitUntilSettled(task.id)).answer?.voice?.sound).toBeUndefined();
    expect(posts(stage)).toHaveLength(1);
  });

  it('After a crash, an owner ping that was sent with the token is not sent a second time', async () => {
    const stage = await sceneWithOrder({ order: { by: 'installer' } });
    await crash('before the store recorded the posted ping', stage);
    stage.open().show(stage.tasks.get(stage.task.id));
    await stage.tasks.waitUntilSettled(stage.task.id);
    expect(notifyingMessages(stage)).toHaveLength(1);
    expect(posts(stage)).toHaveLength(1);
  });

  it('After a crash, a result that is posted hours later still pings its owner', async () => {
    const stage = await sceneWithOrder();
    const { task, tasks, clock, open: openDelivery } = stage;
    clock.advance(LONG_JOB_MS);
    tasks.put({ ...tasks.get(task.id), state: 'ready', times: { ...task.times, ended: clock.now() } });
    clock.advance(minutes(300));
    openDelivery().show(tasks.get(task.id));
    await tasks.waitUntilSettled(task.id);
    expect(notifyingMessages(stage)).toHaveLength(1);
  });

  it('After a crash, the owner ping is not mistaken for the message with the result', async () => {
    const stage = await sceneWithOrder();
    const { task, tasks, clock, open: openDelivery, updateTask } = stage;
    clock.advance(minutes(20));
    tasks.shouldFail = (_, next) => next.times.settled !== undefined;
    await updateTask(task.id, { state: 'ready', times: { ...task.times, ended: clock.now() } });
    await until(() => stage.timerCount() === 1);
    await stage.delivery.finish();
    tasks.shouldFail = () => false;
    const { message } = tasks.get(task.id);
    openDelivery().show(tasks.get(task.id));
    expect((await tasks.waitUntilSettled(task.id)).message).toEqual(message);
    expect(stage.read()).toHaveLength(3);
  });
});
