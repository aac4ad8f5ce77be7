import type { Services } from '../commands/services.ts';
import { customId } from '../discord/custom-id.ts';
import type { Button } from '../discord/handlers.ts';
import { mayManageMessages } from '../discord/place.ts';
import { Refusal } from '../lib/refusal.ts';
import { messageGone } from '../services/tasks/transitions.ts';
import { taskIn } from './task-argument.ts';

const DELETE = { verb: 'delete', version: 1 } as const;

export const deleteId = (taskId: string): string => customId(DELETE.verb, DELETE.version, taskId);

/** Removes a task's message; the task itself is kept. */
export const deleteButton: Button<Services> = {
  ...DELETE,
  answers: 'here',
  async run({ args }, { services, place }) {
    const id = taskIn(args);
    const task = await services.tasks.get(id);
    if (!task) throw new Refusal('refusals.unknownTask');
    if (task.requesterId !== place.userId && !mayManageMessages(place)) throw new Refusal('refusals.notYours');
    await services.tasks.change(id, messageGone);
    return 'taken away';
  },
};
