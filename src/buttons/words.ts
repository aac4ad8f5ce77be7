import type { Services } from '../commands/services.ts';
import { customId } from '../discord/custom-id.ts';
import type { Form, Opener } from '../discord/handlers.ts';
import { Refusal } from '../lib/refusal.ts';
import { meaningOfAction } from '../services/tasks/actions.ts';
import { actionOn, promptOf, proposedWords, sideOf, type WrittenWords } from '../services/tasks/follow-ups.ts';
import { sides } from '../services/tasks/materials.ts';
import type { Task } from '../services/tasks/task.ts';
import { wordsForm, wordsIn } from '../views/words-form.ts';
import { ownTask, placeIn, pressedTask, soon } from './pressed-task.ts';

const WORDS = { verb: 'w', version: 1 } as const;
const WRITTEN = { verb: 'wf', version: 1 } as const;
const CONTINUE = { verb: 'go', version: 1 } as const;
const CONTINUED = { verb: 'gof', version: 1 } as const;

export const wordsId = (taskId: string, place: number): string =>
  customId(WORDS.verb, WORDS.version, taskId, String(place));
export const continueId = (taskId: string): string => customId(CONTINUE.verb, CONTINUE.version, taskId);

/** A button whose action needs words: they are asked for before the gateway is. */
export const wordsOpener: Opener<Services> = {
  ...WORDS,
  async open(args, ask) {
    const task = await soon(pressedTask(args, ask), ask);
    const place = placeIn(args);
    const action = task.actions[place];
    if (!action) throw new Refusal('refusals.unknownButton');
    return wordsForm(
      {
        id: customId(WRITTEN.verb, WRITTEN.version, task.id, String(place)),
        title: action.label,
        words: proposedWords(task, place),
        withRegion: meaningOfAction(action.customId).words === 'with-region',
      },
      ask.say,
    );
  },
};

export const wordsWritten: Form<Services> = {
  ...WRITTEN,
  answers: 'beside',
  async run(filled, ask) {
    const parent = await pressedTask(filled.args, ask);
    const written = writtenIn(filled, parent);
    await ask.services.tasks.submit({ ...ask.origin, ...actionOn(parent, placeIn(filled.args), written) });
    return 'shown as it goes';
  },
};

/** A task that turned out to wait for words. */
export const continueOpener: Opener<Services> = {
  ...CONTINUE,
  async open(args, ask) {
    const task = await soon(ownTask(args, ask), ask);
    if (task.state !== 'needs-input') throw new Refusal('refusals.noWordsWanted');
    const withRegion = meaningOfAction(String(task.request.customId ?? '')).words === 'with-region';
    const words = task.finalPrompt || promptOf(task);
    const id = customId(CONTINUED.verb, CONTINUED.version, task.id);
    return wordsForm({ id, title: ask.say('words.title'), words, withRegion }, ask.say);
  },
};

export const continueWritten: Form<Services> = {
  ...CONTINUED,
  answers: 'here',
  async run(filled, ask) {
    const task = await ownTask(filled.args, ask);
    const parent = task.parentId === undefined ? task : ((await ask.services.tasks.get(task.parentId)) ?? task);
    await ask.services.tasks.giveWords(task.id, ask.origin, writtenIn(filled, parent));
    return 'shown as it goes';
  },
};

function writtenIn({ fields, files }: Parameters<typeof wordsIn>[0], parent: Task): WrittenWords {
  const { words, side, drawn } = wordsIn({ fields, files });
  if (words === '') throw new Refusal('refusals.noWords');
  const known = sides.find((one) => one === side);
  const region = drawn ? { drawn } : known && sideOf(parent, known);
  return { words, ...(region && { region }) };
}
