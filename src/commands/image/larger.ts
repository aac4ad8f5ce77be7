import { customIds } from '../../discord/custom-ids.ts';
import { type Ask, button } from '../../discord/handlers.ts';
import { Refusal } from '../../lib/refusal.ts';
import { orderOnceMore, pressedTask } from '../../messages/buttons/pressed-task.ts';
import { variantOf } from '../../services/models/ids.ts';
import { needsResult } from '../../services/tasks/follow-ups.ts';
import { chosenModel } from '../model-option.ts';
import type { Services } from '../services.ts';

/** The same order to a larger variant of its model. */
export const largerButton = button(customIds.larger, {
  answers: 'beside',
  async run({ taskId, which }, ask: Ask<Services>) {
    const task = await pressedTask(taskId, ask);
    needsResult(task);
    const variant = task.kind === 'image' ? variantOf(task.model ?? '', which) : undefined;
    if (variant === undefined) throw new Refusal('refusals.unknownButton');
    // Lists change: what was offered a month ago may be gone.
    await orderOnceMore(task, ask, { model: await chosenModel('image', variant, ask.services) });
    return 'shown as it goes';
  },
});
