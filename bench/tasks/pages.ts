import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Services } from '../../src/commands/feature.ts';
import { kindSpecs } from '../../src/commands/index.ts';
import { loadTaskList } from '../../src/commands/tasks/list.ts';
import type { HandlerContext } from '../../src/discord/handlers.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log.ts';
import { say } from '../../src/locales/index.ts';
import { openNamespaces } from '../../src/services/store/namespaces.ts';
import { openStore } from '../../src/services/store/open-store.ts';
import { SqliteBackend } from '../../src/services/store/rows/sqlite.ts';
import { toRecord } from '../../src/services/store/rows/task-rows.ts';
import type { StoredTasks } from '../../src/services/store/stored-tasks.ts';
import type { Task } from '../../src/services/tasks/task.ts';
import { createTaskId } from '../../src/services/tasks/task-id.ts';
import type { TaskFilter } from '../../src/services/tasks/task-summary.ts';
import { createTask } from '../../src/services/tasks/transitions.ts';
import { median, table } from '../table.ts';
import { summaryEntries } from './filled-store.ts';

const TASKS = 10_000;
const ROUNDS = 15;
const MEMBER = '100000000000000001';
const GUILD = '200000000000000001';
const HOUR_MS = 3_600_000;
const log = createLogger({ level: 'silent', secrets: [], isPretty: false, write: () => undefined });

/** Measures how long a page of `/tasks` takes for a member who has ten thousand tasks, with each filter. */
export async function measurePages(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-bench-'));
  const file = join(folder, 'pages.sqlite');
  try {
    const tasks = await fillStore(file);
    const store = await openStore(
      { url: `sqlite://${file}`, scheme: 'sqlite' },
      { specs: kindSpecs, log, clock: systemClock },
    );
    const rows: string[][] = [];
    for (const [name, filter] of Object.entries(filtersOf(tasks))) rows.push(await measurePage(name, filter, store));
    await store.close();
    console.log(`\nPages of /tasks over ${TASKS} tasks, in milliseconds, ${ROUNDS} rounds each:\n`);
    console.log(table(['page', 'first time', 'median', 'slowest'], rows));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function filtersOf(tasks: readonly Task[]): Record<string, TaskFilter> {
  const ownFilter = { whose: 'mine' } as const;
  return {
    first: ownFilter,
    last: { ...ownFilter, before: tasks[10]?.id },
    'by kind': { ...ownFilter, kind: 'video' },
    'by state': { ...ownFilter, status: 'failed' },
    waiting: { ...ownFilter, status: 'waiting' },
    'in the middle, by words': { ...ownFilter, words: 'fox 5000' },
    'by words without a match': { ...ownFilter, words: 'badger' },
    'of the server': { whose: 'server' },
    'of the server, without a match': { whose: 'server', words: 'badger', status: 'unknown' },
  };
}

async function measurePage(name: string, filter: TaskFilter, store: StoredTasks): Promise<string[]> {
  // The list uses none of the other services that are available to commands.
  const context = {
    services: { tasks: { lists: store } },
    say,
    facts: { userId: MEMBER, guildId: GUILD, permissions: 2n ** 53n - 1n },
  } as unknown as HandlerContext<Services>;
  const times: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const start = performance.now();
    await loadTaskList(filter, context);
    times.push(performance.now() - start);
  }
  const [first = Number.NaN, ...others] = times;
  return [name, first.toFixed(1), median(others).toFixed(1), Math.max(...others).toFixed(1)];
}

/** Writes many rows at a time, oldest first, because single writes, each flushed to disk, would take minutes. */
async function fillStore(file: string): Promise<Task[]> {
  await (
    await openStore({ url: `sqlite://${file}`, scheme: 'sqlite' }, { specs: kindSpecs, log, clock: systemClock })
  ).close();
  const connection = new SqliteBackend(file);
  const namespaces = openNamespaces(connection);
  const tasks = Array.from({ length: TASKS }, (_, number) => settledTask(number));
  for (let offset = 0; offset < TASKS; offset += 1_000) {
    const batch = tasks.slice(offset, offset + 1_000);
    await namespaces.finished.putMany(batch.map((task) => ({ key: task.id, value: toRecord(task) })));
    await namespaces.index.putMany(summaryEntries(batch));
  }
  connection.close();
  return tasks;
}

function settledTask(number: number): Task {
  const createdAt = Date.now() - (TASKS - number) * (HOUR_MS / 2);
  const prompt = `a fox ${number} in the snow, by lamplight, with a lantern and a very long shadow --ar 16:9`;
  const kind = number % 20 === 0 ? 'video' : 'imagine';
  const task = createTask(
    {
      kind,
      request: { prompt, model: 'reel-2' },
      requesterId: MEMBER,
      guildId: GUILD,
      route: {
        applicationId: '300000000000000001',
        tokenExpiresAt: createdAt,
        isPrivate: number % 7 === 0,
        install: 'guild',
        mayPost: true,
        uploadLimit: 10 * 2 ** 20,
        locale: 'en-US',
      },
    },
    {
      id: createTaskId(createdAt),
      traits: kindSpecs[kind].traits,
      idempotencyKey: String(number),
      durationKey: 'imagine',
      now: createdAt,
    },
  );
  const state = number % 50 === 0 ? 'failed' : number % 1_000 === 1 ? 'ready' : 'delivered';
  return { ...task, state, times: { created: createdAt, ended: createdAt + 60_000, settled: createdAt + 60_000 } };
}
