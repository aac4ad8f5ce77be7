import { chosenModel } from '../commands/model-option.ts';
import type { Services } from '../commands/services.ts';
import { customId } from '../discord/custom-id.ts';
import type { Button } from '../discord/handlers.ts';
import { Refusal } from '../lib/refusal.ts';
import { type ModelSize, modelSizes, variantOf } from '../services/models/sizes.ts';
import { needsResult } from '../services/tasks/follow-ups.ts';
import { orderOnceMore } from './once-more.ts';
import { pressedTask } from './pressed-task.ts';

const LARGER = { verb: 'large', version: 1 } as const;

export const largerId = (taskId: string, size: ModelSize): string =>
  customId(LARGER.verb, LARGER.version, taskId, size);

/** The same order to a larger variant of its model. */
export const largerButton: Button<Services> = {
  ...LARGER,
  answers: 'beside',
  async run({ args }, ask) {
    const task = await pressedTask(args, ask);
    needsResult(task);
    const size = modelSizes.find((one) => one === args[1]);
    const variant = size && task.kind === 'image' ? variantOf(task.model ?? '', size) : undefined;
    if (variant === undefined) throw new Refusal('refusals.unknownButton');
    // Lists change: what was offered a month ago may be gone.
    await orderOnceMore(task, ask, { model: await chosenModel('image', variant, ask.services) });
    return 'shown as it goes';
  },
};
