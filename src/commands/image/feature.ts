import { customIds } from '../../discord/custom-ids.ts';
import { escapeText } from '../../discord/markdown.ts';
import { Refusal, throwIfRefusal } from '../../lib/refusal.ts';
import type { KindView } from '../../messages/kind-view.ts';
import { submitOrder } from '../../messages/pressed-task.ts';
import { againButtons, buttonPlan } from '../../messages/task-buttons.ts';
import { defineKind } from '../../services/tasks/kind.ts';
import { spoilerOf } from '../../services/tasks/task-facts.ts';
import { readChoices } from '../choices.ts';
import { command, type Feature } from '../feature.ts';
import { addedImagesField, imageForm } from '../form-images.ts';
import {
  chooseModel,
  emptyPromptRefusal,
  imageOptions,
  linksOption,
  modelOption,
  promptOption,
  suggestModels,
  usualModel,
  withSuffix,
} from '../options.ts';
import { presetsFor } from '../presets.ts';
import { hasVariants, readVariants, repeatOption, submitVariants } from '../variants.ts';
import { isEnlargeable, largerButton } from './larger.ts';
import { imageRequest, imageSpecs } from './request.ts';

const MAX_MODEL_LENGTH = 200;

const imageView: KindView<'image'> = {
  needsModelList: true,
  facts: ({ model = '' }, say) =>
    model === '' ? [] : [`-# ${say('task.facts.model', { model: escapeText(model, MAX_MODEL_LENGTH) })}`],

  buttons(task, offering, say) {
    const { id, model = '', media } = task;
    const repeatButtons = againButtons(id, say);
    if (media.length === 0) return repeatButtons;
    const canEnlarge = isEnlargeable(task);
    const largerButtons = offering.largerVariants(model).map((which, index) => {
      const label = canEnlarge
        ? say('task.buttons.larger', { size: which })
        : say('task.buttons.runLarger', { size: which });
      return buttonPlan(label, customIds.larger.id({ taskId: id, which }), { emoji: '⏫', startsRow: index === 0 });
    });
    const reference = buttonPlan(say('task.buttons.reference'), customIds.reference.id(id), { emoji: '🖼️' });
    return [...repeatButtons, reference, ...largerButtons];
  },

  moreButtons: ({ id, media }, _context, say) =>
    media.some(({ kind }) => kind === 'image')
      ? [buttonPlan(say('video.button'), customIds.makeVideo.id(id), { emoji: '🎬' })]
      : [],
};

/** Generates an image with the images of a result or a message as references. */
export const referenceForm = imageForm({
  menu: 'reference',
  purpose: 'image',
  opened: customIds.reference,
  filled: customIds.referenceFilled,
  /** With more references, each of them has hardly any effect. */
  maxImages: 10,
  moreFields: (say) => [addedImagesField(10, say)],
  labels: (say, count) => ({
    title: say('reference.title', { count }),
    prompt: say('reference.prompt'),
    model: say('reference.model'),
    modelHint: say('reference.modelHint'),
  }),
  parse({ words = '' }) {
    const prompt = words.trim();
    return emptyPromptRefusal({ prompt }) ?? { prompt };
  },
  async run({ prompt }, { parent, links, model, about }, context) {
    const request = throwIfRefusal(imageRequest({ prompt, links }));
    const spoiler = parent && spoilerOf(parent);
    return submitOrder({ kind: 'image', request: { ...request, model, about, ...spoiler }, parent }, context);
  },
});

export const image: Feature = {
  command: command({
    name: 'image',
    onlyOrders: true,
    presets: presetsFor('image'),
    options: {
      prompt: promptOption,
      model: modelOption,
      ...imageOptions.four,
      links: linksOption,
      repeat: repeatOption,
    },
    asksFirst: hasVariants(),
    parse({ model, ...values }) {
      const variants = readVariants(values, (prompt) => imageRequest({ ...values, prompt }));
      return variants instanceof Refusal ? variants : { variants, model };
    },
    suggest: (_option, input, context) => suggestModels('image', input, context),
    async run({ variants, model: modelInput }, context) {
      const choices = await readChoices(context);
      const model = await chooseModel(
        'image',
        usualModel('image', { option: modelInput }, choices, context),
        context.services,
      );
      return submitVariants(
        variants,
        (request) => ({ kind: 'image', request: { ...withSuffix(request, choices), model } }),
        context,
      );
    },
  }),
  menus: [referenceForm.menu],
  handlers: [largerButton, ...referenceForm.handlers],
  specs: imageSpecs,
  /** Asynchronous image jobs (specification, 4.5). */
  kinds: ({ gateway: { imageJobs } }) => [
    defineKind({
      name: 'image',
      source: { name: 'image jobs', endpoint: imageJobs },
      waitLimit: () => 'image',
      durationKey: ({ model }) => `image:${model}`,
      keyedSubmit: {
        bodyOf({ prompt, model }, { references = [] }, user) {
          const image = references.map(({ uri }) => uri);
          return imageJobs.bodyOf({ prompt, model, ...(image.length > 0 && { image }) }, user);
        },
        send: ({ body, idempotencyKey }) => imageJobs.send(body, { idempotencyKey }),
      },
    }),
  ],
  views: { image: imageView },
};
