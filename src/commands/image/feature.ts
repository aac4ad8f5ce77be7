import { customIds } from '../../discord/custom-ids.ts';
import { requirePostPermissions } from '../../discord/guards.ts';
import { escapeText, inlineCode } from '../../discord/markdown.ts';
import { buttonPlan } from '../../discord/plan.ts';
import { Refusal, throwIfRefusal } from '../../lib/refusal.ts';
import type { KindView } from '../../messages/kind-view.ts';
import { parentOf, pressedTask, propose, submitOrder } from '../../messages/pressed-task.ts';
import { againButtons } from '../../messages/task-buttons.ts';
import { sizeVariantOf } from '../../services/gateway/model-ids.ts';
import { takesReferenceImages } from '../../services/gateway/reference-limits.ts';
import { defineKind } from '../../services/tasks/kind.ts';
import type { MemberFile } from '../../services/tasks/materials.ts';
import { type Task, withRequest } from '../../services/tasks/task.ts';
import { assertHasResult, spoilerOf, titleOf } from '../../services/tasks/task-facts.ts';
import { orderOfTask } from '../../services/tasks/transitions.ts';
import { readChoices } from '../choices.ts';
import { command, type Feature, on } from '../feature.ts';
import { addedImagesField, imageForm } from '../form-images.ts';
import {
  chooseModel,
  emptyPromptRefusal,
  imageOptions,
  imagesOfResult,
  linksOption,
  modelOption,
  promptOption,
  suggestModels,
  usualModel,
  withSuffix,
} from '../options.ts';
import { presetsFor } from '../presets.ts';
import { hasVariants, readVariants, repeatOption, submitVariants } from '../variants.ts';
import { imageRequest, imageSpecs } from './request.ts';

const MAX_MODEL_LENGTH = 200;

/** Whether the result itself can be sent to a larger model. Of several images, the button could not say which one it means. */
const isEnlargeable = ({ model = '', media }: Task): boolean =>
  media.length === 1 && media[0]?.kind === 'image' && takesReferenceImages(model);

/** Asks for confirmation because a larger model costs more: to enlarge the result, or to run the request again with that model. */
const largerButton = on(customIds.larger, {
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
    parse: ({ model, ...values }) => ({
      variants: readVariants(values, (prompt) => imageRequest({ ...values, prompt })),
      model,
    }),
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
