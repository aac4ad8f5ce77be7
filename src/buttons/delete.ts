import type { Services } from '../commands/services.ts';
import { customId } from '../discord/custom-id.ts';
import type { Button } from '../discord/handlers.ts';
import { mayManageMessages } from '../discord/place.ts';
import { Refusal } from '../lib/refusal.ts';
import { messageGone } from '../services/tasks/transitions.ts';
import { pressedTask } from './pressed-task.ts';

const DELETE = { verb: 'delete', version: 1 } as const;

export const deleteId = (taskId: string): string => customId(DELETE.verb, DELETE.version, taskId);

/** Removes a task's message; the task itself is kept. */
export const deleteButton: Button<Services> = {
  ...DELETE,
  answers: 'here',
  async run({ args }, ask) {
    const task = await pressedTask(args, ask);
    const { id, requesterId } = task;
    if (requesterId !== ask.place.userId && !mayManageMessages(ask.place)) throw new Refusal('refusals.notYours');
    await ask.services.tasks.change(id, messageGone);
    if (task.kind === 'ask') await ask.services.answers.takeAway(task);
    return 'taken away';
  },
};
