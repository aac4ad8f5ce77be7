import type { Services } from '../../commands/services.ts';
import { ended } from '../../commands/talk/end.ts';
import { customIds } from '../../discord/custom-ids.ts';
import { type Ask, button } from '../../discord/handlers.ts';
import { ofKind, pressedTask } from '../pressed-task.ts';

/** The message of the conversation changes by itself, wherever this was pressed. */
export const endTalkButton = button(customIds.endTalk, {
  answers: 'aside',
  async run(taskId, ask: Ask<Services>) {
    return ended(ofKind('talk', await pressedTask(taskId, ask)), ask);
  },
});
