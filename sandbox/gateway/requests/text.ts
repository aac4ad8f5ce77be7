import { z } from 'zod';
import { nonEmptyText } from './fields.ts';

const anything = z.record(z.string(), z.unknown());

/** A part of a message: text in either direction, an image, a file (wire facts, part 5). */
const part = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  image_url: z.union([z.string(), z.looseObject({ url: z.string() })]).optional(),
  filename: z.string().optional(),
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

const format = z.looseObject({
  type: z.enum(['text', 'json_object', 'json_schema']),
  schema: anything.optional(),
});

/** The specification, 4.6, and the names that it leaves open. */
export const textRequest = z.looseObject({
  model: nonEmptyText,
  input: z.union([nonEmptyText, z.array(item).min(1, 'must not be empty')]),
  stream: z.boolean().default(false),
  instructions: z.string().optional(),
  tools: z.array(tool).default([]),
  tool_choice: z.union([z.enum(['auto', 'none', 'required']), anything]).default('auto'),
  reasoning: z.looseObject({ effort: z.string().optional() }).optional(),
  text: z.looseObject({ format: format.optional() }).optional(),
  max_output_tokens: z.int('must be a whole number').min(1, 'must be at least 1').optional(),
});

export type TextRequest = z.output<typeof textRequest>;
export type InputItem = z.output<typeof item>;
