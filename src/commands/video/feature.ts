import { Refusal } from '../../lib/refusal.ts';
import type { Feature } from '../feature.ts';
import { chooseModel, suggestModels } from '../options.ts';
import { command } from '../services.ts';
import { videoOfImages } from './form.ts';
import { videoKinds } from './kinds.ts';
import { submitOrConfirm } from './limits.ts';
import { endpoints, videoOptions, videoOrder, videoRequest, videoSpecs } from './request.ts';
import { text } from './text.ts';
import { videoView } from './view.ts';

const videoCommand = command({
  name: 'video',
  isPrivate: 'chosen',
  onlyOrders: true,
  options: {
    ...videoOptions,
    endpoint: { type: 'text', choices: endpoints },
  },
  parse({ model, ...values }) {
    const draft = videoRequest(values);
    return draft instanceof Refusal ? draft : { draft, model };
  },
  suggest: (_option, input, context) => suggestModels('video', input, context),
  async run({ draft, model: modelInput }, context) {
    const { services } = context;
    const model = await chooseModel('video', modelInput, services);
    return submitOrConfirm(videoOrder(draft, { model, fields: services.settings.gateway.fields }), context);
  },
});

export const video: Feature<typeof text> = {
  command: videoCommand,
  text,
  menus: [videoOfImages.menu],
  handlers: videoOfImages.handlers,
  specs: videoSpecs,
  kinds: videoKinds,
  views: { video: videoView, 'second-video': videoView, 'image-to-video': videoView },
};
