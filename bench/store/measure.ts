import { kindSpecs } from '../../src/commands/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log.ts';
import type { TaskStore } from '../../src/services/orders/task-store.ts';
import { openNamespaces } from '../../src/services/store/namespaces.ts';
import { openBackend, openStore } from '../../src/services/store/open-store.ts';
import { toRecord } from '../../src/services/store/rows/task-rows.ts';
import type { Task } from '../../src/services/tasks/task.ts';
import { median, table } from '../table.ts';
import { runningTask, summaryEntries } from '../tasks/filled-store.ts';
import { availableStores, type BenchStore } from './places.ts';

const TASKS = 10_000;
const MEMBER = 'ann';
const AGE_MS = 60_000;
const ROUNDS = 5;
const PUTS = 200;
const GETS = 2_000;
const PAGES = 50;
const ROWS_AT_ONCE = 500;
/** This many tasks change at once in a busy bot. */
const CONCURRENCY = 32;

const parts = {
  specs: kindSpecs,
  log: createLogger({ level: 'silent', secrets: [], isPretty: false, write: () => undefined }),
  clock: systemClock,
};

/** The rates and durations that were measured for one store. */
interface Figures {
  name: string;
  putsPerSecond: number;
  getsPerSecond: number;
  startMs: number;
  pageMs: number;
}

export async function measureStore(): Promise<void> {
  const results: Figures[] = [];
  for (const open of availableStores()) results.push(await measure(await open()));
  report(results);
}

async function measure(benchStore: BenchStore): Promise<Figures> {
  try {
    const tasks = await fillStore(benchStore);
    const starts: number[] = [];
    let store = await openStore(benchStore.address, parts);
    // A store in memory loses everything when it is closed.
    const isPersistent = benchStore.address.url !== 'sqlite://:memory:';
    if (!isPersistent) for (const task of tasks) await store.put(task);
    for (let round = 0; round < ROUNDS; round++) {
      if (isPersistent) {
        await store.close();
        store = await openStore(benchStore.address, parts);
      }
      starts.push(await durationOf(async () => void (await store.live())));
    }
    const puts: number[] = [];
    const gets: number[] = [];
    const pages: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      puts.push(await durationOf(() => changeMany(store, tasks, round)));
      gets.push(await durationOf(() => repeat(GETS, (i) => store.get(tasks[(i * 7) % TASKS]?.id ?? ''))));
      pages.push(await durationOf(() => repeat(PAGES, () => store.page({ of: { memberId: MEMBER }, max: 10 }), 1)));
    }
    await store.close();
    return {
      name: benchStore.name,
      putsPerSecond: (PUTS * 1_000) / median(puts),
      getsPerSecond: (GETS * 1_000) / median(gets),
      startMs: median(starts),
      pageMs: median(pages) / PAGES,
    };
  } finally {
    await benchStore.close();
  }
}

/** Writes live tasks with their summaries, many rows at a time. */
async function fillStore({ address }: BenchStore): Promise<Task[]> {
  const tasks = Array.from({ length: TASKS }, (_, i) => ({
    ...runningTask(i, { ageMs: AGE_MS }),
    requesterId: MEMBER,
    guildId: undefined,
  }));
  if (address.url === 'sqlite://:memory:') return tasks;
  await (await openStore(address, parts)).close();
  const { backend, close } = await openBackend(address, parts);
  const namespaces = openNamespaces(backend);
  for (let i = 0; i < TASKS; i += ROWS_AT_ONCE) {
    const batch = tasks.slice(i, i + ROWS_AT_ONCE);
    const rows = batch.map((task) => ({ key: task.id, value: toRecord(task) }));
    await namespaces.live.putMany(rows);
    await namespaces.index.putMany(summaryEntries(batch));
  }
  await close();
  return tasks;
}

/** Changes existing tasks as a running job does. */
function changeMany(store: TaskStore, tasks: readonly Task[], round: number): Promise<void> {
  return repeat(PUTS, async (i) => {
    const task = tasks[(i * 31) % TASKS];
    if (task) await store.put({ ...task, progress: round * 10 });
  });
}

async function repeat(count: number, work: (i: number) => Promise<unknown>, concurrency = CONCURRENCY): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

async function durationOf(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function report(results: readonly Figures[]): void {
  const [first] = results;
  if (!first) return;
  const ratio = (value: number, base: number): string => (value / base).toFixed(2);
  const rounded = (value: number): string => Math.round(value).toLocaleString('en');
  const rows = results.map((one) => [
    one.name,
    ...[rounded(one.putsPerSecond), ratio(one.putsPerSecond, first.putsPerSecond)],
    ...[rounded(one.getsPerSecond), ratio(one.getsPerSecond, first.getsPerSecond)],
    ...[rounded(one.startMs), ratio(one.startMs, first.startMs)],
    ...[one.pageMs.toFixed(1), ratio(one.pageMs, first.pageMs)],
  ]);
  console.log(`
Storing a change of a task and reading a task, each ${CONCURRENCY} at once; all ${TASKS.toLocaleString('en')} live tasks read at startup; and a page of 10 tasks of a member
to whom all of them belong. Medians of ${ROUNDS} rounds; ratios to SQLite in the same run. Servers on loopback, everything flushed to disk before it is
acknowledged. Stores that are not running are omitted; to start them: npm run with-stores -- --durable npm run bench store
`);
  const heads = ['changes/s', 'ratio', 'reads/s', 'ratio', 'start, ms', 'ratio', 'page, ms', 'ratio'];
  console.log(table(['', ...heads], rows));
}
