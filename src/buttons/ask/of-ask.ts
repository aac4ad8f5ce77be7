import { Refusal } from '../../lib/refusal.ts';
import type { Task } from '../../services/tasks/task.ts';

/** Ids can be forged: a button of answers on another task means nothing. */
export function ofAsk(task: Task): Task {
  if (task.kind !== 'ask') throw new Refusal('refusals.unknownButton');
  return task;
}
