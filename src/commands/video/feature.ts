import { customIds } from '../../discord/custom-ids.ts';
import { withoutUndefined } from '../../lib/entries.ts';
import { Refusal, throwIfRefusal } from '../../lib/refusal.ts';
import { referenceLimits } from '../../services/gateway/reference-limits.ts';
import { defineKind, type Kind } from '../../services/tasks/kind.ts';
import type { Materials, PreparedReference } from '../../services/tasks/materials.ts';
import { spoilerOf } from '../../services/tasks/task-facts.ts';
import { readChoices } from '../choices.ts';
import { command, type Feature, type KindTools } from '../feature.ts';
import { imageForm } from '../form-images.ts';
import { chooseModel, suggestModels, usualModel, withSuffix } from '../options.ts';
import { presetsFor } from '../presets.ts';
import { hasVariants, readVariants, repeatOption, submitVariants } from '../variants.ts';
import { submitOrConfirm } from './limits.ts';
import {
  endpoints,
  type VideoDraft,
  type VideoRequest,
  videoOptions,
  videoOrder,
  videoRequest,
  videoSpecs,
} from './request.ts';
import { videoView } from './view.ts';

function givenReferences({ references = [] }: Materials, medium: PreparedReference['medium']): string[] {
  return references.filter((one) => one.medium === medium).map((one) => one.uri);
}

/** The fields for references of all media. */
function referencesIn(materials: Materials) {
  const images = givenReferences(materials, 'image');
  const referenceVideos = givenReferences(materials, 'video');
  const referenceAudios = givenReferences(materials, 'audio');
  return {
    ...(images.length === 1 && { image: images[0] }),
    ...(images.length > 1 && { images }),
    ...(referenceVideos.length > 0 && { referenceVideos }),
    ...(referenceAudios.length > 0 && { referenceAudios }),
  };
}

/** The fields for a first and a last frame. */
function framesFor(model: string, [image, lastImage]: readonly string[]) {
  if (image === undefined || lastImage === undefined) return { image };
  return referenceLimits(model).lastFrame === 'image_tail'
    ? { image, image_tail: lastImage }
    : { images: [image, lastImage] };
}

/** The specification does not show the fields of `/v1/videos`, so those of the generic endpoint are sent as extension fields. */
const extensionsOf = ({ aspectRatio, resolution, mode, metadata, extra }: Partial<VideoRequest>) =>
  withoutUndefined({ aspect_ratio: aspectRatio, resolution, mode, metadata, ...extra });

/** The generic endpoint and `/v1/videos` (specification, 4.4), and image-to-video on the vendor path (4.2). */
export function videoKinds({ gateway, videosBody, callbackFields }: KindTools): Kind[] {
  const { videos, v1Videos, imageToVideo } = gateway;
  const shared = {
    acceptsCallback: callbackFields?.video !== undefined,
    waitLimit: () => 'video' as const,
    // Jobs in a higher-quality mode take longer.
    durationKey: ({ model, mode = '' }: VideoRequest): string => `video:${model}:${mode}`,
  };
  return [
    defineKind({
      name: 'video',
      source: { name: 'videos', endpoint: videos },
      ...shared,
      submit(request, { materials, user, callbackUrl }) {
        const { prompt, model, size, duration, aspectRatio, resolution, mode, metadata, extra, faceCheck } = request;
        return videos.create(
          {
            prompt,
            model,
            size,
            duration,
            aspectRatio,
            resolution,
            mode,
            metadata,
            extra,
            faceCheck,
            callbackUrl,
            ...referencesIn(materials),
          },
          { user },
        );
      },
    }),
    defineKind({
      name: 'second-video',
      // A form can contain files, but no URLs.
      ...(videosBody === 'form' && { transfer: 'base64' }),
      source: { name: 'second videos', endpoint: v1Videos },
      ...shared,
      submit({ prompt, model, size, duration, ...request }, { materials, user, callbackUrl }) {
        const { image, ...lastFrame } = framesFor(model, givenReferences(materials, 'image'));
        const extra = { ...extensionsOf(request), ...lastFrame };
        return v1Videos.create(
          { prompt, model, size, duration, ...withoutUndefined({ image }), extra, callbackUrl },
          { user },
        );
      },
    }),
    defineKind({
      name: 'image-to-video',
      source: { name: 'image to video', endpoint: imageToVideo },
      ...shared,
      submit({ prompt, model, duration, mode }, { materials, user, callbackUrl }) {
        const [image = '', imageTail] = givenReferences(materials, 'image');
        return imageToVideo.create(
          { prompt, model, duration, mode, image, ...withoutUndefined({ imageTail }), callbackUrl },
          { user },
        );
      },
    }),
  ];
}

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
