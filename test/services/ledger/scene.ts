import { onTestFinished } from 'vitest';
import { kindSpecs } from '../../../src/commands/index.ts';
import { GatewayError } from '../../../src/services/gateway/index.ts';
import type { Entry } from '../../../src/services/ledger/entry.ts';
import { Ledger } from '../../../src/services/ledger/ledger.ts';
import { InProcessScheduler } from '../../../src/services/polling/in-process.ts';
import type { OperatorPrices } from '../../../src/services/prices/operator-prices.ts';
import { openStore } from '../../../src/services/store/index.ts';
import { advance } from '../../../src/services/tasks/advance.ts';
import { TaskBook } from '../../../src/services/tasks/book.ts';
import { defineKind } from '../../../src/services/tasks/kind.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { Tasks } from '../../../src/services/tasks/tasks.ts';
import { operatorPriceBook } from '../../support/prices.ts';
import { type Stage, stage } from '../store/stage.ts';
import { madeSnapshot, order, taken } from '../tasks/made.ts';

/** The outcome of a submit. */
export type Answer = 'taken' | 'refused' | 'unknown';
export type End = 'succeeded' | 'failed' | 'cancelled' | 'expired';

/** The engine with its ledger and a real store, in one run of the bot. The test decides the gateway's responses. */
export interface Run {
  tasks: Tasks;
  ledger: Ledger;
  store: Awaited<ReturnType<typeof openStore>>;
  /** Ids of the submitted tasks. */
  heard: string[];
  order(answer?: Answer, over?: Partial<typeof order>): Promise<Task>;
  end(id: string, end: End): Promise<Task>;
  entries(): Promise<Entry[]>;
  stop(): Promise<void>;
  /** As if the process had ended at this point. */
  die(): Promise<void>;
}

export interface RunOptions {
  prices?: OperatorPrices;
  /** The bot is killed as soon as this many writes have reached the store. */
  diesAfter?: number | undefined;
}

let orders = 0;

export async function run(on: Stage = stage(), { prices = {}, diesAfter }: RunOptions = {}): Promise<Run> {
  const { clock, log, file } = on;
  const store = await openStore(
    { url: `sqlite://${file}`, scheme: 'sqlite' },
    { specs: kindSpecs, log, clock, busyTimeoutMs: 10 },
  );
  let isOpen = true;
  const die = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await tasks.pause();
    await store.close();
  };
  let left = diesAfter ?? Number.POSITIVE_INFINITY;
  const written = async <T>(writing: Promise<T>): Promise<T> => {
    const result = await writing;
    left -= 1;
    if (left === 0) await store.close();
    return result;
  };
  const crashingStore = new Proxy(store, {
    get(target, name) {
      if (name === 'put') return (task: Task) => written(target.put(task));
      if (name === 'remove') return (task: Task) => written(target.remove(task));
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const entries = new Proxy(store.entries, {
    get(target, name) {
      if (name === 'change') return (...args: Parameters<typeof target.change>) => written(target.change(...args));
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const heard: string[] = [];
  let answer: Answer = 'taken';
  const ledger = new Ledger({ entries, clock, log });
  const priceBook = operatorPriceBook(prices);
  const tasks = new Tasks({
    book: new TaskBook({ store: crashingStore, log }),
    specs: kindSpecs,
    store: crashingStore,
    ledger,
    estimateOf: (order) => priceBook.estimateOf(order),
    gather: async () => ({}),
    removeMessages: async () => ({ removed: 0, left: [], needsRetry: false }),
    notifyErased: async () => true,
    kinds: [
      defineKind({
        name: 'imagine',
        source: { name: 'imgx', pollOne: async () => madeSnapshot() },
        waitLimit: () => 'image',
        durationKey: () => 'imagine',
        submit: async () => {
          const all = await store.live();
          heard.push(
            ...all.filter(({ state, id }) => state === 'submitting' && !heard.includes(id)).map(({ id }) => id),
          );
          if (answer === 'taken') return taken;
          throw new GatewayError('no', { kind: 'unavailable', mayHaveTakenEffect: answer === 'unknown' });
        },
      }),
    ],
    scheduler: new InProcessScheduler({ clock, log, random: () => 0.5 }),
    clock,
    log,
    maxWaitMs: { image: 300_000, video: 900_000, music: 300_000, text: 120_000 },
    random: () => 0.5,
  });
  await tasks.open();
  await tasks.start();
  onTestFinished(die);
  return {
    tasks,
    ledger,
    store,
    heard,
    order(next = 'taken', over = {}) {
      answer = next;
      orders += 1;
      return tasks.orders.submit({ ...order, ...over, request: { prompt: `order ${orders}`, ...over.request } });
    },
    end: (id, end) => tasks.book.change(id, (task) => advance(task, responseFor(end), clock.now())),
    entries: () => Array.fromAsync(store.entries.between('', '9999-12-31')),
    async stop() {
      if (!isOpen) return;
      isOpen = false;
      await tasks.pause();
      await tasks.stop();
    },
    die,
  };
}

const responseFor = (end: End) =>
  end === 'succeeded'
    ? madeSnapshot({ state: 'succeeded' })
    : madeSnapshot({ state: 'failed', failure: { cause: end, reason: undefined, code: undefined } });
