import { customIds } from '../../discord/custom-ids.ts';
import { type Ask, form, opener } from '../../discord/handlers.ts';
import { Refusal } from '../../lib/refusal.ts';
import { pressedTask, soon } from '../../messages/buttons/pressed-task.ts';
import { wordsForm, wordsIn } from '../../messages/words-form.ts';
import { type FollowUp, isSpoiler } from '../../services/tasks/follow-ups.ts';
import { lineAt } from '../../services/tasks/lines.ts';
import type { Task } from '../../services/tasks/task.ts';
import type { Services } from '../services.ts';
import { imagineRequest, objectionTo } from './request.ts';

/** One line of what was described or shortened, in the form of `/imagine`: to be changed, and ordered. */
export const lineOpener = opener(customIds.line, async ({ taskId, place }, ask: Ask<Services>) => {
  const task = await soon(pressedTask(taskId, ask), ask);
  const words = lineAt(task.text ?? '', place);
  if (words === undefined) throw new Refusal('refusals.unknownButton');
  const id = customIds.lineFilled.id(task.id);
  return wordsForm({ id, title: ask.say('words.imagineTitle'), words, withRegion: false }, ask.say);
});

export const lineWritten = form(customIds.lineFilled, {
  answers: 'beside',
  async run(taskId, filled, ask: Ask<Services>) {
    const parent = await pressedTask(taskId, ask);
    await ask.services.tasks.submit({ ...ask.origin, ...imagined(parent, wordsIn(filled).words) });
    return 'shown as it goes';
  },
});

/** Pictures of a line. The gateway's own buttons for it would ask for words too, and many gateways refuse them. */
export function imagined(parent: Task, words: string): FollowUp {
  const values = { prompt: words, spoiler: isSpoiler(parent) };
  const objection = objectionTo(values);
  if (objection) throw objection;
  return { kind: 'imagine', parent, request: imagineRequest(values) };
}
