import { mayPostFiles } from '../../discord/guards.ts';
import type { Ask } from '../../discord/handlers.ts';
import { within } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import { mayGoOn } from '../../services/tasks/follow-ups.ts';
import { type CommonRequest, isOf, type Task, type TaskKind, withRequest } from '../../services/tasks/task.ts';
import { orderedIn } from '../../services/tasks/transitions.ts';
import type { MessageServices } from '../services.ts';

/** The task whose message was pressed, for anybody who may see it. */
export async function pressedTask(taskId: string, { services, place }: Ask<MessageServices>): Promise<Task> {
  const task = await services.tasks.book.get(taskId);
  if (!task) throw new Refusal('refusals.unknownTask');
  if (!mayGoOn(task, place.userId)) throw new Refusal('refusals.notYours');
  return task;
}

/** The same for what only its owner may decide. */
export async function ownTask(taskId: string, ask: Ask<MessageServices>): Promise<Task> {
  return owned(await pressedTask(taskId, ask), ask);
}

export function owned(task: Task, { place }: Pick<Ask<MessageServices>, 'place'>): Task {
  if (task.requesterId !== place.userId) throw new Refusal('refusals.notYours');
  return task;
}

/** Ids can be forged: a button of one kind of task means nothing on another. */
export function ofKind<K extends TaskKind>(kind: K, task: Task): Extract<Task, { kind: K }> {
  if (!isOf(kind, task)) throw new Refusal('refusals.unknownButton');
  return task;
}

/** A form must be there before Discord's three seconds are over, so the store gets one of them. */
const STORE_PATIENCE_MS = 1_000;

/** The same for a form, which cannot come late. */
export async function soon(task: Promise<Task>, { services }: Ask<MessageServices>): Promise<Task> {
  const found = await within(services.clock, STORE_PATIENCE_MS, task);
  if (!found) throw new Refusal('refusals.storeSlow');
  return found;
}

/** Orders what a task ordered, as whoever pressed: a new task beside, of the same origin, and with what should differ. */
export async function orderOnceMore(
  task: Task,
  { services, origin, place }: Pick<Ask<MessageServices>, 'services' | 'origin' | 'place'>,
  changes: CommonRequest = {},
): Promise<void> {
  // What was allowed when it was ordered first may not be any more, or not where it was brought.
  const objection = mayPostFiles(place, { private: origin.route.isPrivate });
  if (objection) throw objection;
  const parent = task.parentId === undefined ? undefined : await services.tasks.book.get(task.parentId);
  await services.tasks.orders.submit({ ...origin, ...orderedIn(withRequest(task, changes)), parent });
}
