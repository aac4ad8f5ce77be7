import { customIds } from '../../discord/custom-ids.ts';
import { type Ask, button } from '../../discord/handlers.ts';
import { Refusal } from '../../lib/refusal.ts';
import { pressedTask } from '../../messages/buttons/pressed-task.ts';
import { offeredLines } from '../../messages/lines.ts';
import type { Task } from '../../services/tasks/task.ts';
import type { Services } from '../services.ts';
import { imagined } from './line.ts';

/** Pictures of every line are several jobs: how many is said first, to whoever pressed alone. */
export const allLinesButton = button(customIds.allLines, {
  answers: 'aside',
  async run(taskId, ask: Ask<Services>) {
    const parent = await pressedTask(taskId, ask);
    const count = String(linesOf(parent).length);
    const id = customIds.allLinesConfirmed.id(parent.id);
    const label = ask.say('task.lines.ask.yes', { many: count });
    return {
      content: ask.say('task.lines.ask.question', { many: count }),
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
      const order = (from: typeof origin) => services.tasks.submit({ ...from, ...imagined(parent, words) });
      await ask.another({ content: say('task.isAsked') }, order, { isPrivate: parent.route.isPrivate });
    }
    return { content: say('task.lines.ask.done', { many: String(lines.length) }), controls: [] };
  },
});

function linesOf(parent: Task): string[] {
  const lines = offeredLines(parent.text ?? '');
  if (lines.length === 0) throw new Refusal('refusals.noResult');
  return lines;
}
