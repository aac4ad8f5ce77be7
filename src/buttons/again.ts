import type { Services } from '../commands/services.ts';
import { customId } from '../discord/custom-id.ts';
import type { Ask, Button, Form, Opener } from '../discord/handlers.ts';
import { Refusal } from '../lib/refusal.ts';
import { hasOwnWords, hasResult, promptOf } from '../services/tasks/follow-ups.ts';
import type { Task } from '../services/tasks/task.ts';
import { wordsForm, wordsIn } from '../views/words-form.ts';
import { orderOnceMore } from './once-more.ts';
import { owned, ownTask, pressedTask, soon } from './pressed-task.ts';

const RETRY = { verb: 'retry', version: 1 } as const;
const EDIT = { verb: 'edit', version: 1 } as const;
const EDITED = { verb: 'editf', version: 1 } as const;
const CANCEL = { verb: 'cancel', version: 1 } as const;

export const retryId = (taskId: string): string => customId(RETRY.verb, RETRY.version, taskId);
export const editId = (taskId: string): string => customId(EDIT.verb, EDIT.version, taskId);
export const cancelId = (taskId: string): string => customId(CANCEL.verb, CANCEL.version, taskId);

/** The same once more, after it has failed. */
export const retryButton: Button<Services> = {
  ...RETRY,
  answers: 'beside',
  async run({ args }, ask) {
    await orderOnceMore(failed(await ownTask(args, ask)), ask);
    return 'shown as it goes';
  },
};

/** Once more with other words: what has failed its owner alone, and of a result whoever may go on from it. */
export const editOpener: Opener<Services> = {
  ...EDIT,
  async open(args, ask) {
    const task = await soon(editable(args, ask), ask);
    const id = customId(EDITED.verb, EDITED.version, task.id);
    return wordsForm({ id, title: ask.say('words.editTitle'), words: promptOf(task), withRegion: false }, ask.say);
  },
};

export const editedForm: Form<Services> = {
  ...EDITED,
  answers: 'beside',
  async run(filled, ask) {
    const task = await editable(filled.args, ask);
    const { words } = wordsIn(filled);
    if (words === '') throw new Refusal('refusals.noWords');
    // Named by its words from now on, whatever it was called before.
    await orderOnceMore(task, ask, { prompt: words, typed: words, title: undefined });
    return 'shown as it goes';
  },
};

/** The specification knows no way to take an order back: that is said, and nothing is pretended. */
export const cancelButton: Button<Services> = {
  ...CANCEL,
  answers: 'here',
  async run({ args }, ask) {
    await ownTask(args, ask);
    throw new Refusal('refusals.cannotCancel');
  },
};

async function editable(args: readonly string[], ask: Ask<Services>): Promise<Task> {
  const task = await pressedTask(args, ask);
  if (!hasOwnWords(task)) throw new Refusal('refusals.unknownButton');
  return hasResult(task) ? task : failed(owned(task, ask));
}

function failed(task: Task): Task {
  if (!['failed', 'expired', 'cancelled'].includes(task.state)) throw new Refusal('refusals.notFailed');
  return task;
}
