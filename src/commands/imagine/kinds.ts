import { withoutUndefined } from '../../lib/entries.ts';
import type { Gateway } from '../../services/gateway/index.ts';
import { type ActionFamily, meaningOfAction } from '../../services/tasks/actions.ts';
import { defineKind, type Kind, type Source } from '../../services/tasks/kind.ts';
import { VIDEO_ENDPOINT } from './videos.ts';

const VIDEO_FAMILIES: ReadonlySet<ActionFamily> = new Set(['animate', 'extend']);

/** Grids of images from prompts (4.3), and the follow-ups of the image-prompt family. */
export function imagineKinds(imgx: Gateway['imgx'], source: Source): Kind[] {
  const answer: Kind<'action' | 'change' | 'animate'>['sendWords'] = (taskId, { words: prompt }, { materials }) =>
    imgx.modal({ taskId, ...withoutUndefined({ prompt, mask: materials.mask }) });
  return [
    defineKind({
      name: 'imagine',
      source,
      waitLimit: () => 'image',
      durationKey: () => 'imagine',
      submit: ({ prompt }, { materials: { images } }) => imgx.imagine({ prompt, ...(images && { images }) }),
    }),
    defineKind({
      name: 'action',
      source,
      offerName: ({ customId }) => customId,
      mayBeMissing: 'button',
      waitLimit: ({ customId }) => (VIDEO_FAMILIES.has(meaningOfAction(customId).family) ? 'video' : 'image'),
      durationKey: ({ customId }) => meaningOfAction(customId).family,
      submit: ({ of, customId }) => imgx.action({ taskId: of, customId }),
      sendWords: answer,
    }),
    defineKind({
      name: 'change',
      source,
      waitLimit: () => 'image',
      durationKey: ({ action }) => action.toLowerCase(),
      submit: ({ of, action, index }) =>
        imgx.change(action === 'REROLL' ? { taskId: of, action } : { taskId: of, action, index }),
      sendWords: answer,
    }),
    defineKind({
      name: 'animate',
      source,
      offerName: () => VIDEO_ENDPOINT,
      mayBeMissing: 'button',
      waitLimit: () => 'video',
      durationKey: ({ extend }) => (extend ? 'extend' : 'animate'),
      submit: ({ prompt, motion, loop, extend }, { materials: { images: [image, endImage] = [] } }) =>
        imgx.video({
          motion,
          ...withoutUndefined({
            prompt: prompt === '' ? undefined : prompt,
            image,
            endImage,
            loop,
            extend,
          }),
        }),
      sendWords: answer,
    }),
  ];
}
