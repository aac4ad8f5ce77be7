import { customIds } from '../../discord/custom-ids.ts';
import { type Ask, button } from '../../discord/handlers.ts';
import { needsResult } from '../../services/tasks/follow-ups.ts';
import type { MessageServices } from '../services.ts';
import { orderOnceMore, pressedTask } from './pressed-task.ts';

/** The very same order once more, for whoever may go on from its result. */
export const sameButton = button(customIds.same, {
  answers: 'beside',
  async run(taskId, ask: Ask<MessageServices>) {
    const task = await pressedTask(taskId, ask);
    needsResult(task);
    await orderOnceMore(task, ask);
    return 'shown as it goes';
  },
});
