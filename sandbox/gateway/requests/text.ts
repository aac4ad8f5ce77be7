import { z } from 'zod';
import { nonEmptyText } from './fields.ts';
import { strictProblem } from './strict-schema.ts';

const anything = z.record(z.string(), z.unknown());

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Audio input, as OpenAI documents it for both chat completions and responses. */
const inputAudio = z.strictObject({
  data: z.string().refine((data) => data.length % 4 === 0 && BASE64.test(data), 'must be well-formed base64'),
  format: z.enum(['mp3', 'wav']),
});

/** A part of a message: text in either direction, an image, a file, or audio. */
const part = z
  .looseObject({
    type: z.string(),
    text: z.string().optional(),
    image_url: z.union([z.string(), z.looseObject({ url: z.string() })]).optional(),
    filename: z.string().optional(),
    input_audio: inputAudio.optional(),
  })
  .refine(({ type, input_audio: audio }) => (type === 'input_audio') === (audio !== undefined), {
    message: 'must have input_audio if its type is input_audio, and only then',
    path: ['input_audio'],
  });

const item = z.looseObject({
  type: z.string().optional(),
  role: z.enum(['user', 'assistant', 'system', 'developer', 'tool']).optional(),
  content: z.union([z.string(), z.array(part)]).optional(),
  call_id: z.string().optional(),
  name: z.string().optional(),
  output: z.union([z.string(), z.array(part)]).optional(),
});

const tool = z.looseObject({ type: z.string(), name: z.string().optional(), parameters: anything.optional() });

/** As OpenAI documents, the name, the root and, with `strict`, the schema are checked before the model runs. */
const schemaFormat = z
  .strictObject({
    type: z.literal('json_schema'),
    name: z.string().regex(/^[\w-]{1,64}$/, 'must have 1 to 64 letters, digits, _ or -'),
    description: z.string().optional(),
    schema: z.looseObject({ type: z.literal('object', 'must be "object"') }),
    strict: z.boolean().nullish(),
  })
  .superRefine(({ schema, strict }, context) => {
    const problem = strict ? strictProblem(schema, '#') : undefined;
    if (problem) context.addIssue({ code: 'custom', path: ['schema'], message: problem });
  });

const format = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  schemaFormat,
]);

/** The request in the specification (4.6), including fields whose names the specification leaves open. */
export const textRequest = z.looseObject({
  model: nonEmptyText,
  input: z.union([nonEmptyText, z.array(item).min(1, 'must not be empty')]),
  stream: z.boolean().default(false),
  instructions: z.string().optional(),
  tools: z.array(tool).default([]),
  tool_choice: z.union([z.enum(['auto', 'none', 'required']), anything]).default('auto'),
  reasoning: z.looseObject({ effort: z.string().optional() }).optional(),
  text: z.looseObject({ format: format.optional() }).optional(),
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  max_output_tokens: z.int('must be a whole number').min(1, 'must be at least 1').optional(),
});

export type TextRequest = z.output<typeof textRequest>;
export type InputItem = z.output<typeof item>;
