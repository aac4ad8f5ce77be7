import type { Services } from '../../commands/services.ts';
import { customId } from '../../discord/custom-id.ts';
import type { Button } from '../../discord/handlers.ts';
import { Refusal } from '../../lib/refusal.ts';
import { hasEnded, isInWords } from '../../services/tasks/task.ts';
import { ownTask } from '../pressed-task.ts';

const STOP = { verb: 'stop', version: 1 } as const;

export const stopId = (taskId: string): string => customId(STOP.verb, STOP.version, taskId);

/** Enough was said: what came stays. */
export const stopButton: Button<Services> = {
  ...STOP,
  answers: 'here',
  async run({ args }, ask) {
    const task = await ownTask(args, ask);
    if (!isInWords(task) || hasEnded(task)) throw new Refusal('refusals.notStoppable');
    const { asks, talks } = ask.services;
    await (task.kind === 'said' ? talks : asks).stop(task);
    return 'shown as it goes';
  },
};
