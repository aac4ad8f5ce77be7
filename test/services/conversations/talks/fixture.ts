import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type EmbeddedGateway, type GatewayOptions, startGateway } from '../../../../sandbox/gateway/gateway.ts';
import { kindSpecs } from '../../../../src/commands/index.ts';
import { createLogger } from '../../../../src/lib/log.ts';
import { Talks } from '../../../../src/services/conversations/talks.ts';
import { createGateway } from '../../../../src/services/gateway/gateway.ts';
import { defaultSettings } from '../../../../src/services/gateway/settings.ts';
import type { AudioService } from '../../../../src/services/media/audio.ts';
import { memoryContent } from '../../../../src/services/media/content.ts';
import type { LedgerEntry } from '../../../../src/services/money/entry.ts';
import { TaskBook } from '../../../../src/services/orders/book.ts';
import { Tasks } from '../../../../src/services/orders/tasks.ts';
import { openStore } from '../../../../src/services/store/open-store.ts';
import type { StoredTasks } from '../../../../src/services/store/stored-tasks.ts';
import { markDelivered } from '../../../../src/services/tasks/delivery-state.ts';
import { hasEnded, isLive, type Task } from '../../../../src/services/tasks/task.ts';
import { FastClock } from '../../../support/quick-clock.ts';
import { silentDiscord } from '../../../support/silent-discord.ts';
import { openRealAudio } from '../../../support/sounds.ts';
import { minute, order } from '../../orders/builders.ts';
import { ordersSources } from '../../orders/sources.ts';
import { createTemporaryFolder } from '../../store/store-fixture.ts';

export const owner = order.requesterId;
export const guest = '100000000000000002';
const model = 'parley-realtime';
const transcriber = 'parley-transcribe-1';
/** A gateway at this speed speaks slowly enough for an answer to be interrupted. */
export const SLOW_SPEED = 0.1;
/** The audio of a member: three tones. */
export const memberAudio = { address: 'https://files.example/tones.ogg', name: 'tones.ogg' };

export interface TalkFixture {
  tasks: Tasks;
  talks: Talks;
  store: StoredTasks;
  gateway: EmbeddedGateway;
  sounds: AudioService;
  clock: FastClock;
  file: string;
  /** Every task change that was announced, oldest first. */
  changes: Task[];
  logged(): string;
  /** Whether the store has reached its limit of writes. */
  isDead(): boolean;
  /** Starts a conversation and waits until it is running. */
  begin(request?: object): Promise<Task>;
  /** Resolves when the model has begun to respond. */
  say(talk: Task, words: object | string, memberId?: string): Promise<Task>;
  /** Resolves with the task once the condition holds. */
  waitFor(task: Pick<Task, 'id'>, condition: (task: Task) => boolean): Promise<Task>;
  waitForEnd(task: Pick<Task, 'id'>): Promise<Task>;
  entries(): Promise<LedgerEntry[]>;
  /** Stops everything as the bot does. */
  stop(): Promise<void>;
  /** Stops everything as if the process had died: no pending work is stored. */
  kill(): Promise<void>;
}

interface FixtureOptions extends GatewayOptions {
  /** Whether ended tasks are settled as soon as they are announced, as if Discord had shown them. */
  isShown?: boolean;
  /** The number of writes after which nothing reaches the store. */
  diesAfter?: number;
  sounds?: Pick<AudioService, 'startVoice'>;
  removed?: string[];
}

