import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import { kindSpecs } from '../../../src/commands/index.ts';
import { createLogger, type Log } from '../../../src/lib/log.ts';
import type { TaskStore } from '../../../src/services/orders/task-store.ts';
import { openStore } from '../../../src/services/store/open-store.ts';
import { TASK_VERSION, type Task } from '../../../src/services/tasks/task.ts';
import { createTaskId } from '../../../src/services/tasks/task-id.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { type Parts, taskFrom } from '../../support/tasks.ts';

export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;

/** The time at which the clock starts in every test. */
export const START = Date.UTC(2026, 0, 1);

interface TaskOverrides extends Omit<Parts, 'route' | 'times'> {
  route?: Partial<Task['route']>;
  times?: Partial<Task['times']>;
}

/** A running task; each of its parts can be overridden. */
export function makeTask({ route, times, ...overrides }: TaskOverrides = {}): Task {
  const created = times?.created ?? START;
  const record = {
    version: TASK_VERSION,
    id: createTaskId(created),
    kind: 'imagine' as const,
    state: 'running' as const,
    request: { prompt: 'a red fox in the snow' },
    idempotencyKey: 'once',
    requesterId: 'ann',
    guildId: 'den',
    route: {
      applicationId: '900000000000000100',
      token: 'a-token-that-lets-anybody-answer',
      tokenExpiresAt: START + 15 * MINUTE_MS,
      isPrivate: false,
      install: 'guild' as const,
      mayPost: true,
      uploadLimit: 10_000_000,
      locale: 'en-US',
      ...route,
    },
    delivery: { progressEdits: 0 },
    durationKey: 'imagine',
    polls: 0,
    actions: [],
    media: [],
    times: { created, ...times },
    ...overrides,
  };
  return taskFrom(record);
}

/** The task as the delivery leaves it, with nothing left to do. */
export function settled(task: Task, at = START + MINUTE_MS): Task {
  const { token: _, ...route } = task.route;
  return { ...task, state: 'delivered', route, times: { ...task.times, settled: at } };
}

export function createTemporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'atelier-store-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export interface StoreFixture {
  file: string;
  clock: ManualClock;
  /** The log, line by line. */
  logged: string[];
  log: Log;
  open(overrides?: { busyTimeoutMs?: number; botVersion?: string }): Promise<TaskStore>;
}

export function createStoreFixture(file = join(createTemporaryFolder(), 'atelier.sqlite')): StoreFixture {
  const clock = new ManualClock(START);
  const logged: string[] = [];
  const log = createLogger({ level: 'info', secrets: [], isPretty: false, write: (line) => logged.push(line) });
  const open = async (overrides = {}): Promise<TaskStore> => {
    const store = await openStore(
      { url: `sqlite://${file}`, scheme: 'sqlite' },
      { specs: kindSpecs, log, clock, ...overrides },
    );
    onTestFinished(() => store.close());
    return store;
  };
  return { file, clock, logged, log, open };
}

/** Reads or changes the file without the store. */
export function sql(file: string, statement: string, ...values: SQLInputValue[]): Record<string, unknown>[] {
  const database = new DatabaseSync(file, { timeout: 1_000 });
  try {
    return database.prepare(statement).all(...values);
  } finally {
    database.close();
  }
}

export function keysIn(file: string, namespace: string): unknown[] {
  return sql(file, 'SELECT key FROM atelier WHERE namespace = ? ORDER BY key', namespace).map(({ key }) => key);
}
