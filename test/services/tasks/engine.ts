import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedGateway, type GatewayOptions, startGateway } from '../../../sandbox/gateway/gateway.ts';
import { kindSpecs, kindsOf } from '../../../src/commands/index.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { createGateway, defaultSettings } from '../../../src/services/gateway/index.ts';
import { Ledger } from '../../../src/services/ledger/ledger.ts';
import { InProcessScheduler } from '../../../src/services/polling/in-process.ts';
import { openStore } from '../../../src/services/store/index.ts';
import type { StoredTasks } from '../../../src/services/store/stored-tasks.ts';
import { TaskBook } from '../../../src/services/tasks/book.ts';
import { ModelCircuits } from '../../../src/services/tasks/circuits.ts';
import type { Kind } from '../../../src/services/tasks/kind.ts';
import { JobSlots } from '../../../src/services/tasks/line/job-slots.ts';
import type { Gather } from '../../../src/services/tasks/materials.ts';
import type { Offers } from '../../../src/services/tasks/offers.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import type { TaskStore } from '../../../src/services/tasks/task-store.ts';
import { Tasks } from '../../../src/services/tasks/tasks.ts';
import { addCleanup } from '../../support/ending.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { cachingStudio } from '../../support/studio.ts';

export interface Engine {
  tasks: Tasks;
  circuits: ModelCircuits;
  store: StoredTasks;
  gateway: EmbeddedGateway;
  clock: ManualClock;
  /** The store's database file. */
  file: string;
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

interface EngineParts {
  gather?: Gather;
  /** Wraps or replaces the store that the engine uses. */
  storeFor?: (store: StoredTasks) => TaskStore;
  /** Kinds that replace the bot's own kinds of the same name. */
  kindsFor?: (client: ReturnType<typeof createGateway>) => Kind[];
  offers?: Offers;
  /** Whether the engine keeps a ledger. */
  hasLedger?: boolean;
  jobsAtOnce?: number;
  /** The maximum number of polls per second. */
  perSecond?: number;
  notifyNoCredit?: (kind: string) => Promise<void>;
}

/** Starts the whole engine without Discord: the real store, the real client, the embedded gateway, and a manual clock. */
export async function startEngine(
  options: GatewayOptions = {},
  previous?: Engine,
  {
    gather = async () => ({}),
    storeFor = (own) => own,
    kindsFor = () => [],
    offers,
    hasLedger = false,
    jobsAtOnce,
    perSecond,
    notifyNoCredit = async () => undefined,
  }: EngineParts = {},
): Promise<Engine> {
  const clock = previous?.clock ?? new ManualClock();
  const studio = cachingStudio();
  addCleanup(() => studio.close());
  const gateway = previous?.gateway ?? (await startGateway({ clock, seed: 1, studio, ...options }));
  const folder = previous ? undefined : await mkdtemp(join(tmpdir(), 'atelier-'));
  const file = previous?.file ?? join(folder ?? '', 'atelier.sqlite');
  if (folder !== undefined) addCleanup(() => rm(folder, { recursive: true, force: true }));
  if (!previous) addCleanup(() => gateway.close());
  const lines: string[] = [];
  const log = createLogger({ level: 'debug', secrets: [], isPretty: false, write: (line) => lines.push(line) });
  const store = await openStore(
    { url: `sqlite://${file}`, scheme: 'sqlite' },
    { specs: kindSpecs, log, clock, busyTimeoutMs: 10 },
  );
  const client = createGateway(
    { ...defaultSettings, baseUrl: gateway.url, apiKey: 'sk-sandbox' },
    { log, clock },
    { readMs: 1_000, submitMs: 1_000, bodyMs: 1_000 },
  );
  const scheduler = new InProcessScheduler({
    ...{ clock, log, random: () => 0.5 },
    limits: perSecond === undefined ? {} : { perSecond },
  });
  const maxWaitMs = { image: 300_000, video: 900_000, music: 300_000, text: 120_000 };
  const ledger = hasLedger ? new Ledger({ entries: store.entries, clock, log }) : undefined;
  const engineStore = storeFor(store);
  const book = new TaskBook({ store: engineStore, log });
  const circuits = new ModelCircuits({ book, clock });
  const tasks = new Tasks({
    ...{ book, circuits },
    specs: kindSpecs,
    store: engineStore,
    ledger,
    kinds: [
      ...kindsOf(client, { imgxLists: false, imagineReferences: 'address', videosBody: 'json' }),
      ...kindsFor(client),
    ],
    scheduler,
    clock,
    log,
    maxWaitMs,
    gather,
    offers,
    slots: new JobSlots(jobsAtOnce),
    notifyNoCredit,
    removeMessages: async () => ({ removed: 0, left: [], needsRetry: false }),
    notifyErased: async () => true,
    random: () => 0.5,
  });
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
    store,
    gateway,
    clock,
    file,
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
