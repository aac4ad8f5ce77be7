import { MessageFlags, Routes } from 'discord.js';
import { expect, onTestFinished } from 'vitest';
import { type DiscordOptions, startDiscord, text } from '../../../sandbox/discord/discord.ts';
import type { Exchange, Message } from '../../../sandbox/discord/exchange.ts';
import { kindSpecs } from '../../../src/commands/index.ts';
import { customId } from '../../../src/discord/custom-ids.ts';
import { Delivery } from '../../../src/discord/delivery/delivery.ts';
import type { DeliveryParts } from '../../../src/discord/delivery/record.ts';
import { type Interaction, originOf } from '../../../src/discord/interaction-facts.ts';
import { createDiscordClients } from '../../../src/discord/outbox/clients.ts';
import { Outbox } from '../../../src/discord/outbox/outbox.ts';
import { Responder } from '../../../src/discord/outbox/responder.ts';
import type { MessagePlan, PreparedMessage } from '../../../src/discord/plan.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { hasEnded, type MessagePlace, type Task, type TaskFacts } from '../../../src/services/tasks/task.ts';
import { createTaskId } from '../../../src/services/tasks/task-id.ts';
import { createTask } from '../../../src/services/tasks/transitions.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { MemoryTasks, waitUntil } from './memory-tasks.ts';

export { waitUntil as until };

export const minutes = (count: number): number => count * 60_000;
export const seconds = (count: number): number => count * 1_000;

class TimerCountingClock implements Clock {
  readonly #clock: Clock;
  readonly #pendingTimers = new Set<object>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get pendingCount(): number {
    return this.#pendingTimers.size;
  }

  now(): number {
    return this.#clock.now();
  }

  after(ms: number, task: () => void): () => void {
    const timer = {};
    this.#pendingTimers.add(timer);
    const cancel = this.#clock.after(ms, () => {
      this.#pendingTimers.delete(timer);
      task();
    });
    return () => {
      this.#pendingTimers.delete(timer);
      cancel();
    };
  }
}

export interface FixtureOptions extends DiscordOptions {
  /** The content of a task's message; by default the task's state, its progress and a button with its id. */
  plan?: (task: Task, signal?: AbortSignal) => MessagePlan | Promise<MessagePlan>;
  /** What is sent instead if Discord refuses the files. */
  fallback?: MessagePlan;
  /** What does not fail the test: 429s (`waits`) or requests that Discord refuses (`refusals`). */
  expects?: 'waits' | 'refusals';
  /** The store of the tasks; in memory by default. */
  tasks?: MemoryTasks;
}

export interface Order {
  by?: string;
  in?: string;
  isPrivate?: boolean;
}

