import type { Dispatcher } from 'undici';
import { kindSpecs, kindsOf } from '../../../src/commands/index.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { createGateway, type Gateway } from '../../../src/services/gateway/gateway.ts';
import { defaultSettings } from '../../../src/services/gateway/settings.ts';
import type { Limits } from '../../../src/services/money/limits.ts';
import type { Money } from '../../../src/services/money/open-money.ts';
import type { PriceBook } from '../../../src/services/money/price-book.ts';
import { TaskBook } from '../../../src/services/orders/book.ts';
import type { ModelCircuits } from '../../../src/services/orders/circuits.ts';
import type { OrdersSources } from '../../../src/services/orders/orders-context.ts';
import { Tasks } from '../../../src/services/orders/tasks.ts';
import { openStore } from '../../../src/services/store/open-store.ts';
import type { StoredTasks } from '../../../src/services/store/stored-tasks.ts';
import type { Kind } from '../../../src/services/tasks/kind.ts';
import type { Gather } from '../../../src/services/tasks/materials.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { addCleanup } from '../../support/ending.ts';
import type { ManualClock } from '../../support/manual-clock.ts';
import { ordersSources } from './sources.ts';

export interface Domain {
  tasks: Tasks;
  circuits: ModelCircuits;
  money: Money;
  store: StoredTasks;
  clock: ManualClock;
  /** Every task change that was announced, oldest first. */
  changes: Task[];
  logged(): string;
  /** Advances time in tenths of a second until `read` returns a value. */
  until<Found>(read: () => Found | undefined): Promise<Found>;
  /** Stops as the bot does: pending submits fail, and their outcome is stored. */
  stop(): Promise<void>;
  /** Stops as if the process had died: no pending work is stored. */
  kill(): Promise<void>;
}

export interface DomainOptions {
  gather?: Gather;
  /** Wraps or replaces the store that the tasks use. */
  storeFor?: (store: StoredTasks) => OrdersSources['store'];
  /** Kinds that replace the bot's own kinds of the same name. */
  kindsFor?: (client: Gateway) => Kind[];
  /** The limits of each member on a server. */
  memberLimits?: Limits;
  /** Replaces the price book's estimates. */
  estimateOf?: PriceBook['estimateOf'];
  jobsAtOnce?: number;
  /** The maximum number of polls per second. */
  perSecond?: number;
}

interface Doors {
  clock: ManualClock;
  /** The store's database file; `:memory:` is none. */
  file: string;
  gatewayUrl: string;
  /** Carries the requests to the gateway; undefined: real connections. */
  connections?: { dispatcher: Dispatcher; close(): Promise<void> };
}

/** Opens everything between a store and a gateway, without Discord. Time passes only through `clock`. */
export async function openDomain(
  { clock, file, gatewayUrl, connections }: Doors,
  {
    gather = async () => ({}),
    storeFor = (own) => own,
    kindsFor = () => [],
    memberLimits,
    estimateOf,
    jobsAtOnce,
    perSecond = 50,
  }: DomainOptions = {},
): Promise<Domain> {
  const lines: string[] = [];
  const log = createLogger({ level: 'debug', secrets: [], isPretty: false, write: (line) => lines.push(line) });
  const store = await openStore(
    { url: `sqlite://${file}`, scheme: 'sqlite' },
    { specs: kindSpecs, log, clock, busyTimeoutMs: 10 },
  );
  const client = createGateway(
    { ...defaultSettings, baseUrl: gatewayUrl, apiKey: 'sk-sandbox' },
    { log, clock, connections },
    { readMs: 1_000, submitMs: 1_000, bodyMs: 1_000 },
  );
  const engineStore = storeFor(store);
  const sources = ordersSources({ clock, log }, store, {
    book: new TaskBook(engineStore, log),
    store: engineStore,
    kinds: [
      ...kindsOf(client, { imgxLists: false, imagineReferences: 'address', videosBody: 'json' }),
      ...kindsFor(client),
    ],
    gather,
    memberLimits,
    estimateOf,
    jobsAtOnce,
    perSecond,
  });
  const tasks = new Tasks({ clock, log }, sources);
  const { circuits } = tasks;
  const changes: Task[] = [];
  tasks.book.onChange((task) => changes.push(task));
  await tasks.open();
  await tasks.start();
  let isOpen = true;
  const shutDown = async (...steps: (() => Promise<void>)[]): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await tasks.pause();
    for (const step of steps) await step();
  };
  const stop = (): Promise<void> =>
    shutDown(
      () => client.close(),
      () => tasks.stop(),
    );
  const kill = (): Promise<void> =>
    shutDown(
      () => store.close(),
      () => client.close(),
    );
  addCleanup(kill);
  return {
    tasks,
    circuits,
    money: sources.money,
    store,
    clock,
    changes,
    logged: () => lines.join(''),
    until: untilOn(clock),
    stop,
    kill,
  };
}

const MAX_STEPS = 60_000;

function untilOn(clock: ManualClock) {
  return async <Found>(read: () => Found | undefined): Promise<Found> => {
    for (let step = 0; step < MAX_STEPS; step++) {
      const found = read();
      if (found !== undefined) return found;
      await new Promise(setImmediate);
      if (step % 4 === 0) clock.advance(100);
    }
    throw new Error('The expected state was never reached.');
  };
}
