import { z } from 'zod';
import type { Gateway } from '../../services/gateway/index.ts';
import { type Kind, kind } from '../../services/tasks/kind.ts';
import { reference } from '../../services/tasks/materials.ts';

/** Asynchronous image jobs (4.5). */
export function imageKind(imageJobs: Gateway['imageJobs']): Kind {
  return kind({
    name: 'image',
    source: { name: 'image jobs', one: (remoteId) => imageJobs.get(remoteId, { attempts: 1 }) },
    patience: () => 'picture',
    request: z.object({ prompt: z.string(), model: z.string(), references: z.array(reference).optional() }),
    durationKey: ({ model }) => `image:${model}`,
    model: ({ model }) => model,
    keyed: {
      bodyOf({ prompt, model }, { references = [] }) {
        const image = references.map(({ given }) => given);
        return imageJobs.bodyOf({ prompt, model, ...(image.length > 0 && { image }) });
      },
      send: ({ body, idempotencyKey }) => imageJobs.send(body, { idempotencyKey }),
    },
  });
}
