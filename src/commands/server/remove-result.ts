import { RetryLater, withStore } from '../../discord/delivery/backoff.ts';
import { expecting } from '../../lib/expecting.ts';
import { Refusal } from '../../lib/refusal.ts';
import { markResultRemoved } from '../../services/orders/review.ts';
import type { Report } from '../../services/safety/report.ts';
import { removeMessageById } from '../../services/tasks/delivery-state.ts';
import type { Task } from '../../services/tasks/task.ts';
import type { CommandSources } from '../command-sources.ts';

/** Removes a result with its messages in the server after a moderator's decision; one that was made elsewhere, only there. Every step can be repeated. */
export async function removeResult({ guildId, taskId, message }: Report, { tasks, discord, clock }: CommandSources) {
  const { removeMessage, removeMessages } = discord.remover;
  /** Ignores a task that has been erased in the meantime. */
  const change = (id: string, transition: (task: Task) => Task) =>
    withStore(() => tasks.book.change(id, transition)).catch(expecting(Refusal, () => undefined));
  const task = await tasks.book.get(taskId);
  const isOwn = task?.guildId === guildId;
  const shownTasks =
    task && isOwn ? [...(await tasks.albums.partsOf(task)), ...(await tasks.batches.entriesOf(task))] : [];
  const parts = shownTasks.flatMap(({ task: part }) => part ?? []);
  const stored = [...parts, ...(task ? [task] : [])];
  const removed = (one: Task): Task => (isOwn ? markResultRemoved(one, clock.now()) : one);
  if (isOwn) for (const { id } of stored) await change(id, removed);
  const tasksToRemove = stored.map(removed);
  // The message of its batch shows the result, too.
  const parent = isOwn && task?.parentId !== undefined ? await tasks.book.get(task.parentId) : undefined;
  if (parent?.traits.isBatch) tasksToRemove.push(parent);
  for (const one of tasksToRemove)
    throwIfRetryNeeded((await removeMessages(withOnlyMessagesIn(one, guildId))).needsRetry);
  // The message may be a copy that is not stored with any task.
  throwIfRetryNeeded(message !== undefined && (await removeMessage(message)) === 'later');
  for (const one of tasksToRemove) await change(one.id, (current) => withoutMessagesIn(current, guildId));
}

function throwIfRetryNeeded(needsRetry: boolean): void {
  if (needsRetry) throw new RetryLater('unreachable', new Error('A message of a removed result has not been deleted.'));
}

/** The log channel keeps who published a held result. */
const copiesIn = (guildId: string, { beside = [], review }: Task) =>
  beside.filter((one) => one.guildId === guildId && one.id !== review?.messageId);

function withOnlyMessagesIn(task: Task, guildId: string): Task {
  const beside = copiesIn(guildId, task);
  if (task.guildId === guildId) return { ...task, beside };
  const { message: _, answer: __, ...rest } = task;
  const { token: ___, ...route } = task.route;
  return { ...rest, beside, route };
}

function withoutMessagesIn(task: Task, guildId: string): Task {
  const ownMessages = task.guildId === guildId && task.message ? [task.message] : [];
  return [...ownMessages, ...copiesIn(guildId, task)].reduce((rest, { id }) => removeMessageById(rest, id), task);
}
