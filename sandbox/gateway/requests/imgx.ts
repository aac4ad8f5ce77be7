import { z } from 'zod';
import { gridIndex, listOf, nonEmptyText, source } from './fields.ts';

/** The fields that all submits of the image family accept; unknown fields are ignored, as on real gateways. */
const submitFields = {
  state: z.string().max(255).catch(''),
  // An invalid callback URL is ignored.
  notifyHook: z.string().optional().catch(undefined),
  botType: z.enum(['MID_JOURNEY', 'NIJI_JOURNEY']).catch('MID_JOURNEY'),
};

const images = listOf(source);
const taskId = z.union([z.string().min(1), z.int().transform(String)]);

export const imagineRequest = z.object({ ...submitFields, prompt: nonEmptyText, base64Array: images.optional() });

/** The specification names the field `base64Array`, the engine `base64` or `link`. */
export const describeRequest = z
  .object({ ...submitFields, base64Array: images.optional(), base64: source.optional(), link: source.optional() })
  .refine((body) => (body.base64Array?.length ?? 0) > 0 || body.base64 || body.link, {
    path: ['base64Array'],
    message: 'is required',
  })
  .transform(({ base64Array, base64, link, ...rest }) => ({
    ...rest,
    images: base64Array?.length ? base64Array : [base64, link].filter((one) => one !== undefined),
  }));

export const shortenRequest = z.object({ ...submitFields, prompt: nonEmptyText });

export const blendRequest = z.object({
  ...submitFields,
  base64Array: z.array(source).min(2, 'must have from 2 to 5 images').max(5, 'must have from 2 to 5 images'),
  dimensions: z.enum(['PORTRAIT', 'SQUARE', 'LANDSCAPE']).default('SQUARE'),
});

export const uploadRequest = z.object({
  ...submitFields,
  base64Array: images.refine((list) => list.length > 0, 'is required'),
});

export const actionRequest = z.object({ ...submitFields, taskId, customId: z.string().min(1) });

/** A stock gateway also requires an index for a reroll. */
export const changeRequest = (isIndexRequired: boolean) =>
  z
    .object({
      ...submitFields,
      taskId,
      action: z.enum(['UPSCALE', 'VARIATION', 'REROLL']),
      index: gridIndex.optional(),
    })
    .refine(({ action, index }) => index !== undefined || (action === 'REROLL' && !isIndexRequired), {
      path: ['index'],
      message: 'is required',
    });

const ACTION_FIRST = /^(?<code>[UV][1-4]|R) (?<id>\d{1,20})$/i;
const ID_FIRST = /^(?<id>\d{1,20}) (?<code>[UV][1-4]|R)$/i;

export const simpleChangeRequest = (isIdFirst: boolean) =>
  z.object({
    ...submitFields,
    content: nonEmptyText.transform((text, context) => {
      const { id: taskId, code } = (isIdFirst ? ID_FIRST : ACTION_FIRST).exec(text.trim())?.groups ?? {};
      const [letter, index = '1'] = code?.toUpperCase() ?? '';
      if (taskId !== undefined && letter !== undefined) return { taskId, letter, index: Number(index) };
      const form = isIdFirst ? 'a task id and a code' : 'a code and a task id';
      context.addIssue(`must be ${form} (U1 to U4, V1 to V4, R), separated by one space`);
      return z.NEVER;
    }),
  });

export const modalRequest = z.object({
  ...submitFields,
  taskId,
  prompt: z.string().default(''),
  maskBase64: source.optional(),
});

export const editsRequest = z.object({ ...submitFields, prompt: nonEmptyText, image: source });

export const videoRequest = z
  .object({
    ...submitFields,
    prompt: z.string().default(''),
    motion: z.enum(['low', 'high']).default('low'),
    image: source.optional(),
    endImage: source.optional(),
    loop: z.boolean().optional(),
    action: z.literal('extend').optional(),
    taskId: taskId.optional(),
    // Counted from 0, unlike the index of a grid.
    index: z.int('must be a whole number').min(0, 'must be from 0 to 3').max(3, 'must be from 0 to 3').default(0),
    videoType: z.enum(['vid_1.1_i2v_480', 'vid_1.1_i2v_720']).default('vid_1.1_i2v_480'),
    batchSize: z.union([z.literal(1), z.literal(2), z.literal(4)]).default(1),
  })
  .superRefine((body, context) => {
    if (body.action === 'extend') {
      if (body.taskId === undefined) context.addIssue({ code: 'custom', path: ['taskId'], message: 'is required' });
    } else if (body.prompt.trim() === '' && !body.image) {
      context.addIssue({ code: 'custom', path: ['prompt'], message: 'is required' });
    }
  });

export const listRequest = z.object({
  ids: z
    .array(z.union([z.string(), z.int().transform(String)]))
    .max(1_000)
    .optional(),
  status: z.string().optional(),
});
