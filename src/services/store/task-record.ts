import { DAY_MS } from '../../lib/clock.ts';
import { isRecord } from '../../lib/exact-json.ts';
import { TASK_VERSION, type Task, taskSchema } from '../tasks/task.ts';
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

/** A task, brought up to today's version; or why the row is none, without a word of its content. */
export function readTask(id: string, value: unknown, migrations: ReadonlyMap<number, Migration>): Task | string {
  if (value instanceof Unreadable || !isRecord(value)) return UNREADABLE;
  const { version } = value;
  if (typeof version === 'number' && version > TASK_VERSION)
    throw new StoreError('newer', `Task ${id} was stored by a newer Atelier: start that version again.`);
  const record = broughtUp(value, migrations);
  if (!record) return 'cannot be brought up to this version';
  const { data, error } = taskSchema.safeParse(record);
  if (!data) return `does not fit at ${[...new Set(error.issues.map(({ path }) => path.join('.')))].join(', ')}`;
  return data.id === id ? data : 'holds another task';
}

/** What could not be read again must not be written: it would be set aside at the next start, and nobody would look after it. */
export function mustBeReadable(task: Task): void {
  const record = readTask(task.id, task, new Map());
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
