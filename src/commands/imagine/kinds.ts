import { z } from 'zod';
import type { Gateway } from '../../services/gateway/index.ts';
import { type ActionFamily, meaningOfAction } from '../../services/tasks/actions.ts';
import { type Kind, kind, type Source } from '../../services/tasks/kind.ts';
import { givenPicture, type Materials, region } from '../../services/tasks/materials.ts';

/** Grids of pictures from words (4.3), and what is made of them. */
export function imagineKinds(imgx: Gateway['imgx'], source: Source): Kind[] {
  return [
    kind({
      name: 'imagine',
      source,
      patience: () => 'picture',
      request: z.object({ prompt: z.string(), pictures: z.array(givenPicture).optional() }),
      durationKey: () => 'imagine',
      submit: ({ prompt }, { materials: { pictures } }) => imgx.imagine({ prompt, ...(pictures && { pictures }) }),
    }),
    ...imgxFollowUps(imgx, source),
  ];
}

const FILMS: ReadonlySet<ActionFamily> = new Set(['animate', 'extend']);

/** What every follow-up of a task names: the task as the gateway knows it, and what the button said. */
const followUp = z.object({
  of: z.string(),
  label: z.string(),
  /** What it is about: the words that are sent, else those of the task it follows. */
  prompt: z.string(),
  /** Words that the gateway will ask for. */
  words: z.string().optional(),
  region: region.optional(),
});

const animation = z.object({
  prompt: z.string(),
  /** Words that the gateway may ask for although it has them. */
  words: z.string().optional(),
  motion: z.enum(['low', 'high']),
  loop: z.boolean().optional(),
  /** The first frame, and a last one where there is one. */
  pictures: z.array(givenPicture).max(2).optional(),
  /** Or one of the films of a finished task, to be made longer. */
  extend: z.object({ taskId: z.string(), index: z.number() }).optional(),
});

/** What is made of a result of the image-prompt family. */
function imgxFollowUps(imgx: Gateway['imgx'], source: Source): Kind[] {
  const answer = (taskId: string, prompt: string | undefined, { mask }: Materials) =>
    imgx.modal({ taskId, ...(prompt !== undefined && { prompt }), ...(mask !== undefined && { mask }) });
  return [
    kind({
      name: 'action',
      source,
      mayBeMissing: 'button',
      request: followUp.extend({ customId: z.string() }),
      patience: ({ customId }) => (FILMS.has(meaningOfAction(customId).family) ? 'video' : 'picture'),
      durationKey: ({ customId }) => meaningOfAction(customId).family,
      submit: ({ of, customId }) => imgx.action({ taskId: of, customId }),
      answer: (remoteId, { words }, { materials }) => answer(remoteId, words, materials),
    }),
    kind({
      name: 'change',
      source,
      patience: () => 'picture',
      request: followUp.extend({ action: z.enum(['UPSCALE', 'VARIATION', 'REROLL']), index: z.number().default(1) }),
      durationKey: ({ action }) => action.toLowerCase(),
      submit: ({ of, action, index }) =>
        imgx.change(action === 'REROLL' ? { taskId: of, action } : { taskId: of, action, index }),
      answer: (remoteId, { words }, { materials }) => answer(remoteId, words, materials),
    }),
    kind({
      name: 'animate',
      source,
      mayBeMissing: 'button',
      patience: () => 'video',
      request: animation,
      durationKey: ({ extend }) => (extend ? 'extend' : 'animate'),
      submit: ({ prompt, motion, loop, extend }, { materials: { pictures: [picture, endPicture] = [] } }) =>
        imgx.video({
          motion,
          ...(prompt !== '' && { prompt }),
          ...(picture !== undefined && { picture }),
          ...(endPicture !== undefined && { endPicture }),
          ...(loop !== undefined && { loop }),
          ...(extend && { extend }),
        }),
      answer: (remoteId, { words }, { materials }) => answer(remoteId, words, materials),
    }),
  ];
}
