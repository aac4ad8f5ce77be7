import { definedIn } from '../../lib/entries.ts';
import type { Gateway } from '../../services/gateway/index.ts';
import { type ActionFamily, meaningOfAction } from '../../services/tasks/actions.ts';
import { type Kind, kind, type Source } from '../../services/tasks/kind.ts';
import { FILM_DOOR } from './animations.ts';

const FILMS: ReadonlySet<ActionFamily> = new Set(['animate', 'extend']);

/** Grids of images from prompts (4.3), and the follow-ups of the image-prompt family. */
export function imagineKinds(imgx: Gateway['imgx'], source: Source): Kind[] {
  const answer: Kind<'action' | 'change' | 'animate'>['answer'] = (taskId, { words: prompt }, { materials }) =>
    imgx.modal({ taskId, ...definedIn({ prompt, mask: materials.mask }) });
  return [
    kind({
      name: 'imagine',
      source,
      patience: () => 'picture',
      durationKey: () => 'imagine',
      submit: ({ prompt }, { materials: { pictures } }) => imgx.imagine({ prompt, ...(pictures && { pictures }) }),
    }),
    kind({
      name: 'action',
      source,
      offeredAs: ({ customId }) => customId,
      mayBeMissing: 'button',
      patience: ({ customId }) => (FILMS.has(meaningOfAction(customId).family) ? 'video' : 'picture'),
      durationKey: ({ customId }) => meaningOfAction(customId).family,
      submit: ({ of, customId }) => imgx.action({ taskId: of, customId }),
      answer,
    }),
    kind({
      name: 'change',
      source,
      patience: () => 'picture',
      durationKey: ({ action }) => action.toLowerCase(),
      submit: ({ of, action, index }) =>
        imgx.change(action === 'REROLL' ? { taskId: of, action } : { taskId: of, action, index }),
      answer,
    }),
    kind({
      name: 'animate',
      source,
      offeredAs: () => FILM_DOOR,
      mayBeMissing: 'button',
      patience: () => 'video',
      durationKey: ({ extend }) => (extend ? 'extend' : 'animate'),
      submit: ({ prompt, motion, loop, extend }, { materials: { pictures: [picture, endPicture] = [] } }) =>
        imgx.video({
          motion,
          ...definedIn({ prompt: prompt === '' ? undefined : prompt, picture, endPicture, loop, extend }),
        }),
      answer,
    }),
  ];
}
