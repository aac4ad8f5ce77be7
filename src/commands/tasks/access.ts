import { mayManageMessages, mayManageServer } from '../../discord/interaction-facts.ts';
import { isVisibleToOwnerOnly } from '../../discord/outbox/ways.ts';
import { setSubjectTask } from '../../lib/log-subject.ts';
import { Refusal } from '../../lib/refusal.ts';
import { leftCopyOf } from '../../services/tasks/delivery-state.ts';
import { isClosed, isHeld, isLive, type Task } from '../../services/tasks/task.ts';
import type { Context } from '../feature.ts';

/** The tasks of a server can only be seen in that server, by its admins and by the operator. */
export async function maySeeServerTasks({ facts, services }: Context): Promise<boolean> {
  return (
    facts.guildId !== undefined &&
    (mayManageServer(facts) || (await services.discord.operator.isOperator(facts.userId)))
  );
}

/** A task is visible to its owner and, unless it is private, to those who can see its server's tasks. */
export async function maySeeTask(task: Task, context: Context): Promise<boolean> {
  const { requesterId, guildId } = task;
  if (requesterId === context.facts.userId) return true;
  return (
    !isClosed(task) && guildId !== undefined && guildId === context.facts.guildId && (await maySeeServerTasks(context))
  );
}

/** A result is not shown in another message until it has been delivered to its own. */
export const canShowResult = (task: Task): boolean =>
  !isLive(task) && (task.state === 'ready' || task.state === 'delivered');

/** A result whose message was deleted is shown only on request. */
export const isResultVisible = (task: Task): boolean =>
  canShowResult(task) &&
  !isHeld(task) &&
  (task.message !== undefined || task.isShownByParent === true || task.delivery.undeliverable === 'no-way');

export async function visibleTask(id: string, context: Context): Promise<Task> {
  const task = await context.services.tasks.book.get(id);
  // A member must not learn whether another member's task exists.
  if (!task || !(await maySeeTask(task, context))) throw new Refusal('refusals.unknownTask');
  setSubjectTask(task.id);
  return task;
}

/** The token that could delete a private message is dropped when its task ends. Copies that others see can still be deleted. */
export const canDeleteMessage = (task: Task): boolean =>
  !task.message || !isVisibleToOwnerOnly(task, task.message) || (task.beside ?? []).length > 0;

/** Permissions are known only for the current channel. The message of a task that was submitted again belongs to the newer task. */
export function mayDeleteMessage(task: Task, { facts }: Context): boolean {
  const message = task.message ?? leftCopyOf(task);
  if (!message || task.times.settled === undefined || task.successorId !== undefined) return false;
  return task.requesterId === facts.userId || (message.channelId === facts.channelId && mayManageMessages(facts));
}
