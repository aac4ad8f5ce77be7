import type { HandlerResult } from '../../discord/handlers.ts';
import { tryAndLog } from '../../discord/outbox/errors.ts';
import { editRoute } from '../../discord/outbox/ways.ts';
import { Refusal } from '../../lib/refusal.ts';
import { requireOwner } from '../../messages/pressed-task.ts';
import { type MessagePlace, type Task, withRequest } from '../../services/tasks/task.ts';
import type { TaskFilter } from '../../services/tasks/task-summary.ts';
import type { Context } from '../feature.ts';
import { canShowResult, visibleTask } from './access.ts';
import { loadTaskPage } from './page.ts';

/** Hides a result behind a spoiler, or shows it openly, in all messages that the bot can change. */
export const setSpoiler =
  (isSpoiler: boolean) =>
  async ({ taskId, list }: { taskId: string; list: TaskFilter }, context: Context): Promise<HandlerResult> => {
    const { services, say } = context;
    requireOwner(await visibleTask(taskId, context), context);
    const task = await services.tasks.book.change(taskId, (known) => {
      if (!canShowResult(known)) throw new Refusal('refusals.noResult');
      if (known.request.spoiler === 'required') throw new Refusal('refusals.spoilerRequired');
      return withRequest(known, { spoiler: isSpoiler });
    });
    const changes = await Promise.all(messagesOf(task).map((message) => changeMessage(message, isSpoiler, context)));
    // After its interaction's token, nothing reaches a private message or one of a personal install.
    const isComplete = changes.every(Boolean) && (!task.message || editRoute(task) !== undefined);
    return loadTaskPage(taskId, list, context, isComplete ? undefined : say('tasks.spoilerLeft'));
  };

function messagesOf(task: Task): MessagePlace[] {
  const own = editRoute(task)?.message;
  // The question to moderators stays hidden.
  const copies = (task.beside ?? []).filter(({ id }) => id !== task.review?.messageId);
  return [...(own ? [own] : []), ...copies];
}

async function changeMessage(message: MessagePlace, isSpoiler: boolean, { services }: Context): Promise<boolean> {
  const { discord, log } = services;
  const change = () => discord.outbox.setSpoilers(message, isSpoiler);
  return (await tryAndLog(log, 'Could not change the spoilers of a message.', {}, change)) !== undefined;
}
