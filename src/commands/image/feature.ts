import { customIds } from '../../discord/custom-ids.ts';
import { mayPostFiles } from '../../discord/guards.ts';
import { type Ask, button, command } from '../../discord/handlers.ts';
import { Refusal } from '../../lib/refusal.ts';
import { orderOnceMore, pressedTask } from '../../messages/buttons/pressed-task.ts';
import type { Gateway } from '../../services/gateway/index.ts';
import { variantOf } from '../../services/models/ids.ts';
import { needsResult } from '../../services/tasks/follow-ups.ts';
import { type Kind, kind } from '../../services/tasks/kind.ts';
import type { Feature } from '../feature.ts';
import { chosenModel, modelOption, suggestedModels } from '../model-option.ts';
import { promptOption } from '../prompt-option.ts';
import { linksOption, pictureOption } from '../reference-options.ts';
import type { Services } from '../services.ts';
import { referenceMenu, referenceOpener, referredForm } from './reference.ts';
import { imageRequest, imageSpecs, objectionTo } from './request.ts';
import { text } from './text.ts';
import { image as imageView } from './view.ts';

/** Asynchronous image jobs (4.5). */
function imageKind(imageJobs: Gateway['imageJobs']): Kind {
  return kind({
    name: 'image',
    source: { name: 'image jobs', one: (remoteId) => imageJobs.get(remoteId, { attempts: 1 }) },
    patience: () => 'picture',
    durationKey: ({ model }) => `image:${model}`,
    keyed: {
      bodyOf({ prompt, model }, { references = [] }) {
        const image = references.map(({ given }) => given);
        return imageJobs.bodyOf({ prompt, model, ...(image.length > 0 && { image }) });
      },
      send: ({ body, idempotencyKey }) => imageJobs.send(body, { idempotencyKey }),
    },
  });
}

/** The same order to a larger variant of its model. */
const largerButton = button(customIds.larger, {
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

const imageCommand = command({
  name: 'image',
  isPrivate: (values) => values.private ?? false,
  options: {
    prompt: promptOption,
    model: modelOption,
    image: pictureOption,
    image2: pictureOption,
    image3: pictureOption,
    image4: pictureOption,
    links: linksOption,
    private: { type: 'switch' },
  },
  guards: [(_place, values) => objectionTo(values), mayPostFiles],
  suggest: (_option, typed, ask: Ask<Services>) => suggestedModels('image', typed, ask),
  async run({ model, ...values }, { services, origin }: Ask<Services>) {
    const chosen = await chosenModel('image', model, services);
    await services.tasks.orders.submit({ ...origin, kind: 'image', request: imageRequest(values, chosen) });
    return 'shown as it goes';
  },
});

export const image: Feature<typeof text> = {
  command: imageCommand,
  text,
  menus: [referenceMenu],
  buttons: [largerButton],
  openers: [referenceOpener],
  forms: [referredForm],
  specs: imageSpecs,
  kinds: ({ gateway }) => [imageKind(gateway.imageJobs)],
  views: { image: imageView },
};
