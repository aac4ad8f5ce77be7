import { customIds } from '../../discord/custom-ids.ts';
import { type Ask, button } from '../../discord/handlers.ts';
import { ofKind, pressedTask } from '../../messages/buttons/pressed-task.ts';
import type { Services } from '../services.ts';
import { ended } from './end.ts';

/** The message of the conversation changes by itself, wherever this was pressed. */
export const endTalkButton = button(customIds.endTalk, {
  answers: 'aside',
  async run(taskId, ask: Ask<Services>) {
    return ended(ofKind('talk', await pressedTask(taskId, ask)), ask);
  },
});
