import { customIds } from '../discord/custom-ids.ts';
import { mayManageMessages } from '../discord/interaction-facts.ts';
import { Refusal, throwIfRefusal } from '../lib/refusal.ts';
import { removeMessageById } from '../services/tasks/delivery-state.ts';
import { type Task, withRequest } from '../services/tasks/task.ts';
import {
  assertHasResult,
  editablePrompt,
  editedPrompt,
  hasOwnPrompt,
  hasResult,
} from '../services/tasks/task-facts.ts';
import {
  loadForForm,
  type MessageHandlerContext,
  onPress,
  ownTask,
  pressedTask,
  repeatOrder,
  requireOwner,
} from './pressed-task.ts';
import { promptForm, readPromptForm } from './prompt-form.ts';
import { proposalButtons } from './proposal-buttons.ts';
import { reviewButtons } from './review/question.ts';

type TaskVerb = typeof customIds.retry;
type ReplyPlace = 'here' | 'new-message' | 'new-private' | 'new-public';

const retryButton = (verb: TaskVerb, reply: ReplyPlace) =>
  onPress(verb, {
    reply,
    onlyOrders: true,
    run: async (taskId, context) =>
      repeatOrder(requireFailed(requirePublishable(reply, await ownTask(taskId, context))), context),
  });

/** Opens the form that repeats a request with a changed prompt. */
export const openEditForm = (formVerb: TaskVerb) => async (taskId: string, context: MessageHandlerContext) => {
  const task = await loadForForm(requireEditable(taskId, context), context);
  const id = formVerb.id(task.id);
  const { say } = context;
  const label = say(task.kind === 'song' && task.request.isLyrics ? 'promptForm.lyrics' : 'promptForm.prompt');
  return promptForm(
    { id, title: say('promptForm.editTitle'), prompt: editablePrompt(task), hasRegion: false, label },
    say,
  );
};

const editedForm = (verb: TaskVerb, reply: ReplyPlace) =>
  onPress(verb, {
    reply,
    onlyOrders: true,
    isPrivate: () => reply === 'new-private',
    reopen: openEditForm(verb),
    parse: readPromptForm,
    async run(taskId, context, { prompt }) {
      const task = requirePublishable(reply, await requireEditable(taskId, context));
      // A title that was derived from the request does not fit a new prompt. A song keeps its title, because the member chose it.
      const title = task.traits.keepsTitle ? {} : { title: undefined };
      const changes = { ...editedPrompt(task, prompt), ...title };
      throwIfRefusal(task.traits.promptRefusal?.(withRequest(task, changes).request));
      return repeatOrder(task, context, changes);
    },
  });

/** Only a task that is still in the bot's queue can be cancelled, because the specification has no way to cancel a job. */
const cancelButton = onPress(customIds.cancel, {
  reply: 'here',
  async run(taskId, context) {
    const { services, facts } = context;
    await pressedTask(taskId, context);
    return services.messages.messageOf(await services.tasks.orders.cancel(taskId, facts.userId));
  },
});

/** Repeats the same request, for any member who can see its result. */
const repeatButton = onPress(customIds.repeat, {
  reply: 'new-message',
  onlyOrders: true,
  async run(taskId, context) {
    const task = await pressedTask(taskId, context);
    assertHasResult(task);
    return repeatOrder(task, context);
  },
});

/** A failed task can only be edited by its owner, a result by any member who can see it. */
async function requireEditable(taskId: string, context: MessageHandlerContext): Promise<Task> {
  const task = await pressedTask(taskId, context);
  if (!hasOwnPrompt(task)) throw new Refusal('refusals.unknownButton');
  return hasResult(task) ? task : requireFailed(requireOwner(task, context));
}

/** Ids can be forged: a private task must not become public this way. */
function requirePublishable(reply: ReplyPlace, task: Task): Task {
  if (reply === 'new-public' && task.route.isPrivate) throw new Refusal('refusals.unknownButton');
  return task;
}

function requireFailed(task: Task): Task {
  if (!['failed', 'expired', 'cancelled'].includes(task.state)) throw new Refusal('refusals.notFailed');
  return task;
}

/** Submits an unconfirmed request again, in the same message or in a new one that is as public as the request was. */
const tryAgainButton = (verb: TaskVerb, reply: ReplyPlace) =>
  onPress(verb, {
    reply,
    async run(taskId, context) {
      if (reply === 'new-public') requirePublishable(reply, await ownTask(taskId, context));
      await context.services.tasks.orders.tryAgain(taskId, context.origin);
      if (reply !== 'here') context.services.messages.answers.updateButtons([taskId]);
      return 'shown by delivery';
    },
  });

const dismissButton = onPress(customIds.dismiss, {
  reply: 'here',
  async run(taskId, { services, origin }) {
    return services.messages.messageOf(await services.tasks.orders.dismiss(taskId, origin.requesterId));
  },
});

/** Deletes the pressed message, for its owner and for moderators; the task is kept. With the task's own message, the additional ones of an answer are deleted too. */
const deleteButton = onPress(customIds.delete, {
  reply: 'here',
  async run(taskId, context) {
    // A direct message, or a group, has no moderators.
    const place = context.facts.guildId === undefined ? 'direct' : 'server';
    if (!(await context.services.tasks.book.get(taskId))) throw new Refusal(`refusals.unknownTaskToDelete.${place}`);
    const task = await pressedTask(taskId, context);
    const { id, requesterId } = task;
    if (requesterId !== context.facts.userId && !mayManageMessages(context.facts))
      throw new Refusal(place === 'direct' ? 'refusals.notYours' : 'refusals.notYoursToDelete');
    const pressedId = context.origin.message?.id ?? '';
    await context.services.tasks.book.change(id, (task) => removeMessageById(task, pressedId));
    if (task.traits.isText && task.message?.id === pressedId)
      await context.services.discord.remover.removeFurtherMessages(task);
    return 'deleted';
  },
});

export const sharedButtons = [
  retryButton(customIds.retry, 'new-message'),
  retryButton(customIds.retryPublicly, 'new-public'),
  tryAgainButton(customIds.tryAgain, 'here'),
  tryAgainButton(customIds.tryAgainPublicly, 'new-public'),
  tryAgainButton(customIds.tryAgainInNewMessage, 'new-message'),
  onPress(customIds.edit, { open: openEditForm(customIds.editFilled) }),
  onPress(customIds.editPublicly, { open: openEditForm(customIds.editFilledPublicly) }),
  editedForm(customIds.editFilled, 'new-message'),
  editedForm(customIds.editFilledPublicly, 'new-public'),
  editedForm(customIds.editFilledPrivately, 'new-private'),
  ...proposalButtons,
  ...reviewButtons,
  ...[cancelButton, repeatButton, dismissButton, deleteButton],
];
