import { z } from 'zod';
import type { Gateway } from '../../services/gateway/index.ts';
import { type Kind, kind, type Source } from '../../services/tasks/kind.ts';
import { givenPicture } from '../../services/tasks/materials.ts';

/** One picture of several (4.3). */
export const blendKind = (imgx: Gateway['imgx'], source: Source): Kind =>
  kind({
    name: 'blend',
    source,
    patience: () => 'picture',
    request: z.object({
      pictures: z.array(givenPicture).min(2).max(5),
      shape: z.enum(['PORTRAIT', 'SQUARE', 'LANDSCAPE']).optional(),
    }),
    durationKey: () => 'blend',
    submit: ({ shape }, { materials: { pictures = [] } }) => imgx.blend({ pictures, ...(shape && { shape }) }),
  });
