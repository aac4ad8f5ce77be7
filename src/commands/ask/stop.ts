import { customIds } from '../../discord/custom-ids.ts';
import { type Ask, button } from '../../discord/handlers.ts';
import { Refusal } from '../../lib/refusal.ts';
import { ownTask } from '../../messages/buttons/pressed-task.ts';
import { hasEnded, isInWords } from '../../services/tasks/task.ts';
import type { Services } from '../services.ts';

/** Enough was said: what came stays. */
export const stopButton = button(customIds.stop, {
  answers: 'here',
  async run(taskId, ask: Ask<Services>) {
    const task = await ownTask(taskId, ask);
    if (!isInWords(task) || hasEnded(task)) throw new Refusal('refusals.notStoppable');
    const { asks, talks } = ask.services;
    await (task.kind === 'said' ? talks : asks).stop(task);
    return 'shown as it goes';
  },
});
