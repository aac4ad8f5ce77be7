import type { Services } from '../../commands/services.ts';
import { customIds } from '../../discord/custom-ids.ts';
import { type Ask, button } from '../../discord/handlers.ts';
import { answerDetails } from '../../views/ask/details.ts';
import { ofKind, pressedTask } from '../pressed-task.ts';

/** Tokens and the like, for whoever wants to know. */
export const detailsButton = button(customIds.details, {
  answers: 'aside',
  async run(taskId, ask: Ask<Services>) {
    const task = ofKind('ask', await pressedTask(taskId, ask));
    return answerDetails(task, await ask.services.asks.knewOf(task), ask.say);
  },
});
