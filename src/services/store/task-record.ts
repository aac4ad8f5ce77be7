import type { z } from 'zod';
import { DAY_MS } from '../../lib/clock.ts';
import { isRecord } from '../../lib/exact-json.ts';
import {
  isKind,
  type KindSpecs,
  TASK_VERSION,
  type Task,
  type TaskFacts,
  type TaskKind,
  type TaskOf,
  taskFacts,
} from '../tasks/task.ts';
import { StoreError } from './backend.ts';
import { UNREADABLE } from './rows.ts';
import { Unreadable } from './shelf.ts';

/** A year, and a month to notice in: buttons under old pictures go on working, and the store does not grow for ever. */
export const RETENTION_MS = 400 * DAY_MS;

export function isPast(settledAt: number | undefined, now: number): boolean {
  return settledAt !== undefined && now >= settledAt + RETENTION_MS;
}

/** Makes a record of the version it stands for into one of the next version. */
export type Migration = (record: Record<string, unknown>) => Record<string, unknown>;

/** By the version they begin at. A change of `TASK_VERSION` adds one line here, and no line is ever taken away. */
export const taskMigrations: ReadonlyMap<number, Migration> = new Map([
  // More kinds than the first version knew; what it wrote is as it was.
  [1, (record) => record],
  // The same of the second.
  [2, (record) => record],
]);

/** Undefined where no way leads up. */
export function upgraded(
  record: Record<string, unknown>,
  to: number,
  migrations: ReadonlyMap<number, Migration>,
): Record<string, unknown> | undefined {
  let { version } = record;
  let current = record;
  while (version !== to) {
    const migration = typeof version === 'number' ? migrations.get(version) : undefined;
    if (typeof version !== 'number' || !migration) return undefined;
    version += 1;
    current = { ...migration(current), version };
  }
  return current;
}

/** How stored tasks are read. */
export interface TaskReading {
  readonly migrations: ReadonlyMap<number, Migration>;
  readonly specs: KindSpecs;
}

/** A task, brought up to today's version; or why the row is none, without a word of its content. */
export function readTask(id: string, value: unknown, { migrations, specs }: TaskReading): Task | string {
  if (value instanceof Unreadable || !isRecord(value)) return UNREADABLE;
  const { version } = value;
  if (typeof version === 'number' && version > TASK_VERSION)
    throw new StoreError('newer', `Task ${id} was stored by a newer Atelier. Start that version again.`);
  const record = broughtUp(value, migrations);
  if (!record) return 'cannot be migrated to this version';
  const { data, error } = taskFacts.safeParse(record);
  if (!data) return misfit(error);
  if (data.id !== id) return 'holds a different task';
  return isKind(record.kind, specs) ? withRequestOf(record.kind, record.request, data, specs) : 'is invalid at kind';
}

function withRequestOf<K extends TaskKind>(
  kind: K,
  stored: unknown,
  facts: TaskFacts,
  specs: KindSpecs,
): TaskOf<K> | string {
  const { request: shape, traits } = specs[kind];
  const read = shape.safeParse(stored);
  return read.success ? { ...facts, kind, request: read.data, traits } : misfit(read.error, 'request');
}

const misfit = ({ issues }: Pick<z.ZodError, 'issues'>, ...at: string[]): string =>
  `is invalid at ${[...new Set(issues.map(({ path }) => [...at, ...path].join('.')))].join(', ')}`;

/** A task as it is stored: its traits are those of its kind. */
export function recordOf({ traits: _, ...record }: Task): object {
  return record;
}

/** What could not be read again must not be written: it would be set aside at the next start, and nobody would look after it. */
export function mustBeReadable(task: Task, specs: KindSpecs): void {
  const record = readTask(task.id, task, { migrations: new Map(), specs });
  if (typeof record === 'string') throw new StoreError('failed', `Task ${task.id} cannot be stored: it ${record}.`);
}

/** A migration that stumbles over what a record holds makes that record unfit, and stops none of the others. */
function broughtUp(record: Record<string, unknown>, migrations: ReadonlyMap<number, Migration>) {
  try {
    return upgraded(record, TASK_VERSION, migrations);
  } catch {
    return undefined;
  }
}
