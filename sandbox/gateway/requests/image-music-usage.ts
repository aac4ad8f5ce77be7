import { z } from 'zod';
import { booleanField, listOf, nonEmptyText, seed, source } from './fields.ts';

export const imageRequest = z.object({
  model: nonEmptyText,
  prompt: nonEmptyText,
  image: listOf(source).optional(),
  size: z
    .string()
    .regex(/^(auto|\d{2,4}x\d{2,4})$/, 'must be auto or have the form <width>x<height>')
    .optional(),
  aspect_ratio: z
    .string()
    .regex(/^[1-9]\d{0,3}:[1-9]\d{0,3}$/, 'must have the form <width>:<height>')
    .optional(),
  n: z.int('must be a whole number').min(1, 'must be from 1 to 4').max(4, 'must be from 1 to 4').default(1),
  output_format: z.enum(['png', 'jpeg', 'webp']).default('png'),
  seed: seed.optional(),
});

/** `prompt` contains the lyrics; a description may be sent instead. */
export const musicRequest = z
  .object({
    prompt: z.string().default(''),
    gpt_description_prompt: z.string().optional(),
    mv: z.string().optional(),
    model: z.string().optional(),
    title: z.string().default(''),
    tags: z.string().default(''),
    make_instrumental: booleanField.default(false),
    notify_hook: z.string().optional(),
    task_id: z.string().optional(),
    continue_clip_id: z.string().optional(),
    continue_at: z.coerce.number('must be a number').min(0).optional(),
    duration: z.coerce
      .number('must be a number')
      .min(1, 'must be from 1 to 60 seconds')
      .max(60, 'must be from 1 to 60 seconds')
      .optional(),
  })
  .refine((body) => `${body.prompt}${body.gpt_description_prompt ?? ''}${body.tags}`.trim() !== '', {
    path: ['prompt'],
    message: 'is required',
  });

export const lyricsRequest = z.object({ prompt: nonEmptyText, notify_hook: z.string().optional() });

export const batchRequest = z.object({ ids: z.array(z.string()).max(1_000, 'must have at most 1000 items') });

const dateField = z.string().refine(isDate, 'must be a date in the form YYYY-MM-DD');
export const usageQuery = z
  .object({ start_date: dateField.optional(), end_date: dateField.optional() })
  .refine(({ start_date: start, end_date: end }) => !start || !end || start <= end, {
    path: ['end_date'],
    message: 'must not be before start_date',
  });

/** Rejects dates such as February 31. */
function isDate(text: string): boolean {
  const timestamp = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(timestamp) && new Date(timestamp).toISOString().startsWith(text);
}
