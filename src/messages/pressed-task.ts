import type { Answers } from '../discord/answers/answers.ts';
import { mayPostFiles } from '../discord/guards.ts';
import type { Ask } from '../discord/handlers.ts';
import type { MessagePlan } from '../discord/plan.ts';
import { type Clock, within } from '../lib/clock.ts';
import { Refusal, throwRefusal } from '../lib/refusal.ts';
import { mayGoOn } from '../services/tasks/follow-ups.ts';
import { type CommonRequest, isOf, type Task, type TaskKind, withRequest } from '../services/tasks/task.ts';
import type { Tasks } from '../services/tasks/tasks.ts';
import { type OrderedOf, orderedIn } from '../services/tasks/transitions.ts';

/** What the buttons on task messages need. */
export interface MessageServices {
  tasks: Tasks;
  /** The further messages of long answers. */
  answers: Pick<Answers, 'takeAway'>;
  clock: Clock;
  /** The current message of a task, without its results. */
  messageOf(task: Task): MessagePlan;
}

/** The task whose message was pressed, for every member who may see it. */
export async function pressedTask(taskId: string, { services, place }: Ask<MessageServices>): Promise<Task> {
  const task = await services.tasks.book.get(taskId);
  if (!task) throw new Refusal('refusals.unknownTask');
  if (!mayGoOn(task, place.userId)) throw new Refusal('refusals.notYours');
  return task;
}

/** The pressed task, for decisions that are its owner's alone. */
export async function ownTask(taskId: string, ask: Ask<MessageServices>): Promise<Task> {
  return owned(await pressedTask(taskId, ask), ask);
}

export function owned(task: Task, { place }: Pick<Ask<MessageServices>, 'place'>): Task {
  if (task.requesterId !== place.userId) throw new Refusal('refusals.notYours');
  return task;
}

/** Ids can be forged: a button of one kind of task is not valid on another. */
export function ofKind<K extends TaskKind>(kind: K, task: Task): Extract<Task, { kind: K }> {
  if (!isOf(kind, task)) throw new Refusal('refusals.unknownButton');
  return task;
}

/** A form must open within Discord's three seconds, so the store gets one of them. */
const STORE_PATIENCE_MS = 1_000;

/** Waits for a task before a form opens, which cannot be late. */
export async function soon(task: Promise<Task>, { services }: Ask<MessageServices>): Promise<Task> {
  const found = await within(services.clock, STORE_PATIENCE_MS, task);
  if (!found) throw new Refusal('refusals.storeSlow');
  return found;
}

type Asked = Pick<Ask<Pick<MessageServices, 'tasks'>>, 'services' | 'origin'>;

/** Submits an order; the delivery of its task shows the result. */
export async function submitOrder(
  order: OrderedOf<TaskKind> & { parent?: Task | undefined },
  { services, origin }: Asked,
): Promise<'shown as it goes'> {
  await services.tasks.orders.submit({ ...origin, ...order });
  return 'shown as it goes';
}

/** Repeats the order of a task for the member who pressed: a new task with the same parent, and with these changes. */
export async function orderOnceMore(
  task: Task,
  { services, origin, place }: Asked & Pick<Ask<MessageServices>, 'place'>,
  changes: CommonRequest = {},
): Promise<'shown as it goes'> {
  // The bot's permissions may have changed since the first order, or differ where the result was shown again.
  throwRefusal(mayPostFiles(place, { private: origin.route.isPrivate }));
  const parent = task.parentId === undefined ? undefined : await services.tasks.book.get(task.parentId);
  return submitOrder({ ...orderedIn(withRequest(task, changes)), parent }, { services, origin });
}
