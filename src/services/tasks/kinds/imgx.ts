import { z } from 'zod';
import type { Gateway } from '../../gateway/index.ts';
import { type ActionFamily, meaningOfAction } from '../actions.ts';
import { givenPicture, type Materials, region } from '../materials.ts';
import { type Kind, kind, type Source } from './kind.ts';

/** The specification shows no limit; larger questions only make one failure hurt more tasks. */
const MOST_IN_LIST = 50;

/** The image-prompt family (4.3). Its list is not in the specification, so it is used only where the operator says that it is there. */
function imgxSource(imgx: Gateway['imgx'], inLists: boolean): Source {
  return {
    name: 'imgx',
    // The scheduler asks again by itself.
    one: (remoteId) => imgx.get(remoteId, { attempts: 1 }),
    ...(inLists && { many: { most: MOST_IN_LIST, ask: (ids) => imgx.getMany(ids, { attempts: 1 }) } }),
  };
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

export function imgxKinds(imgx: Gateway['imgx'], { inLists }: { inLists: boolean }): Kind[] {
  const source = imgxSource(imgx, inLists);
  const answer = (taskId: string, prompt: string | undefined, { mask }: Materials) =>
    imgx.modal({ taskId, ...(prompt !== undefined && { prompt }), ...(mask !== undefined && { mask }) });
  return [
    kind({
      name: 'imagine',
      source,
      patience: () => 'picture',
      request: z.object({ prompt: z.string(), pictures: z.array(givenPicture).optional() }),
      durationKey: () => 'imagine',
      submit: ({ prompt }, { materials: { pictures } }) => imgx.imagine({ prompt, ...(pictures && { pictures }) }),
    }),
    kind({
      name: 'action',
      source,
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
  ];
}