/** Starts the whole engine without Discord: the real store, the real client, the embedded gateway, and a faster clock. */
export async function startFixture(options: FixtureOptions = {}, previous?: TalkFixture): Promise<TalkFixture> {
  const { isShown = false, diesAfter, sounds: otherSounds, removed = [], ...gatewayOptions } = options;
  const clock = previous?.clock ?? new FastClock(10);
  const gateway = previous?.gateway ?? (await startGateway({ clock, seed: 1, speed: 10, ...gatewayOptions }));
  if (!previous) onTestFinished(() => gateway.close());
  const file = previous?.file ?? join(createTemporaryFolder(), 'atelier.sqlite');
  const lines: string[] = [];
  const log = createLogger({ level: 'debug', secrets: [], isPretty: false, write: (line) => lines.push(line) });
  const store = await openStore(
    { url: `sqlite://${file}`, scheme: 'sqlite' },
    { specs: kindSpecs, log, clock, busyTimeoutMs: 10 },
  );
  // On the fast clock the default limit would be 1.5 seconds, and a busy machine may suspend a process for
  // that long.
  const client = createGateway(
    { ...defaultSettings, baseUrl: gateway.url, apiKey: 'sk-sandbox' },
    { log, clock },
    { readMs: 60_000 },
  );
  const sounds = previous?.sounds ?? openRealAudio();
  if (!previous) onTestFinished(() => sounds.close());
  let isDead = false;
  const die = async (): Promise<void> => {
    isDead = true;
    await store.close();
  };
  const limitedStore = diesAfter === undefined ? store : closeAfterWrites(store, diesAfter, die);
  const book = new TaskBook(limitedStore, log);
  const sources = ordersSources({ clock, log }, limitedStore, {
    book,
    gather: async ({ sound }) =>
      sound ? { sound: await sounds.decode(memoryContent(await readTones()), { maxSeconds: 300 }) } : {},
    discord: {
      ...silentDiscord,
      removeMessages: async ({ id }) => {
        removed.push(id);
        return { removed: 0, left: [], needsRetry: false };
      },
    },
  });
  Object.assign(sources.models, { listQuickly: async () => [{ id: transcriber }] });
  const talks = new Talks({
    ...sources,
    settings: { models: {}, maxWaitMs: { text: 60_000 } },
    answers: store,
    change: (id, transition) => book.change(id, transition, { mustHold: true }),
    gateway: client,
    audio: { ...sounds, ...otherSounds },
    clock,
    log,
  });
  const tasks = new Tasks({ clock, log }, { ...sources, kinds: talks.kinds });
  const changes: Task[] = [];
  const pendingDeliveries: Promise<unknown>[] = [];
  tasks.book.onChange((task) => {
    changes.push(task);
    if (!isShown || !hasEnded(task) || !isLive(task) || task.unwanted) return;
    const delivery = tasks.book
      .change(task.id, (current) => (isLive(current) ? markDelivered(current, undefined, clock.now()) : current))
      .catch((error: unknown) => lines.push(String(error)));
    pendingDeliveries.push(delivery);
  });
  await tasks.open();
  await tasks.start();
  let isOpen = true;
  const close = async (...steps: (() => Promise<unknown>)[]): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await tasks.pause();
    for (const step of steps) await step();
  };
  const stop = () =>
    close(
      () => talks.finish(),
      () => Promise.all(pendingDeliveries),
      () => client.close(),
      () => tasks.stop(),
    );
  const kill = () =>
    close(
      () => store.close(),
      () => client.close(),
      () => talks.finish(),
    );
  onTestFinished(kill);

  async function waitFor({ id }: Pick<Task, 'id'>, condition: (task: Task) => boolean): Promise<Task> {
    const current = await tasks.book.get(id);
    if (current && condition(current)) return current;
    return new Promise((resolve) => {
      tasks.book.onChange((task) => {
        if (task.id === id && condition(task)) resolve(task);
      });
    });
  }

  return {
    tasks,
    talks,
    store,
    gateway,
    sounds,
    clock,
    file,
    changes,
    waitFor,
    stop,
    kill,
    logged: () => lines.join(''),
    isDead: () => isDead,
    async begin(request = {}) {
      const { token: _, ...route } = order.route;
      const talkRequest = { model, who: 'everyone' as const, ...request };
      const talk = await tasks.orders.submit({ ...order, route, kind: 'talk', request: talkRequest });
      return waitFor(talk, ({ state }) => state === 'running');
    },
    say(talk, words, memberId = owner) {
      // A short text is spoken quickly.
      const content = typeof words === 'string' ? { prompt: `${words}, in 5 words` } : words;
      const request = { talk: talk.id, model, ...content };
      const route = { ...order.route, tokenExpiresAt: clock.now() + 15 * minute };
      return tasks.orders.submit({ ...order, route, kind: 'said', requesterId: memberId, request, parent: talk });
    },
    waitForEnd: (task) => waitFor(task, hasEnded),
    entries: () => Array.fromAsync(store.entries.readRange('', '9999-12-31')),
  };
}

const readTones = (): Promise<Buffer> => readFile(new URL('../../media/sound/files/mono.ogg', import.meta.url));

function closeAfterWrites(store: StoredTasks, writes: number, die: () => Promise<void>): StoredTasks {
  let writesLeft = writes;
  const countWrite =
    <A extends unknown[], R>(write: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      writesLeft -= 1;
      const result = await write(...args);
      if (writesLeft === 0) await die();
      return result;
    };
  const entries = new Proxy(store.entries, {
    get: (target, name) => (name === 'change' ? countWrite(target.change.bind(target)) : readBound(target, name)),
  });
  return new Proxy(store, {
    get(target, name) {
      if (name === 'entries') return entries;
      if (name === 'put') return countWrite((task: Task) => target.put(task));
      return readBound(target, name);
    },
  });
}

function readBound(target: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name);
  return typeof value === 'function' ? value.bind(target) : value;
}
