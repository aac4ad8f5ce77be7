import type { Services } from '../commands/services.ts';
import { customId } from '../discord/custom-id.ts';
import type { Button } from '../discord/handlers.ts';
import { Refusal } from '../lib/refusal.ts';
import { meaningOfAction } from '../services/tasks/actions.ts';
import { actionOn, changeOn } from '../services/tasks/follow-ups.ts';
import type { Task } from '../services/tasks/task.ts';
import { pressedTask } from './pressed-task.ts';

const ALL = { verb: 'all', version: 1 } as const;

export const upscaleAllId = (taskId: string): string => customId(ALL.verb, ALL.version, taskId);

/** All four at once: a task and a message for each, so that each goes its own way. */
export const upscaleAllButton: Button<Services> = {
  ...ALL,
  answers: 'beside',
  async run({ args }, ask) {
    const parent = await pressedTask(args, ask);
    const { services, say } = ask;
    const [first, ...others] = upscalesOf(parent);
    if (!first) throw new Refusal('refusals.noResult');
    for (const followUp of others) {
      await ask.another({ content: say('task.isAsked') }, (origin) =>
        services.tasks.submit({ ...origin, ...followUp }),
      );
    }
    await services.tasks.submit({ ...ask.origin, ...first });
    return 'shown as it goes';
  },
};

function upscalesOf(parent: Task) {
  if (parent.actions.length === 0) return (['U1', 'U2', 'U3', 'U4'] as const).map((short) => changeOn(parent, short));
  return parent.actions.flatMap(({ customId: id }, place) =>
    meaningOfAction(id).family === 'upscale' ? [actionOn(parent, place)] : [],
  );
}
