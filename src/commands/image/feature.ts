import { customIds } from '../../discord/custom-ids.ts';
import { mayPostFiles } from '../../discord/guards.ts';
import { type Ask, button, command } from '../../discord/handlers.ts';
import { asText } from '../../discord/markdown.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { KindView } from '../../messages/kind-view.ts';
import { orderOnceMore, pressedTask, submitOrder } from '../../messages/pressed-task.ts';
import { againButtons, buttonPlan } from '../../messages/task-buttons.ts';
import { variantOf } from '../../services/models/ids.ts';
import { needsResult } from '../../services/tasks/follow-ups.ts';
import { kind } from '../../services/tasks/kind.ts';
import type { Feature } from '../feature.ts';
import { chosenModel, imageOptions, linksOption, modelOption, promptOption, suggestedModels } from '../options.ts';
import type { Services } from '../services.ts';
import { referenceMenu, referenceOpener, referredForm } from './reference.ts';
import { imageRequest, imageSpecs } from './request.ts';
import { text } from './text.ts';

const LONGEST_MODEL = 200;

const imageView: KindView<'image'> = {
  asksModels: true,
  facts: ({ model = '' }, say) =>
    model === '' ? [] : [`-# ${say('task.facts.model', { model: asText(model, LONGEST_MODEL) })}`],

  buttons({ id, model = '', media }, offering, say) {
    const again = againButtons(id, say);
    if (media.length === 0) return again;
    const larger = offering.largerThan(model).map((which, index) => {
      const label = say('task.buttons.larger', { size: which });
      return buttonPlan(label, customIds.larger.id({ taskId: id, which }), { emoji: '⏫', startsRow: index === 0 });
    });
    const reference = buttonPlan(say('task.buttons.reference'), customIds.reference.id(id), { emoji: '🖼️' });
    return [...again, reference, ...larger];
  },

  more: ({ id, media }, _context, say) =>
    media.some(({ kind }) => kind === 'image')
      ? [buttonPlan(say('video.button'), customIds.film.id(id), { emoji: '🎬' })]
      : [],
};

/** The same order to a larger variant of its model. */
const largerButton = button(customIds.larger, {
  answers: 'beside',
  async run({ taskId, which }, ask: Ask<Services>) {
    const task = await pressedTask(taskId, ask);
    needsResult(task);
    const variant = task.kind === 'image' ? variantOf(task.model ?? '', which) : undefined;
    if (variant === undefined) throw new Refusal('refusals.unknownButton');
    // Model lists change: a variant that was offered a month ago may be gone.
    return orderOnceMore(task, ask, { model: await chosenModel('image', variant, ask.services) });
  },
});

const imageCommand = command({
  name: 'image',
  isPrivate: (values) => values.private ?? false,
  options: {
    prompt: promptOption,
    model: modelOption,
    ...imageOptions.four,
    links: linksOption,
    private: { type: 'switch' },
  },
  parse({ model, ...values }) {
    const request = imageRequest(values);
    return request instanceof Refusal ? request : { request, model };
  },
  guards: [mayPostFiles],
  suggest: (_option, typed, ask: Ask<Services>) => suggestedModels('image', typed, ask),
  async run({ request, model: typed }, ask: Ask<Services>) {
    const model = await chosenModel('image', typed, ask.services);
    return submitOrder({ kind: 'image', request: { ...request, model } }, ask);
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
  /** Asynchronous image jobs (4.5). */
  kinds: ({ gateway: { imageJobs } }) => [
    kind({
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
    }),
  ],
  views: { image: imageView },
};
