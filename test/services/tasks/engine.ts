import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedGateway, type GatewayOptions, startGateway } from '../../../sandbox/gateway/gateway.ts';
import { kindSpecs, kindsOf } from '../../../src/commands/index.ts';
import { openLog } from '../../../src/lib/log.ts';
import { defaultSettings, openGateway } from '../../../src/services/gateway/index.ts';
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
import { atEnd } from '../../support/ending.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { thriftyStudio } from '../../support/studio.ts';

export interface Engine {
  tasks: Tasks;
  circuits: ModelCircuits;
  store: StoredTasks;
  gateway: EmbeddedGateway;
  clock: ManualClock;
  /** The store's database file. */
  file: string;
  /** Every task change that was announced, oldest first. */
  news: Task[];
  logged(): string;
  /** Advances time in tenths of a second until `look` returns a value. */
  until<Found>(look: () => Found | undefined): Promise<Found>;
  /** Stops as the bot does: pending submits fail, and the consequence is stored. */
  stop(): Promise<void>;
  /** Stops as if the process had died: no pending work is stored. */
  kill(): Promise<void>;
}

interface EngineParts {
  gather?: Gather;
  /** Replaces the store for the engine. */
  storeFor?: (store: StoredTasks) => TaskStore;
  /** Kinds that replace the bot's own kinds of the same name. */
  kindsFor?: (client: ReturnType<typeof openGateway>) => Kind[];
  offers?: Offers;
  /** Whether the engine keeps a ledger. */
  hasLedger?: boolean;
  jobsAtOnce?: number;
  notifyNoCredit?: (kind: string) => Promise<void>;
}

/** Starts the whole engine without Discord: the real store, the real client, the embedded gateway, and a manual clock. */
export async function engine(
  options: GatewayOptions = {},
  before?: Engine,
  {
    gather = async () => ({}),
    storeFor = (own) => own,
    kindsFor = () => [],
    offers,
    hasLedger = false,
    jobsAtOnce,
    notifyNoCredit = async () => undefined,
  }: EngineParts = {},
): Promise<Engine> {
  const clock = before?.clock ?? new ManualClock();
  const studio = thriftyStudio();
  atEnd(() => studio.close());
  const gateway = before?.gateway ?? (await startGateway({ clock, seed: 1, studio, ...options }));
  const folder = before ? undefined : await mkdtemp(join(tmpdir(), 'atelier-'));
  const file = before?.file ?? join(folder ?? '', 'atelier.sqlite');
  if (folder !== undefined) atEnd(() => rm(folder, { recursive: true, force: true }));
  if (!before) atEnd(() => gateway.close());
  const lines: string[] = [];
  const log = openLog({ level: 'debug', secrets: [], readable: false, write: (line) => lines.push(line) });
  const store = await openStore(
    { url: `sqlite://${file}`, scheme: 'sqlite' },
    { specs: kindSpecs, log, clock, busyTimeoutMs: 10 },
  );
  const client = openGateway(
    { ...defaultSettings, baseUrl: gateway.url, apiKey: 'sk-sandbox' },
    { log, clock },
    { readMs: 1_000, submitMs: 1_000, bodyMs: 1_000 },
  );
  const scheduler = new InProcessScheduler({ clock, log, random: () => 0.5 });
  const maxWaitMs = { image: 300_000, video: 900_000, music: 300_000, text: 120_000 };
  const ledger = hasLedger ? new Ledger({ entries: store.entries, clock, log }) : undefined;
  const kept = storeFor(store);
  const book = new TaskBook({ store: kept, log });
  const circuits = new ModelCircuits({ book, clock });
  const tasks = new Tasks({
    ...{ book, circuits },
    specs: kindSpecs,
    store: kept,
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
  const news: Task[] = [];
  tasks.book.onChange((task) => news.push(task));
  await tasks.open();
  await tasks.start();
  let isOpen = true;
  const end = async (...steps: (() => Promise<void>)[]): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await tasks.pause();
    for (const step of steps) await step();
  };
  const stop = (): Promise<void> =>
    end(
      () => client.close(),
      () => tasks.stop(),
    );
  const kill = (): Promise<void> =>
    end(
      () => store.close(),
      () => client.close(),
    );
  atEnd(kill);
  return {
    tasks,
    circuits,
    store,
    gateway,
    clock,
    file,
    news,
    logged: () => lines.join(''),
    until: untilOn(clock),
    stop,
    kill,
  };
}

const MAX_STEPS = 60_000;

function untilOn(clock: ManualClock) {
  return async <Found>(look: () => Found | undefined): Promise<Found> => {
    for (let step = 0; step < MAX_STEPS; step++) {
      const found = look();
      if (found !== undefined) return found;
      await new Promise(setImmediate);
      if (step % 4 === 0) clock.advance(100);
    }
    throw new Error('The expected state was never reached.');
  };
}
