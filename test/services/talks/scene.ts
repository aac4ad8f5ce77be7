import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type EmbeddedGateway, type GatewayOptions, startGateway } from '../../../sandbox/gateway/gateway.ts';
import { kindSpecs } from '../../../src/commands/index.ts';
import { openLog } from '../../../src/lib/log.ts';
import { defaultSettings, openGateway } from '../../../src/services/gateway/index.ts';
import type { Entry } from '../../../src/services/ledger/entry.ts';
import { Ledger } from '../../../src/services/ledger/ledger.ts';
import { memoryContent } from '../../../src/services/media/content.ts';
import { InProcessScheduler } from '../../../src/services/polling/in-process.ts';
import type { AudioService } from '../../../src/services/sound/audio.ts';
import { openStore } from '../../../src/services/store/index.ts';
import type { StoredTasks } from '../../../src/services/store/stored-tasks.ts';
import { Talks } from '../../../src/services/talks/talks.ts';
import { TaskBook } from '../../../src/services/tasks/book.ts';
import { markDelivered } from '../../../src/services/tasks/delivery-state.ts';
import { hasEnded, isLive, type Task } from '../../../src/services/tasks/task.ts';
import { Tasks } from '../../../src/services/tasks/tasks.ts';
import { QuickClock } from '../../support/quick-clock.ts';
import { realSounds } from '../../support/sounds.ts';
import { folder } from '../store/stage.ts';
import { order } from '../tasks/made.ts';

export const owner = order.requesterId;
export const guest = '100000000000000002';
const model = 'parley-realtime';
const transcriber = 'parley-transcribe-1';
/** Answers and their encoding take long on a busy machine. */
export const pollOptions = { timeout: 20_000 };
/** A gateway at this speed speaks slowly enough for an answer to be interrupted. */
export const SLOWLY = 0.1;
/** The audio of a member: three tones. */
export const spoken = { address: 'https://files.example/tones.ogg', name: 'tones.ogg' };

export interface Scene {
  tasks: Tasks;
  talks: Talks;
  store: StoredTasks;
  gateway: EmbeddedGateway;
  sounds: AudioService;
  clock: QuickClock;
  file: string;
  /** Every task change that was announced, oldest first. */
  changes: Task[];
  logged(): string;
  /** Whether the store has made as many writes as it was allowed. */
  isDead(): boolean;
  /** Starts a conversation and waits until it is running. */
  begin(request?: object): Promise<Task>;
  /** Resolves when the model has begun to respond. */
  say(talk: Task, words: object | string, by?: string): Promise<Task>;
  /** The same task once the condition holds. */
  waitFor(task: Pick<Task, 'id'>, look: (task: Task) => boolean): Promise<Task>;
  ended(task: Pick<Task, 'id'>): Promise<Task>;
  entries(): Promise<Entry[]>;
  /** Stops everything as the bot does. */
  stop(): Promise<void>;
  /** Stops everything as if the process had died: no pending work is stored. */
  kill(): Promise<void>;
}

interface SceneOptions extends GatewayOptions {
  /** Whether endings are settled as soon as they are announced, as if Discord had shown them. */
  isShown?: boolean;
  /** The number of writes after which nothing reaches the store. */
  diesAfter?: number;
  sounds?: Pick<AudioService, 'writing'>;
  removed?: string[];
}

