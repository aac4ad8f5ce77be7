import { z } from 'zod';
import type { Gateway } from '../../services/gateway/index.ts';
import { type Kind, kind, type Source } from '../../services/tasks/kind.ts';
import { givenPicture } from '../../services/tasks/materials.ts';

/** Words for a picture (4.3). */
export const describeKind = (imgx: Gateway['imgx'], source: Source): Kind =>
  kind({
    name: 'describe',
    source,
    patience: () => 'picture',
    request: z.object({ pictures: z.array(givenPicture).min(1) }),
    durationKey: () => 'describe',
    submit: (_request, { materials: { pictures = [] } }) => imgx.describe({ pictures }),
  });
