import { customIds } from '../../discord/custom-ids.ts';
import { Refusal, throwIfRefusal } from '../../lib/refusal.ts';
import { spoilerOf } from '../../services/tasks/task-facts.ts';
import { readChoices } from '../choices.ts';
import { command, type Feature } from '../feature.ts';
import { imageForm } from '../form-images.ts';
import { chooseModel, suggestModels, usualModel, withSuffix } from '../options.ts';
import { presetsFor } from '../presets.ts';
import { hasVariants, readVariants, repeatOption, submitVariants } from '../variants.ts';
import { videoKinds } from './kinds.ts';
import { submitOrConfirm } from './limits.ts';
import { endpoints, type VideoDraft, videoOptions, videoOrder, videoRequest, videoSpecs } from './request.ts';
import { videoView } from './view.ts';

/** Makes a video from the images of a result or a message. */
export const videoOfImages = imageForm({
  menu: 'video',
  purpose: 'video',
  opened: customIds.makeVideo,
  filled: customIds.makeVideoFilled,
  /** The highest number that any model is known to accept (specification, part 8). */
  maxImages: 7,
  labels: (say, count) => ({
    title: say('video.form.title', { count }),
    prompt: say('video.form.prompt'),
    model: say('video.form.model'),
    modelHint: say('video.form.modelHint'),
  }),
  moreFields: (say) => [
    { type: 'text', name: 'duration', label: say('video.form.duration') },
    { type: 'text', name: 'size', label: say('video.form.size') },
  ],
  parse({ words: prompt = '', duration = '', size = '' }) {
    const values = { prompt, duration, size };
    const request = videoRequest(values);
    return request instanceof Refusal ? request : values;
  },
  async run(values, { parent, links, model, about }, context) {
    const draft = { ...throwIfRefusal(videoRequest({ ...values, links })), about };
    const { spoiler } = parent ? spoilerOf(parent) : {};
    const order = videoOrder(draft, { model, fields: context.services.settings.gateway.fields, spoiler });
    return submitOrConfirm({ ...order, parent }, context);
  },
});

export const video: Feature = {
  command: command({
    name: 'video',
    onlyOrders: true,
    presets: presetsFor('video'),
    options: {
      ...videoOptions,
      endpoint: { type: 'text', choices: endpoints },
      repeat: repeatOption,
    },
    asksFirst: hasVariants(),
    parse: ({ model, ...values }) => ({
      variants: readVariants(values, (prompt) => videoRequest({ ...values, prompt })),
      model,
    }),
    suggest: (_option, input, context) => suggestModels('video', input, context),
    async run({ variants, model: modelInput }, context) {
      const { services } = context;
      const choices = await readChoices(context);
      const model = await chooseModel('video', usualModel('video', { option: modelInput }, choices, context), services);
      const { fields } = services.settings.gateway;
      const orderFor = (draft: VideoDraft) =>
        videoOrder(draft, { model, fields, preferred: withSuffix({ prompt: draft.request.prompt }, choices) });
      const [draft] = variants.requests;
      return draft && variants.requests.length === 1
        ? submitOrConfirm(orderFor(draft), context)
        : submitVariants(variants, orderFor, context);
    },
  }),
  menus: [videoOfImages.menu],
  handlers: videoOfImages.handlers,
  specs: videoSpecs,
  kinds: videoKinds,
  views: { video: videoView, 'second-video': videoView, 'image-to-video': videoView },
};
