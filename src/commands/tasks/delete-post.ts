import { customIds } from '../../discord/custom-ids.ts';
import { type Ask, button } from '../../discord/handlers.ts';
import { linkTo } from '../../discord/message-link.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Services } from '../services.ts';
import { mayDeleteMessage, seenTask } from './audience.ts';

/** Deletes a task's message from elsewhere: it is not the one that was pressed. */
export const deletePostButton = button(customIds.deletePost, {
  answers: 'beside',
  async run(taskId, ask: Ask<Services>) {
    const task = await seenTask(taskId, ask);
    if (!mayDeleteMessage(task, ask)) throw new Refusal('refusals.notYours');
    const { removed, left, isLater } = await ask.services.tasks.removeMessage(task);
    if (isLater) throw new Refusal('refusals.messageStays');
    if (left.length > 0) return { content: ask.say('tasks.deleteStays', { link: left.map(linkTo).join(' ') }) };
    return { content: ask.say(removed > 0 ? 'tasks.deleted' : 'tasks.deletedBefore') };
  },
});
