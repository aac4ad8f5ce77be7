import { customIds } from '../../discord/custom-ids.ts';
import { type Ask, form, opener } from '../../discord/handlers.ts';
import { Refusal } from '../../lib/refusal.ts';
import { ofKind, pressedTask, soon } from '../../messages/buttons/pressed-task.ts';
import { chosenModel } from '../model-option.ts';
import type { Services } from '../services.ts';
import { goneOnIn, goOnForm } from './form.ts';
import { askedFor } from './request.ts';

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
