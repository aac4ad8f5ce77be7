import { customIds } from '../../discord/custom-ids.ts';
import { type Ask, button } from '../../discord/handlers.ts';
import { mayManageMessages } from '../../discord/place.ts';
import { Refusal } from '../../lib/refusal.ts';
import { withoutMessage } from '../../services/tasks/delivery-state.ts';
import type { MessageServices } from '../services.ts';
import { pressedTask } from './pressed-task.ts';

/**
 * Removes the message that was pressed, by what its presser may do in its channel; the task itself is kept. Where that is the task's own
 * message, the further ones of an answer below it go too. A copy goes alone.
 */
export const deleteButton = button(customIds.delete, {
  answers: 'here',
  async run(taskId, ask: Ask<MessageServices>) {
    const task = await pressedTask(taskId, ask);
    const { id, requesterId } = task;
    if (requesterId !== ask.place.userId && !mayManageMessages(ask.place)) throw new Refusal('refusals.notYours');
    const pressed = ask.origin.message?.id ?? '';
    await ask.services.tasks.book.change(id, (task) => withoutMessage(task, pressed));
    if (task.traits.isInWords && task.message?.id === pressed) await ask.services.answers.takeAway(task);
    return 'taken away';
  },
});
