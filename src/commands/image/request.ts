import { z } from 'zod';
import { Refusal } from '../../lib/refusal.ts';
import { defineRequest, type KindSpecs } from '../../services/tasks/kind-spec.ts';
import type { Reference } from '../../services/tasks/materials.ts';
import { emptyPromptRefusal, type References, readImages } from '../options.ts';

/** The request as the task stores it. This endpoint accepts references only by URL (specification, 4.5), so a file that the gateway cannot fetch is uploaded first. */
const imageShape = defineRequest({ prompt: z.string(), model: z.string() });
type ImageRequest = z.output<typeof imageShape>;

declare module '../../services/tasks/kind-spec.ts' {
  interface TaskRequests {
    image: ImageRequest;
  }
}

export const imageSpecs = {
  image: {
    request: imageShape.loose(),
    traits: { isPaid: true, isVisual: true, hasOwnPrompt: true, modelKind: 'image' },
  },
} satisfies Partial<KindSpecs>;

/** The specification names no limit for image jobs, so this only limits how many files one order makes the bot check. */
const MAX_REFERENCES = 16;

/** The request without its model, which has to be looked up; or a refusal that follows from the payload alone. */
export function imageRequest(values: References & { prompt: string }): Omit<ImageRequest, 'model'> | Refusal {
  const images = emptyPromptRefusal(values) ?? readImages(values, MAX_REFERENCES);
  if (images instanceof Refusal) return images;
  const references = images.map((one): Reference => ({ ...one, medium: 'image', takes: 'address' }));
  return { prompt: values.prompt.trim(), ...(references.length > 0 && { references }) };
}
