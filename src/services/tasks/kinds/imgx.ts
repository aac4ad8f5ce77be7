import { z } from 'zod';
import type { Gateway } from '../../gateway/index.ts';
import { givenPicture } from '../materials.ts';
import { imgxFollowUps } from './imgx-follow-ups.ts';
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

const pictures = z.array(givenPicture);

export function imgxKinds(imgx: Gateway['imgx'], { inLists }: { inLists: boolean }): Kind[] {
  const source = imgxSource(imgx, inLists);
  return [
    kind({
      name: 'imagine',
      source,
      patience: () => 'picture',
      request: z.object({ prompt: z.string(), pictures: pictures.optional() }),
      durationKey: () => 'imagine',
      submit: ({ prompt }, { materials: { pictures: given } }) =>
        imgx.imagine({ prompt, ...(given && { pictures: given }) }),
    }),
    kind({
      name: 'describe',
      source,
      patience: () => 'picture',
      request: z.object({ pictures: pictures.min(1) }),
      durationKey: () => 'describe',
      submit: (_request, { materials: { pictures: given = [] } }) => imgx.describe({ pictures: given }),
    }),
    kind({
      name: 'shorten',
      source,
      patience: () => 'picture',
      request: z.object({ prompt: z.string() }),
      durationKey: () => 'shorten',
      submit: ({ prompt }) => imgx.shorten({ prompt }),
    }),
    kind({
      name: 'blend',
      source,
      patience: () => 'picture',
      request: z.object({
        pictures: pictures.min(2).max(5),
        shape: z.enum(['PORTRAIT', 'SQUARE', 'LANDSCAPE']).optional(),
      }),
      durationKey: () => 'blend',
      submit: ({ shape }, { materials: { pictures: given = [] } }) =>
        imgx.blend({ pictures: given, ...(shape && { shape }) }),
    }),
    ...imgxFollowUps(imgx, source),
  ];
}