/** Starts the whole engine without Discord: the real store, the real client, the embedded gateway, and a faster clock. */
export async function scene(options: SceneOptions = {}, before?: Scene): Promise<Scene> {
  const { isShown = false, diesAfter, sounds: others, removed = [], ...more } = options;
  const clock = before?.clock ?? new QuickClock(10);
  const gateway = before?.gateway ?? (await startGateway({ clock, seed: 1, speed: 10, ...more }));
  if (!before) onTestFinished(() => gateway.close());
  const file = before?.file ?? join(folder(), 'atelier.sqlite');
  const lines: string[] = [];
  const log = openLog({ level: 'debug', secrets: [], readable: false, write: (line) => lines.push(line) });
  const store = await openStore(
    { url: `sqlite://${file}`, scheme: 'sqlite' },
    { specs: kindSpecs, log, clock, busyTimeoutMs: 10 },
  );
  // On the quick clock the default limit would be 1.5 seconds, and a busy machine may suspend a process for
  // that long.
  const client = openGateway(
    { ...defaultSettings, baseUrl: gateway.url, apiKey: 'sk-sandbox' },
    { log, clock },
    { readMs: 60_000 },
  );
  const sounds = before?.sounds ?? realSounds();
  if (!before) onTestFinished(() => sounds.close());
  let isDead = false;
  const die = async (): Promise<void> => {
    isDead = true;
    await store.close();
  };
  const kept = diesAfter === undefined ? store : closeAfterWrites(store, diesAfter, die);
  const book = new TaskBook({ store: kept, log });
  const talks = new Talks({
    costOfAnswer: () => undefined,
    book,
    ...{ realtime: client.realtime, sounds: others ?? sounds, clock, log },
    transcriber: async () => transcriber,
  });
  const tasks = new Tasks({
    book,
    specs: kindSpecs,
    store: kept,
    ledger: new Ledger({ entries: kept.entries, clock, log }),
    kinds: talks.kinds,
    scheduler: new InProcessScheduler({ clock, log, random: () => 0.5 }),
    ...{ clock, log, random: () => 0.5 },
    maxWaitMs: { image: 300_000, video: 900_000, music: 300_000, text: 120_000 },
    gather: async ({ sound }) =>
      sound ? { sound: await sounds.decoded(memoryContent(await tones()), { maxSeconds: 300 }) } : {},
    removeMessages: async ({ id }) => {
      removed.push(id);
      return { removed: 0, left: [], needsRetry: false };
    },
    notifyErased: async () => true,
  });
  const changes: Task[] = [];
  const showing: Promise<unknown>[] = [];
  tasks.book.onChange((task) => {
    changes.push(task);
    if (!isShown || !hasEnded(task) || !isLive(task) || task.unwanted) return;
    const shown = tasks.book
      .change(task.id, (known) => (isLive(known) ? markDelivered(known, undefined, clock.now()) : known))
      .catch((error: unknown) => lines.push(String(error)));
    showing.push(shown);
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
      () => Promise.all(showing),
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

  async function waitFor({ id }: Pick<Task, 'id'>, look: (task: Task) => boolean): Promise<Task> {
    const known = await tasks.book.get(id);
    if (known && look(known)) return known;
    return new Promise((resolve) => {
      tasks.book.onChange((task) => {
        if (task.id === id && look(task)) resolve(task);
      });
    });
  }

  return {
    ...{ tasks, talks, store, gateway, sounds, clock, file, changes, waitFor, stop, kill },
    logged: () => lines.join(''),
    isDead: () => isDead,
    async begin(request = {}) {
      const { token: _, ...route } = order.route;
      const asked = { model, who: 'everyone' as const, ...request };
      const talk = await tasks.orders.submit({ ...order, route, kind: 'talk', request: asked });
      return waitFor(talk, ({ state }) => state === 'running');
    },
    say(talk, words, by = owner) {
      // A short text is spoken quickly.
      const content = typeof words === 'string' ? { prompt: `${words}, in 5 words` } : words;
      const request = { talk: talk.id, model, ...content };
      return tasks.orders.submit({ ...order, kind: 'said', requesterId: by, request, parent: talk });
    },
    ended: (task) => waitFor(task, hasEnded),
    entries: () => Array.fromAsync(store.entries.between('', '9999-12-31')),
  };
}

const tones = (): Promise<Buffer> => readFile(new URL('../sound/files/mono.ogg', import.meta.url));

function closeAfterWrites(store: StoredTasks, writes: number, die: () => Promise<void>): StoredTasks {
  let left = writes;
  const written =
    <A extends unknown[], R>(write: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      left -= 1;
      const result = await write(...given);
      if (left === 0) await die();
      return result;
    };
  const entries = new Proxy(store.entries, {
    get: (target, name) => (name === 'change' ? written(target.change.bind(target)) : bound(target, name)),
  });
  return new Proxy(store, {
    get(target, name) {
      if (name === 'entries') return entries;
      if (name === 'put') return written((task: Task) => target.put(task));
      return bound(target, name);
    },
  });
}

function bound(target: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name);
  return typeof value === 'function' ? value.bind(target) : value;
}
