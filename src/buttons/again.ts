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
const RETRY_OPENLY = { verb: 'retryo', version: 1 } as const;
const EDIT_OPENLY = { verb: 'edito', version: 1 } as const;
const EDITED_OPENLY = { verb: 'editfo', version: 1 } as const;
const CANCEL = { verb: 'cancel', version: 1 } as const;

export const retryId = (taskId: string): string => customId(RETRY.verb, RETRY.version, taskId);
export const editId = (taskId: string): string => customId(EDIT.verb, EDIT.version, taskId);
export const cancelId = (taskId: string): string => customId(CANCEL.verb, CANCEL.version, taskId);

/** For a message that only its reader sees: what comes of it is as public as the task was. */
export const againIds = ({ route }: Task) => ({
  retryId: route.isPrivate ? retryId : (id: string) => customId(RETRY_OPENLY.verb, RETRY_OPENLY.version, id),
  editId: route.isPrivate ? editId : (id: string) => customId(EDIT_OPENLY.verb, EDIT_OPENLY.version, id),
});

const retrying = (pointed: Pointed, answers: 'beside' | 'openly'): Button<Services> => ({
  ...pointed,
  answers,
  async run({ args }, ask) {
    await orderOnceMore(failed(await ownTask(args, ask), answers), ask);
    return 'shown as it goes';
  },
});

/** The same once more, after it has failed. */
export const retryButton = retrying(RETRY, 'beside');
export const retryOpenlyButton = retrying(RETRY_OPENLY, 'openly');

const editing = (pointed: Pointed, { verb, version }: Pointed): Opener<Services> => ({
  ...pointed,
  async open(args, ask) {
    const task = await soon(editable(args, ask), ask);
    const id = customId(verb, version, task.id);
    return wordsForm({ id, title: ask.say('words.editTitle'), words: promptOf(task), withRegion: false }, ask.say);
  },
});

/** Once more with other words. */
export const editOpener = editing(EDIT, EDITED);
export const editOpenlyOpener = editing(EDIT_OPENLY, EDITED_OPENLY);

const edited = (pointed: Pointed, answers: 'beside' | 'openly'): Form<Services> => ({
  ...pointed,
  answers,
  async run(filled, ask) {
    const task = mayBe(answers, await editable(filled.args, ask));
    const { words } = wordsIn(filled);
    if (words === '') throw new Refusal('refusals.noWords');
    // What was named by what it was made of is named by its words from now on; a song keeps its name.
    const name = task.kind === 'song' ? {} : { title: undefined };
    await orderOnceMore(task, ask, { prompt: words, typed: words, ...name });
    return 'shown as it goes';
  },
});

export const editedForm = edited(EDITED, 'beside');
export const editedOpenlyForm = edited(EDITED_OPENLY, 'openly');

/** The specification knows no way to take an order back: that is said, and nothing is pretended. */
export const cancelButton: Button<Services> = {
  ...CANCEL,
  answers: 'here',
  async run({ args }, ask) {
    await ownTask(args, ask);
    throw new Refusal('refusals.cannotCancel');
  },
};

interface Pointed {
  verb: string;
  version: number;
}

/** What has failed its owner alone, and a result whoever may go on from it. */
async function editable(args: readonly string[], ask: Ask<Services>): Promise<Task> {
  const task = await pressedTask(args, ask);
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
