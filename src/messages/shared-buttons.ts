import { customIds } from '../discord/custom-ids.ts';
import { button, form, type HandlerContext, type Handlers, opener } from '../discord/handlers.ts';
import { mayManageMessages } from '../discord/place.ts';
import { Refusal } from '../lib/refusal.ts';
import { removeMessageById } from '../services/tasks/delivery-state.ts';
import type { Task } from '../services/tasks/task.ts';
import { hasOwnPrompt, hasResult, mustHaveResult, promptOf } from '../services/tasks/task-facts.ts';
import { inTimeForForm, type MessageServices, mustOwn, ownTask, pressedTask, repeatOrder } from './pressed-task.ts';
import { promptForm, readPromptForm } from './prompt-form.ts';
import { proposalButtons } from './proposal-buttons.ts';
import { reviewButtons } from './review/question.ts';

type OnTask = typeof customIds.retry;
type ReplyPlace = 'here' | 'new-message' | 'new-public';

const retryButton = (on: OnTask, answers: ReplyPlace) =>
  button(on, {
    reply: answers,
    run: async (taskId, context: HandlerContext<MessageServices>) =>
      repeatOrder(requireFailed(mayBePublic(answers, await ownTask(taskId, context))), context),
  });

/** Repeats a request with a changed prompt. */
const editOpener = (on: OnTask, filled: OnTask) =>
  opener(on, async (taskId, context: HandlerContext<MessageServices>) => {
    const task = await inTimeForForm(editable(taskId, context), context);
    const id = filled.id(task.id);
    return promptForm(
      { id, title: context.say('promptForm.editTitle'), prompt: promptOf(task), withRegion: false },
      context.say,
    );
  });

const editedForm = (on: OnTask, answers: ReplyPlace) =>
  form(on, {
    reply: answers,
    parse: readPromptForm,
    async run(taskId, { prompt }, context: HandlerContext<MessageServices>) {
      const task = mayBePublic(answers, await editable(taskId, context));
      // A title that was derived from the request does not fit a new prompt. Songs keep theirs, because the member chose it.
      const title = task.traits.keepsTitle ? {} : { title: undefined };
      return repeatOrder(task, context, { prompt, typed: prompt, ...title });
    },
  });

/** Only a task that is still in the bot's queue can be cancelled, because the specification has no way to cancel a job. */
const cancelButton = button(customIds.cancel, {
  reply: 'here',
  async run(taskId, context: HandlerContext<MessageServices>) {
    const { services, place } = context;
    await pressedTask(taskId, context);
    return services.messageOf(await services.tasks.orders.cancel(taskId, place.userId));
  },
});

/** Repeats the same request, for every member who can continue from its result. */
const repeatButton = button(customIds.repeat, {
  reply: 'new-message',
  async run(taskId, context: HandlerContext<MessageServices>) {
    const task = await pressedTask(taskId, context);
    mustHaveResult(task);
    return repeatOrder(task, context);
  },
});

/** Only its owner can edit a failed task. A result can be edited by every member who can continue from it. */
async function editable(taskId: string, context: HandlerContext<MessageServices>): Promise<Task> {
  const task = await pressedTask(taskId, context);
  if (!hasOwnPrompt(task)) throw new Refusal('refusals.unknownButton');
  return hasResult(task) ? task : requireFailed(mustOwn(task, context));
}

/** Ids can be forged: a private task must not become public this way. */
function mayBePublic(answers: ReplyPlace, task: Task): Task {
  if (answers === 'new-public' && task.route.isPrivate) throw new Refusal('refusals.unknownButton');
  return task;
}

function requireFailed(task: Task): Task {
  if (!['failed', 'expired', 'cancelled'].includes(task.state)) throw new Refusal('refusals.notFailed');
  return task;
}

/** Submits an unconfirmed request again, in the same message or in a new one that is as public as the request was. */
const tryAgainButton = (on: OnTask, answers: ReplyPlace) =>
  button(on, {
    reply: answers,
    async run(taskId, context: HandlerContext<MessageServices>) {
      if (answers === 'new-public') mayBePublic(answers, await ownTask(taskId, context));
      await context.services.tasks.orders.tryAgain(taskId, context.origin);
      return 'shown by delivery';
    },
  });

const dismissButton = button(customIds.dismiss, {
  reply: 'here',
  async run(taskId, { services, origin }: HandlerContext<MessageServices>) {
    return services.messageOf(await services.tasks.orders.dismiss(taskId, origin.requesterId));
  },
});

/**
 * Deletes the pressed message, for members who own it or are allowed to delete messages in its channel. The task itself is
 * kept. If it is the task's own message, the further messages of an answer are deleted too. A copy is deleted alone.
 */
const deleteButton = button(customIds.delete, {
  reply: 'here',
  async run(taskId, context: HandlerContext<MessageServices>) {
    const task = await pressedTask(taskId, context);
    const { id, requesterId } = task;
    if (requesterId !== context.place.userId && !mayManageMessages(context.place))
      throw new Refusal('refusals.notYours');
    const pressed = context.origin.message?.id ?? '';
    await context.services.tasks.book.change(id, (task) => removeMessageById(task, pressed));
    if (task.traits.isText && task.message?.id === pressed) await context.services.answers.deleteFurther(task);
    return 'deleted';
  },
});

/** The buttons that appear on the messages of many features. */
export const sharedHandlers = {
  buttons: [
    retryButton(customIds.retry, 'new-message'),
    retryButton(customIds.retryPublicly, 'new-public'),
    tryAgainButton(customIds.tryAgain, 'here'),
    tryAgainButton(customIds.tryAgainPublicly, 'new-public'),
    tryAgainButton(customIds.tryAgainInNewMessage, 'new-message'),
    ...proposalButtons,
    ...reviewButtons,
    ...[cancelButton, repeatButton, dismissButton, deleteButton],
  ],
  openers: [
    editOpener(customIds.edit, customIds.editFilled),
    editOpener(customIds.editPublicly, customIds.editFilledPublicly),
  ],
  forms: [editedForm(customIds.editFilled, 'new-message'), editedForm(customIds.editFilledPublicly, 'new-public')],
} satisfies Omit<Handlers<MessageServices>, 'commands'>;
