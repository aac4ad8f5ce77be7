import { onTestFinished } from 'vitest';
import { kindSpecs } from '../../../../src/commands/index.ts';
import { GatewayError } from '../../../../src/services/gateway/errors.ts';
import type { LedgerEntry } from '../../../../src/services/money/entry.ts';
import type { Ledger } from '../../../../src/services/money/ledger.ts';
import type { OperatorPrices } from '../../../../src/services/money/price.ts';
import { Tasks } from '../../../../src/services/orders/tasks.ts';
import { openStore } from '../../../../src/services/store/open-store.ts';
import { advance } from '../../../../src/services/tasks/advance.ts';
import { defineKind } from '../../../../src/services/tasks/kind.ts';
import type { Task } from '../../../../src/services/tasks/task.ts';
import { acceptedSubmit, buildSnapshot, order } from '../../orders/builders.ts';
import { ordersSources } from '../../orders/sources.ts';
import { createStoreFixture, type StoreFixture } from '../../store/store-fixture.ts';

/** The outcome of a submit. */
export type SubmitOutcome = 'accepted' | 'refused' | 'unknown';
export type End = 'succeeded' | 'failed' | 'cancelled' | 'expired';

/** One run of the task engine with its ledger and a real store. The test decides how the gateway responds. */
export interface BotRun {
  tasks: Tasks;
  ledger: Ledger;
  store: Awaited<ReturnType<typeof openStore>>;
  /** Ids of the submitted tasks. */
  submittedIds: string[];
  order(outcome?: SubmitOutcome, overrides?: Partial<typeof order>): Promise<Task>;
  end(id: string, end: End): Promise<Task>;
  entries(): Promise<LedgerEntry[]>;
  stop(): Promise<void>;
  /** Behaves as if the process had been killed at this point. */
  die(): Promise<void>;
}

export interface RunOptions {
  prices?: OperatorPrices;
  /** The bot is killed as soon as this many writes have reached the store. */
  crashesAfterWrites?: number | undefined;
}

let orders = 0;

export async function startBot(
  setup: StoreFixture = createStoreFixture(),
  { prices = {}, crashesAfterWrites }: RunOptions = {},
): Promise<BotRun> {
  const { clock, log, file } = setup;
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
  let writesLeft = crashesAfterWrites ?? Number.POSITIVE_INFINITY;
  const countWrite = async <T>(write: Promise<T>): Promise<T> => {
    const result = await write;
    writesLeft -= 1;
    if (writesLeft === 0) await store.close();
    return result;
  };
  const entries = new Proxy(store.entries, {
    get(target, name) {
      if (name === 'change') return (...args: Parameters<typeof target.change>) => countWrite(target.change(...args));
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const crashingStore = new Proxy(store, {
    get(target, name) {
      if (name === 'entries') return entries;
      if (name === 'put') return (task: Task) => countWrite(target.put(task));
      if (name === 'remove') return (task: Task) => countWrite(target.remove(task));
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const submittedIds: string[] = [];
  let currentOutcome: SubmitOutcome = 'accepted';
  const sources = ordersSources({ clock, log }, crashingStore, {
    prices,
    kinds: [
      defineKind({
        name: 'imagine',
        source: { name: 'imgx', endpoint: { get: async () => buildSnapshot() } },
        waitLimit: () => 'image',
        durationKey: () => 'imagine',
        submit: async () => {
          const all = await store.live();
          submittedIds.push(
            ...all.filter(({ state, id }) => state === 'submitting' && !submittedIds.includes(id)).map(({ id }) => id),
          );
          if (currentOutcome === 'accepted') return acceptedSubmit;
          throw new GatewayError('no', { kind: 'unavailable', mayHaveTakenEffect: currentOutcome === 'unknown' });
        },
      }),
    ],
  });
  const { ledger } = sources.money;
  const tasks = new Tasks({ clock, log }, sources);
  await tasks.open();
  await tasks.start();
  onTestFinished(die);
  return {
    tasks,
    ledger,
    store,
    submittedIds,
    order(outcome = 'accepted', overrides = {}) {
      currentOutcome = outcome;
      orders += 1;
      return tasks.orders.submit({
        ...order,
        ...overrides,
        request: { prompt: `order ${orders}`, ...overrides.request },
      });
    },
    end: (id, end) => tasks.book.change(id, (task) => advance(task, responseFor(end), clock.now())),
    entries: () => Array.fromAsync(store.entries.readRange('', '9999-12-31')),
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
    ? buildSnapshot({ state: 'succeeded' })
    : buildSnapshot({ state: 'failed', failure: { cause: end, reason: undefined, code: undefined } });
