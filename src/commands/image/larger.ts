import { customIds } from '../../discord/custom-ids.ts';
import { requirePostPermissions } from '../../discord/guards.ts';
import { inlineCode } from '../../discord/markdown.ts';
import { Refusal, throwIfRefusal } from '../../lib/refusal.ts';
import { parentOf, pressedTask, propose } from '../../messages/pressed-task.ts';
import { sizeVariantOf } from '../../services/gateway/model-ids.ts';
import { takesReferenceImages } from '../../services/gateway/reference-limits.ts';
import type { MemberFile } from '../../services/tasks/materials.ts';
import { type Task, withRequest } from '../../services/tasks/task.ts';
import { assertHasResult, spoilerOf, titleOf } from '../../services/tasks/task-facts.ts';
import { orderOfTask } from '../../services/tasks/transitions.ts';
import { on } from '../feature.ts';
import { chooseModel, imagesOfResult } from '../options.ts';
import { imageRequest } from './request.ts';

/** Whether the result itself can be sent to a larger model. Of several images, the button could not say which one it means. */
export const isEnlargeable = ({ model = '', media }: Task): boolean =>
  media.length === 1 && media[0]?.kind === 'image' && takesReferenceImages(model);

/** Asks for confirmation because a larger model costs more: to enlarge the result, or to run the request again with that model. */
export const largerButton = on(customIds.larger, {
  // The price is only for the member; the result gets a message as public as the one it comes from.
  reply: 'new-private',
  onlyOrders: true,
  async run({ taskId, which }, context, { message: pressedMessage }) {
    const { facts, services, say } = context;
    const { isPrivate } = pressedMessage;
    const task = await pressedTask(taskId, context);
    assertHasResult(task);
    throwIfRefusal(requirePostPermissions(facts, { private: isPrivate }));
    const variant = task.kind === 'image' ? sizeVariantOf(task.model ?? '', which) : undefined;
    if (task.kind !== 'image' || variant === undefined) throw new Refusal('refusals.unknownButton');
    // Model lists change: a variant that was offered a month ago may be gone.
    const model = await chooseModel('image', variant, services);
    const variables = { model: inlineCode(model) };
    if (!isEnlargeable(task)) {
      const order = { ...orderOfTask(withRequest(task, { model })), parent: await parentOf(task, services) };
      return propose([order], { reason: say('larger.again', variables) }, context, isPrivate ? 'private' : 'public');
    }
    const [image] = imagesOfResult(task, pressedMessage);
    if (!image) throw new Refusal('refusals.sourceImageGone');
    const order = { kind: 'image', request: { ...enlargement(task, image), model }, parent: task } as const;
    return propose([order], { reason: say('larger.result', variables) }, context, isPrivate ? 'private' : 'public');
  },
});

/** The prompt that made the result would change it again, such as "add a hat" of a reference image. */
const INSTRUCTION = 'Reproduce this image exactly, without any change, in a higher resolution.';

function enlargement(task: Task, image: MemberFile) {
  const prompt = `${INSTRUCTION} It shows: ${titleOf(task)}`;
  const request = throwIfRefusal(imageRequest({ prompt, links: image.address }));
  return { ...request, typed: titleOf(task), ...spoilerOf(task) };
}
