import { customIds } from '../../discord/custom-ids.ts';
import { type Ask, button, form, opener } from '../../discord/handlers.ts';
import { Refusal, throwRefusal } from '../../lib/refusal.ts';
import { offeredLines } from '../../messages/lines.ts';
import { pressedTask, soon, submitOrder } from '../../messages/pressed-task.ts';
import { wordsForm, wordsIn } from '../../messages/words-form.ts';
import { isSpoiler } from '../../services/tasks/follow-ups.ts';
import { lineAt } from '../../services/tasks/lines.ts';
import type { Task } from '../../services/tasks/task.ts';
import type { Services } from '../services.ts';
import type { FollowUp } from './follow-ups.ts';
import { imagineRequest } from './request.ts';

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
    return submitOrder(imagined(parent, wordsIn(filled).words), ask);
  },
});

/** Pictures of a line. The gateway's own buttons for it would ask for words too, and many gateways refuse them. */
function imagined(parent: Task, words: string): FollowUp<'imagine'> {
  const request = throwRefusal(imagineRequest({ prompt: words, spoiler: isSpoiler(parent) }));
  return { kind: 'imagine', parent, request };
}

/** Pictures of every line are several jobs: how many is said first, to whoever pressed alone. */
export const allLinesButton = button(customIds.allLines, {
  answers: 'aside',
  async run(taskId, ask: Ask<Services>) {
    const parent = await pressedTask(taskId, ask);
    const { length: count } = linesOf(parent);
    const id = customIds.allLinesConfirmed.id(parent.id);
    const label = ask.say('task.lines.ask.yes', { count });
    return {
      content: ask.say('task.lines.ask.question', { count }),
      controls: [{ type: 'button', id, label, look: 'primary' }],
    };
  },
});

/** A task and a message for each, as public as what was described. */
export const allLinesConfirmed = button(customIds.allLinesConfirmed, {
  answers: 'here',
  async run(taskId, ask: Ask<Services>) {
    const { services, origin, say } = ask;
    const parent = await pressedTask(taskId, ask);
    const lines = linesOf(parent);
    // The question goes as soon as it is answered, but two presses may have met it.
    if (!services.answered.isFirst(origin.message?.id ?? parent.id)) throw new Refusal('refusals.sameOrder');
    for (const words of lines) {
      const order = (from: typeof origin) => submitOrder(imagined(parent, words), { services, origin: from });
      await ask.another({ content: say('task.submitting') }, order, { isPrivate: parent.route.isPrivate });
    }
    return { content: say('task.lines.ask.done', { count: lines.length }), controls: [] };
  },
});

function linesOf(parent: Task): string[] {
  const lines = offeredLines(parent.text ?? '');
  if (lines.length === 0) throw new Refusal('refusals.noResult');
  return lines;
}
