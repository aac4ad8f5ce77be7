import { z } from 'zod';
import type { Gateway } from '../../services/gateway/index.ts';
import { type Kind, kind, type Source } from '../../services/tasks/kind.ts';
import { givenPicture } from '../../services/tasks/materials.ts';
import { imgxFollowUps } from './follow-up-kinds.ts';

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
