import { imagineRequest, objectionTo } from '../commands/imagine/request.ts';
import type { Services } from '../commands/services.ts';
import { customId } from '../discord/custom-id.ts';
import type { Form, Opener } from '../discord/handlers.ts';
import { Refusal } from '../lib/refusal.ts';
import { type FollowUp, isSpoiler } from '../services/tasks/follow-ups.ts';
import { lineAt } from '../services/tasks/lines.ts';
import type { Task } from '../services/tasks/task.ts';
import { wordsForm, wordsIn } from '../views/words-form.ts';
import { placeIn, pressedTask, soon } from './pressed-task.ts';

const LINE = { verb: 'line', version: 1 } as const;
const WRITTEN = { verb: 'linef', version: 1 } as const;

/** Lines are counted from 1. */
export const lineId = (taskId: string, number: number): string =>
  customId(LINE.verb, LINE.version, taskId, String(number));

/** One line of what was described or shortened, in the form of `/imagine`: to be changed, and ordered. */
export const lineOpener: Opener<Services> = {
  ...LINE,
  async open(args, ask) {
    const task = await soon(pressedTask(args, ask), ask);
    const words = lineAt(task.text ?? '', placeIn(args));
    if (words === undefined) throw new Refusal('refusals.unknownButton');
    const id = customId(WRITTEN.verb, WRITTEN.version, task.id);
    return wordsForm({ id, title: ask.say('words.imagineTitle'), words, withRegion: false }, ask.say);
  },
};

export const lineWritten: Form<Services> = {
  ...WRITTEN,
  answers: 'beside',
  async run(filled, ask) {
    const parent = await pressedTask(filled.args, ask);
    await ask.services.tasks.submit({ ...ask.origin, ...imagined(parent, wordsIn(filled).words) });
    return 'shown as it goes';
  },
};

/** Pictures of a line. The gateway's own buttons for it would ask for words too, and many gateways refuse them. */
export function imagined(parent: Task, words: string): FollowUp {
  const values = { prompt: words, spoiler: isSpoiler(parent) };
  const objection = objectionTo(values);
  if (objection) throw objection;
  return { kind: 'imagine', parent, request: imagineRequest(values) };
}
