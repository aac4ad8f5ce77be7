import { customIds } from '../../discord/custom-ids.ts';
import { type Ask, button } from '../../discord/handlers.ts';
import { ofKind, pressedTask } from '../../messages/buttons/pressed-task.ts';
import type { Services } from '../services.ts';
import { answerDetails } from './details-view.ts';

/** Tokens and the like, for whoever wants to know. */
export const detailsButton = button(customIds.details, {
  answers: 'aside',
  async run(taskId, ask: Ask<Services>) {
    const task = ofKind('ask', await pressedTask(taskId, ask));
    return answerDetails(task, await ask.services.asks.knewOf(task), ask.say);
  },
});
