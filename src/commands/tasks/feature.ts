import { customIds, fitsCustomId } from '../../discord/custom-ids.ts';
import { requirePostPermissions } from '../../discord/guards.ts';
import type { HandlerResult, Menu } from '../../discord/handlers.ts';
import { linkToMessage } from '../../discord/markdown.ts';
import { tryAndLog } from '../../discord/outbox/errors.ts';
import { editRoute } from '../../discord/outbox/ways.ts';
import { buttonPlan, type MessagePlan, type PreparedMessage } from '../../discord/plan.ts';
import type { TargetMessage } from '../../discord/target-message.ts';
import { withoutUndefined } from '../../lib/entries.ts';
import { Refusal, throwIfRefusal } from '../../lib/refusal.ts';
import { loadForForm, parentOf, requireOwner } from '../../messages/pressed-task.ts';
import { openEditForm } from '../../messages/shared-buttons.ts';
import { addExtraMessage, leftCopyOf, markCollected } from '../../services/tasks/delivery-state.ts';
import { isClosed, type MessagePlace, type Task, withRequest } from '../../services/tasks/task.ts';
import { hasOwnPrompt } from '../../services/tasks/task-facts.ts';
import { isTaskId } from '../../services/tasks/task-id.ts';
import { statusFilters, type TaskFilter } from '../../services/tasks/task-summary.ts';
import { isPrivateByDefault } from '../choices.ts';
import { type Context, command, type Feature, on, type Services } from '../feature.ts';
import { commandNameOf } from '../presets.ts';
import { findShownTask } from '../shown-task.ts';
import { canShowResult, mayDeleteMessage, visibleTask } from './access.ts';
import { loadTaskList } from './list.ts';
import { ownDataHandlers } from './own-data.ts';
import { loadTaskDetails, loadTaskPage } from './page.ts';
import { verifyMenu } from './verify.ts';

/** Opens the prompt of the result on a message, and orders it anew. The form checks whether the member may do so. */
const remixMenu: Menu<Services> = {
  name: 'remix',
  async open(target, context) {
    const { id, kind } = await loadForForm(findPromptedTask(target, context), context);
    const { facts, services } = context;
    const [command = kind] =
      [...services.safety.targets.kindsByCommand].find(([, kinds]) => kinds.includes(kind)) ?? [];
    const isPrivate = target.isPrivate || isPrivateByDefault(facts, commandNameOf(command), services);
    throwIfRefusal(requirePostPermissions(facts, { private: isPrivate }));
    const form = isPrivate ? customIds.editFilledPrivately : customIds.editFilled;
    return openEditForm(form)(id, context);
  },
};

/** A chain of follow-ups that is longer costs too many reads. */
const MAX_ANCESTORS = 20;

/** An upscaled image has the prompt of the image that it was made from. */
async function findPromptedTask(target: TargetMessage, context: Context): Promise<Task> {
  let task = await findShownTask(target, context);
  for (let count = 0; task && !hasOwnPrompt(task) && count < MAX_ANCESTORS; count++)
    task = await parentOf(task, context.services);
  if (!task || !hasOwnPrompt(task)) throw new Refusal('refusals.noPromptInMessage');
  return task;
}

/** Hides a result behind a spoiler, or shows it openly, in all messages that the bot can change. */
const setSpoiler =
  (isSpoiler: boolean) =>
  async ({ taskId, list }: { taskId: string; list: TaskFilter }, context: Context): Promise<HandlerResult> => {
    const { services, say } = context;
    requireOwner(await visibleTask(taskId, context), context);
    const task = await services.tasks.book.change(taskId, (known) => {
      if (!canShowResult(known)) throw new Refusal('refusals.noResult');
      if (known.request.spoiler === 'required') throw new Refusal('refusals.spoilerRequired');
      return withRequest(known, { spoiler: isSpoiler });
    });
    const { discord, log } = services;
    const change = (message: MessagePlace) =>
      tryAndLog(log, 'Could not change the spoilers of a message.', {}, () =>
        discord.outbox.setSpoilers(message, isSpoiler),
      );
    const changes = await Promise.all(messagesOf(task).map(change));
    // After its interaction's token, nothing reaches a private message or one of a personal install.
    const isComplete = !changes.includes(undefined) && (!task.message || editRoute(task) !== undefined);
    return loadTaskPage(taskId, list, context, isComplete ? undefined : say('tasks.spoilerLeft'));
  };

function messagesOf(task: Task): MessagePlace[] {
  const own = editRoute(task)?.message;
  // The question to moderators stays hidden.
  const copies = (task.beside ?? []).filter(({ id }) => id !== task.review?.messageId);
  return [...(own ? [own] : []), ...copies];
}

/** Turns the pages of `/tasks`, and returns from a task to the list. */
export const tasksPageButton = on(customIds.tasks, { reply: 'here', run: loadTaskList });

export const taskSelect = on(customIds.task, {
  reply: 'here',
  async run(filter, context, { selectedValues: [id = ''] }) {
    if (!isTaskId(id)) throw new Refusal('refusals.unknownButton');
    return loadTaskPage(id, filter, context);
  },
});

