import { withoutUndefined } from '../../lib/entries.ts';
import { type ActionFamily, meaningOfAction, meaningOfChange } from '../../services/tasks/actions.ts';
import { defineKind, type Kind } from '../../services/tasks/kind.ts';
import type { Materials } from '../../services/tasks/materials.ts';
import { readChoices } from '../choices.ts';
import { command, type Feature, type KindTools } from '../feature.ts';
import { imageOptions, linksOption, promptOption } from '../options.ts';
import { presetsFor } from '../presets.ts';
import { hasVariants, readVariants, repeatOption, submitVariants } from '../variants.ts';
import { imagineButtons } from './buttons.ts';
import { flagOptions, takeRepeat } from './flags.ts';
import { imagineRequest, imagineSpecs, withSettings } from './request.ts';
import { animateHandlers, animateView, VIDEO_ENDPOINT, videoButtons } from './videos.ts';

const VIDEO_FAMILIES: ReadonlySet<ActionFamily> = new Set(['animate', 'extend']);

/** The names of actions in the price lists of stock gateways. An action that asks for a prompt is only charged once the prompt is sent. */
const PRICE_NAMES: Readonly<Partial<Record<ActionFamily, string>>> = {
  upscale: 'mj_upscale',
  'upscale-more': 'mj_upscale',
  variation: 'mj_variation',
  vary: 'mj_high_variation',
  reroll: 'mj_reroll',
  pan: 'mj_pan',
  zoom: 'mj_zoom',
  'custom-zoom': 'mj_modal',
  region: 'mj_modal',
  animate: 'mj_video',
  extend: 'mj_video',
  'describe-line': 'mj_imagine',
  'describe-again': 'mj_describe',
  'shorten-line': 'mj_imagine',
};

/** The image-prompt family reads URLs at the start of a prompt. */
function withReferences(prompt: string, { references = [] }: Materials): { prompt: string; images?: string[] } {
  const sources = references.map((one) => one.uri);
  const urls = sources.filter((one) => !one.startsWith('data:'));
  const images = sources.filter((one) => one.startsWith('data:'));
  return { prompt: [...urls, prompt].join(' '), ...(images.length > 0 && { images }) };
}

/** Grids of images from prompts (specification, 4.3), and the follow-ups of the image-prompt family. */
function imagineKinds({ gateway: { imgx }, imgxKind, imagineReferences }: KindTools): Kind[] {
  const sendWords: Kind<'action' | 'change' | 'animate'>['sendWords'] = (
    taskId,
    { words: prompt },
    { materials, user, callbackUrl },
  ) => imgx.modal({ taskId, ...withoutUndefined({ prompt, mask: materials.mask }), callbackUrl }, { user });
  return [
    imgxKind({
      name: 'imagine',
      transfer: imagineReferences,
      submit: ({ prompt }, { materials, user, callbackUrl }) =>
        imgx.imagine({ ...withReferences(prompt, materials), callbackUrl }, { user }),
    }),
    imgxKind({
      name: 'action',
      offerName: ({ customId }) => customId,
      hideIfUnsupported: 'button',
      waitLimit: ({ customId }) => (VIDEO_FAMILIES.has(meaningOfAction(customId).family) ? 'video' : 'image'),
      durationKey: ({ customId }) => meaningOfAction(customId).family,
      priceName: ({ customId }) => PRICE_NAMES[meaningOfAction(customId).family],
      submit: ({ of, customId }, { user, callbackUrl }) => imgx.action({ taskId: of, customId, callbackUrl }, { user }),
      sendWords,
    }),
    imgxKind({
      name: 'change',
      durationKey: ({ action }) => action.toLowerCase(),
      priceName: (request) => PRICE_NAMES[meaningOfChange(request).family],
      submit: ({ of: taskId, action, index }, { user, callbackUrl }) =>
        imgx.simpleChange(
          action === 'REROLL' ? { taskId, action, callbackUrl } : { taskId, action, index, callbackUrl },
          { user },
        ),
      sendWords,
    }),
    defineKind({ name: 'batch', waitLimit: () => 'video', durationKey: () => 'batch' }),
    imgxKind({
      name: 'animate',
      offerName: () => VIDEO_ENDPOINT,
      hideIfUnsupported: 'button',
      waitLimit: () => 'video',
      durationKey: ({ extend }) => (extend ? 'extend' : 'animate'),
      priceName: () => PRICE_NAMES.animate,
      submit: (
        { prompt, motion, loop, extend },
        { materials: { images: [image, endImage] = [] }, user, callbackUrl },
      ) =>
        imgx.video(
          {
            motion,
            callbackUrl,
            ...withoutUndefined({ prompt: prompt || undefined, image, endImage, loop, extend }),
          },
          { user },
        ),
      sendWords,
    }),
  ];
}

/** Discord lists options in the order in which a command names them, and these two come before the images. */
const { aspect, negative, ...otherFlags } = flagOptions;

export const imagine: Feature = {
  command: command({
    name: 'imagine',
    onlyOrders: true,
    presets: presetsFor('imagine'),
    options: {
      prompt: promptOption,
      aspect,
      negative,
      ...imageOptions.five,
      links: linksOption,
      ...otherFlags,
      repeat: repeatOption,
      spoiler: { type: 'switch' },
    },
    asksFirst: hasVariants(takeRepeat),
    parse: ({ repeat, ...values }) =>
      readVariants({ ...values, repeat }, (prompt) => imagineRequest({ ...values, prompt }), takeRepeat),
    async run(variants, context) {
      const choices = await readChoices(context);
      return submitVariants(
        variants,
        (request) => ({ kind: 'imagine', request: withSettings(request, choices) }),
        context,
      );
    },
  }),
  handlers: [...imagineButtons, ...animateHandlers],
  specs: imagineSpecs,
  kinds: imagineKinds,
  views: { action: { moreButtons: videoButtons }, change: { moreButtons: videoButtons }, animate: animateView },
};
