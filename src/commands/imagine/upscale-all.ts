import { customIds } from '../../discord/custom-ids.ts';
import { type Ask, button } from '../../discord/handlers.ts';
import { Refusal } from '../../lib/refusal.ts';
import { pressedTask } from '../../messages/buttons/pressed-task.ts';
import { meaningOfAction } from '../../services/tasks/actions.ts';
import { actionOn, changeOn } from '../../services/tasks/follow-ups.ts';
import type { Task } from '../../services/tasks/task.ts';
import type { Services } from '../services.ts';

/** All four at once: a task and a message for each, so that each goes its own way. */
export const upscaleAllButton = button(customIds.upscaleAll, {
  answers: 'beside',
  async run(taskId, ask: Ask<Services>) {
    const parent = await pressedTask(taskId, ask);
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
});

function upscalesOf(parent: Task) {
  if (parent.actions.length === 0) return (['U1', 'U2', 'U3', 'U4'] as const).map((short) => changeOn(parent, short));
  return parent.actions.flatMap(({ customId: id }, place) =>
    meaningOfAction(id).family === 'upscale' ? [actionOn(parent, place)] : [],
  );
}
