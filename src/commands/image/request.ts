import { z } from 'zod';
import type { Refusal } from '../../lib/refusal.ts';
import type { Reference } from '../../services/tasks/materials.ts';
import { type KindSpec, requestShape } from '../../services/tasks/task.ts';
import { emptyPrompt } from '../prompt-option.ts';
import { picturesIn, type References, unfitReference } from '../reference-options.ts';

export interface ImageValues extends References {
  prompt: string;
}

/** What the task keeps. This endpoint takes references by their addresses alone (specification, 4.5). */
const imageShape = requestShape({ prompt: z.string(), model: z.string() });
type ImageRequest = z.output<typeof imageShape>;

declare module '../../services/tasks/task.ts' {
  interface TaskRequests {
    image: ImageRequest;
  }
}

const image: KindSpec<'image'> = { request: imageShape.loose(), traits: { isPaid: true, hasOwnWords: true } };
export const imageSpecs = { image };

/** As many as any of the gateway's models is known to take (specification, part 8). */
const MOST_REFERENCES = 7;

export function imageRequest(values: ImageValues, model: string): ImageRequest {
  const references = picturesIn(values).map(
    (picture): Reference => ({ ...picture, medium: 'image', takes: 'address' }),
  );
  return { prompt: values.prompt.trim(), model, ...(references.length > 0 && { references }) };
}

/** Why it cannot be ordered like this, as far as that can be told without looking elsewhere. */
export function objectionTo(values: ImageValues): Refusal | undefined {
  return emptyPrompt(values) ?? unfitReference(values, MOST_REFERENCES);
}
