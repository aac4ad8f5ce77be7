import { kindSpecs } from '../../src/commands/index.ts';
import { readTask } from '../../src/services/store/rows/task-rows.ts';
import type { TaskKind } from '../../src/services/tasks/kind-spec.ts';
import { isOfKind, type Task, type TaskFacts } from '../../src/services/tasks/task.ts';

/** Parts of a task as they are stored. */
export interface Parts extends Partial<Omit<TaskFacts, 'version'>> {
  kind?: TaskKind;
  request?: object;
}

/** A task as the store reads it. */
export function taskFrom(record: Parts & Pick<Task, 'id' | 'kind'>): Task {
  const task = readTask(record.id, record, { migrations: new Map(), specs: kindSpecs });
  if (typeof task === 'string') throw new Error(`The task ${task}.`);
  return task;
}

/** The same task, typed by its kind. */
export function ofKind<K extends TaskKind>(kind: K, task: Task): Extract<Task, { kind: K }> {
  if (!isOfKind(kind, task)) throw new Error(`The task is of the kind ${task.kind}, not ${kind}.`);
  return task;
}

/** The same task with these parts replaced. */
export const withChanges = (task: Task, { request, ...parts }: Parts): Task =>
  taskFrom({ ...task, ...parts, ...(request && { request }) });
