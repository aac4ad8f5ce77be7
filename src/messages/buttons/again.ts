import { customIds } from '../../discord/custom-ids.ts';
import { type Ask, button, form, opener } from '../../discord/handlers.ts';
import { Refusal } from '../../lib/refusal.ts';
import { hasOwnWords, hasResult, needsResult, promptOf } from '../../services/tasks/follow-ups.ts';
import type { Task } from '../../services/tasks/task.ts';
import type { MessageServices } from '../services.ts';
import { wordsForm, wordsIn } from '../words-form.ts';
import { orderOnceMore, owned, ownTask, pressedTask, soon } from './pressed-task.ts';

const retrying = (on: typeof customIds.retry, answers: 'beside' | 'openly') =>
  button(on, {
    answers,
    async run(taskId, ask: Ask<MessageServices>) {
      await orderOnceMore(failed(await ownTask(taskId, ask), answers), ask);
      return 'shown as it goes';
    },
  });

/** The same once more, after it has failed. */
export const retryButton = retrying(customIds.retry, 'beside');
export const retryOpenlyButton = retrying(customIds.retryOpenly, 'openly');

const editing = (on: typeof customIds.edit, filled: typeof customIds.editFilled) =>
  opener(on, async (taskId, ask: Ask<MessageServices>) => {
    const task = await soon(editable(taskId, ask), ask);
    const id = filled.id(task.id);
    return wordsForm({ id, title: ask.say('words.editTitle'), words: promptOf(task), withRegion: false }, ask.say);
  });

/** Once more with other words. */
export const editOpener = editing(customIds.edit, customIds.editFilled);
export const editOpenlyOpener = editing(customIds.editOpenly, customIds.editFilledOpenly);

const edited = (on: typeof customIds.editFilled, answers: 'beside' | 'openly') =>
  form(on, {
    answers,
    async run(taskId, filled, ask: Ask<MessageServices>) {
      const task = mayBe(answers, await editable(taskId, ask));
      const { words } = wordsIn(filled);
      if (words === '') throw new Refusal('refusals.noWords');
      // What was named by what it was made of is named by its words from now on; a song keeps its name.
      const name = task.traits.keepsTitle ? {} : { title: undefined };
      await orderOnceMore(task, ask, { prompt: words, typed: words, ...name });
      return 'shown as it goes';
    },
  });

export const editedForm = edited(customIds.editFilled, 'beside');
export const editedOpenlyForm = edited(customIds.editFilledOpenly, 'openly');

/** The specification knows no way to take an order back: that is said, and nothing is pretended. */
export const cancelButton = button(customIds.cancel, {
  answers: 'here',
  async run(taskId, ask: Ask<MessageServices>) {
    await ownTask(taskId, ask);
    throw new Refusal('refusals.cannotCancel');
  },
});

/** What has failed its owner alone, and a result whoever may go on from it. */
async function editable(taskId: string, ask: Ask<MessageServices>): Promise<Task> {
  const task = await pressedTask(taskId, ask);
  if (!hasOwnWords(task)) throw new Refusal('refusals.unknownButton');
  return hasResult(task) ? task : failed(owned(task, ask));
}

/** Ids can be forged: what was private does not become public like this. */
function mayBe(answers: 'beside' | 'openly', task: Task): Task {
  if (answers === 'openly' && task.route.isPrivate) throw new Refusal('refusals.unknownButton');
  return task;
}

function failed(task: Task, answers: 'beside' | 'openly' = 'beside'): Task {
  mayBe(answers, task);
  if (!['failed', 'expired', 'cancelled'].includes(task.state)) throw new Refusal('refusals.notFailed');
  return task;
}

/** The very same order once more, for whoever may go on from its result. */
export const sameButton = button(customIds.same, {
  answers: 'beside',
  async run(taskId, ask: Ask<MessageServices>) {
    const task = await pressedTask(taskId, ask);
    needsResult(task);
    await orderOnceMore(task, ask);
    return 'shown as it goes';
  },
});
