import { customIds } from '../../discord/custom-ids.ts';
import { type Ask, button } from '../../discord/handlers.ts';
import { pressedTask } from '../../messages/buttons/pressed-task.ts';
import { actionOn, changeOn } from '../../services/tasks/follow-ups.ts';
import type { Services } from '../services.ts';

/** Presses a button that the gateway gave with a result. The new task is whoever pressed it's. */
export const actionButton = button(customIds.action, {
  answers: 'beside',
  async run({ taskId, place }, ask: Ask<Services>) {
    const parent = await pressedTask(taskId, ask);
    await ask.services.tasks.submit({ ...ask.origin, ...actionOn(parent, place) });
    return 'shown as it goes';
  },
});

/** Upscale, variation and reroll of a result that came without buttons. */
export const changeButton = button(customIds.change, {
  answers: 'beside',
  async run({ taskId, which }, ask: Ask<Services>) {
    const parent = await pressedTask(taskId, ask);
    await ask.services.tasks.submit({ ...ask.origin, ...changeOn(parent, which) });
    return 'shown as it goes';
  },
});
