import type { Services } from '../commands/services.ts';
import { mayDeleteMessage, seenTask } from '../commands/tasks/audience.ts';
import { customId } from '../discord/custom-id.ts';
import type { Button } from '../discord/handlers.ts';
import { linkTo } from '../discord/message-link.ts';
import { mayManageMessages } from '../discord/place.ts';
import { Refusal } from '../lib/refusal.ts';
import { isInWords } from '../services/tasks/task.ts';
import { withoutMessage } from '../services/tasks/transitions.ts';
import { pressedTask } from './pressed-task.ts';
import { taskIn } from './task-argument.ts';

const DELETE = { verb: 'delete', version: 1 } as const;
const DELETE_POST = { verb: 'unpost', version: 1 } as const;

export const deletePostId = (taskId: string): string => customId(DELETE_POST.verb, DELETE_POST.version, taskId);
export const deleteId = (taskId: string): string => customId(DELETE.verb, DELETE.version, taskId);

/**
 * Removes the message that was pressed, by what its presser may do in its channel; the task itself is kept. Where that is the task's own
 * message, the further ones of an answer below it go too. A copy goes alone.
 */
export const deleteButton: Button<Services> = {
  ...DELETE,
  answers: 'here',
  async run({ args }, ask) {
    const task = await pressedTask(args, ask);
    const { id, requesterId } = task;
    if (requesterId !== ask.place.userId && !mayManageMessages(ask.place)) throw new Refusal('refusals.notYours');
    const pressed = ask.origin.message?.id ?? '';
    await ask.services.tasks.change(id, (task) => withoutMessage(task, pressed));
    if (isInWords(task) && task.message?.id === pressed) await ask.services.answers.takeAway(task);
    return 'taken away';
  },
};

/** The same from elsewhere: the message that is deleted is not the one that was pressed. */
export const deletePostButton: Button<Services> = {
  ...DELETE_POST,
  answers: 'beside',
  async run({ args }, ask) {
    const task = await seenTask(taskIn(args), ask);
    if (!mayDeleteMessage(task, ask)) throw new Refusal('refusals.notYours');
    const { removed, left, isLater } = await ask.services.tasks.removeMessage(task);
    if (isLater) throw new Refusal('refusals.messageStays');
    if (left.length > 0) return { content: ask.say('tasks.deleteStays', { link: left.map(linkTo).join(' ') }) };
    return { content: ask.say(removed > 0 ? 'tasks.deleted' : 'tasks.deletedBefore') };
  },
};