/** Ids can be forged, so the task itself determines whether it can be shown this way. */
async function showAgain(taskId: string, context: Context, mayBeShown: (task: Task) => boolean) {
  const task = await visibleTask(taskId, context);
  if (!canShowResult(task) || !mayBeShown(task)) throw new Refusal('refusals.noResult');
  const { services, facts, origin } = context;
  const { isPrivate } = origin.route;
  const prepared = await services.messages.prepareAgain(
    isPrivate ? task : await services.messages.judgeAgain(task, facts),
    origin,
  );
  const shown = isClosed(task) && !isPrivate ? withOwner(prepared, task, context) : prepared;
  return { ...shown, onPosted: (message: MessagePlace | undefined) => recordCopy(task, message, context) };
}

/** Others see the buttons of a private result, which only its owner can use. */
function withOwner({ plan, fallback, release }: PreparedMessage, { requesterId }: Task, { say }: Context) {
  const note = say('tasks.shownByOwner', { owner: `<@${requesterId}>` });
  const noted = (message: MessagePlan): MessagePlan => ({ ...message, content: `${note}\n${message.content}` });
  return { plan: noted(plan), ...(fallback && { fallback: noted(fallback) }), release };
}

/** Records that the owner now has the result. A public copy is recorded too, so it can be deleted with the task. */
async function recordCopy(
  { id, requesterId }: Task,
  message: MessagePlace | undefined,
  { facts, origin, services }: Context,
): Promise<void> {
  const copy = message && { ...message, ...withoutUndefined({ guildId: facts.guildId }) };
  await services.tasks.book.change(id, (task) => {
    const updated = requesterId === facts.userId ? markCollected(task) : task;
    return copy && !origin.route.isPrivate ? addExtraMessage(updated, copy) : updated;
  });
}

async function deletePost(taskId: string, context: Context): Promise<string> {
  const { say, facts, services } = context;
  const task = await visibleTask(taskId, context);
  if (!task.message && !leftCopyOf(task)) return say('tasks.deletedBefore');
  if (!mayDeleteMessage(task, context))
    throw new Refusal(task.requesterId === facts.userId ? 'refusals.messageInUse' : 'refusals.notYoursToDelete');
  const { removed, left, needsRetry } = await services.tasks.removeMessage(task);
  if (needsRetry) throw new Refusal('refusals.deleteFailed');
  if (left.length > 0) return say('tasks.cannotDelete', { link: left.map(linkToMessage).join(' ') });
  return removed > 0 ? say('tasks.deleted', { count: removed }) : say('tasks.deletedBefore');
}

const taskHandlers = [
  tasksPageButton,
  taskSelect,
  on(customIds.taskPage, {
    reply: 'here',
    run: ({ taskId, list }, context) => loadTaskPage(taskId, list, context),
  }),
  on(customIds.taskDetails, {
    reply: 'here',
    run: ({ taskId, list }, context) => loadTaskDetails(taskId, list, context),
  }),
  // Shows a result in this channel again, with working buttons.
  on(customIds.show, {
    reply: 'new-public',
    run: (taskId, context) => showAgain(taskId, context, (task) => !isClosed(task)),
  }),
  on(customIds.showMe, {
    reply: 'new-message',
    run: (taskId, context) => showAgain(taskId, context, () => context.origin.route.isPrivate),
  }),
  // Asks for confirmation before a private result is shown to others.
  on(customIds.showAsk, {
    // A new message, because the page must keep its button that leads back to the list.
    reply: 'new-message',
    async run(taskId, context) {
      const { id } = await visibleTask(taskId, context);
      const showAll = buttonPlan(context.say('tasks.buttons.showAll'), customIds.showAll.id(id), { style: 'danger' });
      const showMe = buttonPlan(context.say('tasks.buttons.showMe'), customIds.showMe.id(id));
      return { content: context.say('tasks.showAsk'), controls: [showAll, showMe] };
    },
  }),
  on(customIds.showAll, {
    reply: 'new-public',
    run: (taskId, context) => showAgain(taskId, context, ({ requesterId }) => requesterId === context.facts.userId),
  }),
  on(customIds.deletePost, {
    reply: 'new-message',
    run: async (taskId, context) => ({ content: await deletePost(taskId, context) }),
  }),
  on(customIds.deleteFromPage, {
    reply: 'here',
    run: async ({ taskId, list }, context) => loadTaskPage(taskId, list, context, await deletePost(taskId, context)),
  }),
  on(customIds.hideResult, { reply: 'here', run: setSpoiler(true) }),
  on(customIds.showOpenly, { reply: 'here', run: setSpoiler(false) }),
  ...ownDataHandlers,
];

/** The filter of `/tasks` offers every kind of task. */
export const tasks = (kinds: readonly string[]): Feature => ({
  command: command({
    name: 'tasks',
    options: {
      text: { type: 'text' },
      kind: { type: 'text', choices: kinds, labelPath: ['tasks', 'kinds'] },
      state: { type: 'text', choices: statusFilters },
      whose: { type: 'text', choices: ['mine', 'server'] },
    },
    parse({ text, kind, state, whose = 'mine' }): TaskFilter | Refusal {
      const searchText = text?.trim() || undefined;
      return fitsCustomId(searchText)
        ? { whose, kind, status: state, words: searchText }
        : new Refusal('refusals.tasksTextTooLong');
    },
    run: loadTaskList,
  }),
  menus: [remixMenu, verifyMenu],
  handlers: taskHandlers,
});
