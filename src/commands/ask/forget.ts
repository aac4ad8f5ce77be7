import { customIds } from '../../discord/custom-ids.ts';
import { type Ask, button } from '../../discord/handlers.ts';
import { ofKind, ownTask } from '../../messages/buttons/pressed-task.ts';
import type { Services } from '../services.ts';

/** Nothing of the conversation is sent to a model any more. */
export const forgetButton = button(customIds.forgetConversation, {
  answers: 'aside',
  async run(taskId, ask: Ask<Services>) {
    await ask.services.asks.forget(ofKind('ask', await ownTask(taskId, ask)));
    return { content: ask.say('ask.forgotten') };
  },
});
