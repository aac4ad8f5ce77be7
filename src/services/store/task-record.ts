import { isRecord } from '../../lib/exact-json.ts';
import { TASK_VERSION, type Task, taskSchema } from '../tasks/task.ts';
import { type Migration, upgraded } from './migrations.ts';
import { Unreadable } from './shelf.ts';
import { StoreError } from './store-error.ts';

/** A task, brought up to today's version; or why the row is none, without a word of its content. */
export type TaskRecord = { task: Task } | { unfit: string };

export function readTask(id: string, value: unknown, migrations: ReadonlyMap<number, Migration>): TaskRecord {
  if (value instanceof Unreadable || !isRecord(value)) return { unfit: 'cannot be read' };
  const { version } = value;
  if (typeof version === 'number' && version > TASK_VERSION)
    throw new StoreError('newer', `Task ${id} was stored by a newer Atelier: start that version again.`);
  const record = broughtUp(value, migrations);
  if (!record) return { unfit: 'cannot be brought up to this version' };
  const { data, error } = taskSchema.safeParse(record);
  if (!data)
    return { unfit: `does not fit at ${[...new Set(error.issues.map(({ path }) => path.join('.')))].join(', ')}` };
  return data.id === id ? { task: data } : { unfit: 'holds another task' };
}

/** What could not be read again must not be written: it would be set aside at the next start, and nobody would look after it. */
export function mustBeReadable(task: Task): void {
  const record = readTask(task.id, task, new Map());
  if ('unfit' in record) throw new StoreError('failed', `Task ${task.id} cannot be stored: it ${record.unfit}.`);
}

/** A migration that stumbles over what a record holds makes that record unfit, and stops none of the others. */
function broughtUp(record: Record<string, unknown>, migrations: ReadonlyMap<number, Migration>) {
  try {
    return upgraded(record, TASK_VERSION, migrations);
  } catch {
    return undefined;
  }
}
