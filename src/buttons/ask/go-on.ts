import { askedFor } from '../../commands/ask/request.ts';
import { chosenModel } from '../../commands/model-option.ts';
import type { Services } from '../../commands/services.ts';
import { customIds } from '../../discord/custom-ids.ts';
import { type Ask, form, opener } from '../../discord/handlers.ts';
import { Refusal } from '../../lib/refusal.ts';
import { goneOnIn, goOnForm } from '../../views/ask/form.ts';
import { ofKind, pressedTask, soon } from '../pressed-task.ts';

/** The next question of a conversation. */
export const goOnOpener = opener(customIds.goOn, async (taskId, ask: Ask<Services>) => {
  const task = ofKind('ask', await soon(pressedTask(taskId, ask), ask));
  return goOnForm(customIds.goOnFilled.id(task.id), ask.say);
});

export const goOnFilled = form(customIds.goOnFilled, {
  answers: 'beside',
  async run(taskId, filled, ask: Ask<Services>) {
    const before = ofKind('ask', await pressedTask(taskId, ask));
    const given = goneOnIn(filled);
    if (given.prompt === '') throw new Refusal('refusals.noWords');
    const { services, origin } = ask;
    const { effort, format, web } = before.request as { effort?: string; format?: string; web?: boolean };
    const model = await chosenModel('text', before.model, services);
    const request = askedFor({ ...given, effort, format, web }, model, before, origin);
    await services.tasks.submit({ ...origin, kind: 'ask', request, parent: before });
    return 'shown as it goes';
  },
});