/** Opens a delivery between the embedded Discord and tasks in memory, on one clock that only tests advance. */
export async function createFixture({
  plan = planOf,
  fallback,
  expects,
  tasks = new MemoryTasks(),
  ...options
}: FixtureOptions = {}) {
  const clock = new ManualClock();
  const discord = await startDiscord({ clock, ...options });
  onTestFinished(async () => {
    await discord.close();
    if (expects !== 'refusals') expect(discord.violations).toEqual([]);
    if (expects !== 'waits') expect(discord.rateLimitHits).toEqual([]);
  });
  const clients = createDiscordClients(discord.apiUrl);
  const { connection, rest } = clients;
  onTestFinished(() => clients.close());
  let received = Promise.withResolvers<Interaction>();
  connection.onInteraction((interaction) => received.resolve(interaction));
  await connection.open(discord.token);
  await rest.put(Routes.applicationCommands(discord.applicationId), {
    body: [{ name: 'make', description: 'x', integration_types: [0, 1], contexts: [0, 1, 2] }],
  });

  const lines: string[] = [];
  const log = createLogger({
    level: 'debug',
    secrets: [discord.token],
    isPretty: false,
    write: (line) => lines.push(line),
  });
  const outbox = new Outbox(clients, log);
  let unreleasedCount = 0;
  let preparedTotal = 0;
  onTestFinished(() => expect(unreleasedCount).toBe(0));
  const prepare = async (task: Task, signal?: AbortSignal): Promise<PreparedMessage> => {
    const messagePlan = await plan(task, signal);
    unreleasedCount += 1;
    preparedTotal += 1;
    return {
      plan: messagePlan,
      ...(fallback && { fallback }),
      release: () => {
        unreleasedCount -= 1;
      },
    };
  };
  const countingClock = new TimerCountingClock(clock);
  const parts: DeliveryParts = {
    outbox,
    clock: countingClock,
    log,
    prepareMessage: prepare,
    hintFor: ({ id }) => ({
      content: `${id} perhaps shown`,
      controls: [{ type: 'button', id: customId('showall', 1, id), label: 'Show here' }],
    }),
    change: (id, transition) => tasks.change(id, transition),
  };
  /** Starts a new delivery, as after a restart: it only knows what is stored. */
  const openDelivery = (): Delivery => {
    const delivery = new Delivery(parts);
    onTestFinished(() => delivery.finish());
    return delivery;
  };
  const delivery = openDelivery();

  /** A member requests a task and sees the deferred reply. */
  async function order({ by = 'member', in: channelName, isPrivate = false }: Order = {}) {
    const actor = channelName === undefined ? discord.as(by) : discord.as(by).in(channelName);
    const { interaction, exchange } = await receiveInteraction(() => actor.slash('make'));
    await new Responder(outbox, interaction).acknowledge(isPrivate ? 'private answer' : 'public answer');
    return { task: storeTask(interaction, { isPrivate }), exchange, interaction, channel: actor.channel };
  }

  /** A member presses a button, and the new task is shown in that message. */
  async function press(message: Pick<Message, 'id'>, button: string, by = 'member') {
    const { interaction, exchange } = await receiveInteraction(() => discord.as(by).click(message, button));
    await new Responder(outbox, interaction).acknowledge('pressed message');
    const location = { channelId: interaction.channel?.id ?? '', id: message.id };
    return { task: storeTask(interaction, { message: location }), exchange };
  }

  async function receiveInteraction(action: () => Promise<Exchange>) {
    received = Promise.withResolvers();
    const exchange = await action();
    return { exchange, interaction: await received.promise };
  }

  function storeTask(
    interaction: Interaction,
    { isPrivate = false, message }: { isPrivate?: boolean; message?: MessagePlace },
  ) {
    const { roleIds: _, ...origin } = originOf(interaction, isPrivate);
    const task = createTask(
      {
        kind: 'imagine',
        request: { prompt: 'a boat' },
        ...origin,
        message,
      },
      {
        id: createTaskId(clock.now()),
        traits: kindSpecs.imagine.traits,
        idempotencyKey: 'key',
        durationKey: 'imagine',
        now: clock.now(),
      },
    );
    tasks.put(task);
    return task;
  }

  /** Changes the stored task, as a poll does, and announces it to the delivery. */
  async function updateTask(id: string, change: Partial<TaskFacts>, target: Delivery = delivery): Promise<void> {
    target.show(await tasks.change(id, (task) => ({ ...task, ...change, times: { ...task.times, ...change.times } })));
  }

  const writes = () =>
    discord.requests.filter(
      ({ method, route, status }) => status > 0 && /messages/.test(route) && (method === 'PATCH' || method === 'POST'),
    );

  return {
    clock,
    discord,
    tasks,
    delivery,
    open: openDelivery,
    order,
    press,
    updateTask,
    rest,
    /** Requests time out soon while faults are left. Others may take long on a busy machine. */
    timeOutSoon: () =>
      Object.defineProperty(rest.options, 'timeout', { get: () => (discord.faults.isEmpty ? 15_000 : 200) }),
    /** The number of timers that the delivery has set. */
    timerCount: () => countingClock.pendingCount,
    /** Advances the clock as soon as the delivery waits for it. */
    async advanceOnceWaiting(ms: number) {
      await waitUntil(() => countingClock.pendingCount > 0);
      clock.advance(ms);
    },
    logText: () => lines.join(''),
    preparedCount: () => preparedTotal,
    /** Requests that create or change a message, in order. */
    writes,
    /** The contents of those requests. */
    writtenContents: () => writes().map(({ body }) => (body as { content?: string }).content),
    /** The text of a channel's messages, one per line. */
    read: (channel = 'studio') => discord.messages(channel).map(text),
    /** The direct messages from the bot to a user. */
    directMessages: (user: string) =>
      discord.messages(discord.world.directMessage(discord.world.user(user).id)?.id ?? '').map(text),
    /** Removes permissions of the bot in a channel. */
    deny: (bits: bigint, channel = 'studio') =>
      discord.world
        .channel(channel)
        .overwrites.push({ id: discord.applicationId, kind: 'member', allow: 0n, deny: bits }),
    requestsTo: (method: string, route: RegExp) =>
      discord.requests.filter((entry) => entry.method === method && route.test(entry.path)),
  };
}

/** Opens a fixture with one request. */
export async function fixtureWithOrder({ order = {}, ...options }: FixtureOptions & { order?: Order } = {}) {
  const base = await createFixture(options);
  return { ...base, ...(await base.order(order)) };
}

export function planOf({ id, state, progress, delivery, requesterId }: Task): MessagePlan {
  if (delivery.call) return { content: `<@${requesterId}>: ${state}`, notifies: [requesterId] };
  return {
    content: `${state} ${progress ?? ''}`.trim(),
    controls: [{ type: 'button', id: customId('act', 1, id), label: 'U1' }],
  };
}

export const image = { name: 'boat.png', bytes: Buffer.from('a boat'), alt: 'a boat' };

/** Like `planOf`, with a file once the task has a result. */
export const planWithFile = (task: Task): MessagePlan =>
  hasEnded(task) && !task.delivery.call ? { ...planOf(task), files: [image] } : planOf(task);

export const isDeferred = ({ flags }: { flags?: number | undefined }): boolean =>
  ((flags ?? 0) & MessageFlags.Loading) !== 0;
