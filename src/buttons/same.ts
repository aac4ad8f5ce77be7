import type { Services } from '../commands/services.ts';
import { customId } from '../discord/custom-id.ts';
import type { Button } from '../discord/handlers.ts';
import { needsResult } from '../services/tasks/follow-ups.ts';
import { orderOnceMore } from './once-more.ts';
import { pressedTask } from './pressed-task.ts';

const SAME = { verb: 'same', version: 1 } as const;

export const sameId = (taskId: string): string => customId(SAME.verb, SAME.version, taskId);

/** The very same order once more, for whoever may go on from its result. */
export const sameButton: Button<Services> = {
  ...SAME,
  answers: 'beside',
  async run({ args }, ask) {
    const task = await pressedTask(args, ask);
    needsResult(task);
    await orderOnceMore(task, ask);
    return 'shown as it goes';
  },
};
