import type { Services } from '../commands/services.ts';
import type { Ask } from '../discord/handlers.ts';
import { Refusal } from '../lib/refusal.ts';
import { within } from '../lib/within.ts';
import { mayGoOn } from '../services/tasks/follow-ups.ts';
import type { Task } from '../services/tasks/task.ts';
import { taskIn } from './task-argument.ts';

/** The task whose message was pressed, for anybody who may see it. */
export async function pressedTask(args: readonly string[], { services, place }: Ask<Services>): Promise<Task> {
  const task = await services.tasks.get(taskIn(args));
  if (!task) throw new Refusal('refusals.unknownTask');
  if (!mayGoOn(task, place.userId)) throw new Refusal('refusals.notYours');
  return task;
}

/** The same for what only its owner may decide. */
export async function ownTask(args: readonly string[], ask: Ask<Services>): Promise<Task> {
  return owned(await pressedTask(args, ask), ask);
}

export function owned(task: Task, { place }: Pick<Ask<Services>, 'place'>): Task {
  if (task.requesterId !== place.userId) throw new Refusal('refusals.notYours');
  return task;
}

/** A form must be there before Discord's three seconds are over, so the store gets one of them. */
const STORE_PATIENCE_MS = 1_000;

/** The same for a form, which cannot come late. */
export async function soon(task: Promise<Task>, { services }: Ask<Services>): Promise<Task> {
  const found = await within(services.clock, STORE_PATIENCE_MS, task);
  if (!found) throw new Refusal('refusals.storeSlow');
  return found;
}

/** Which of a task's buttons: a place in its list. */
export function placeIn([, place = '']: readonly string[]): number {
  if (!/^\d{1,2}$/.test(place)) throw new Refusal('refusals.unknownButton');
  return Number(place);
}
