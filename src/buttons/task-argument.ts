import { Refusal } from '../lib/refusal.ts';
import { isTaskId } from '../services/tasks/task-id.ts';

/** Ids can be forged: what is no task id never reaches the store. */
export function taskIn([id = '']: readonly string[]): string {
  if (!isTaskId(id)) throw new Refusal('refusals.unknownButton');
  return id;
}
