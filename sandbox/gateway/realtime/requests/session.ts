import { z } from 'zod';
import { defaultDetection, MAX_TOKENS, type Settings } from '../settings.ts';
import { voices } from '../voice.ts';

/** The changes that a client requests for a session or a response, independent of the dialect. */
export interface SessionRequest {
  readonly model: string | undefined;
  readonly settings: Partial<Settings>;
}
export interface ResponseRequest {
  readonly settings: Partial<Settings>;
  /** Whether the response becomes part of the conversation. */
  readonly isInConversation: boolean;
  readonly metadata: Record<string, string> | null;
}

type OptionalSettings = { [Name in keyof Settings]?: Settings[Name] | undefined };
export const withoutUndefined = (settings: OptionalSettings): Partial<Settings> =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));

const tool = z.looseObject({
  type: z.literal('function'),
  name: z.string().regex(/^[\w-]{1,64}$/),
  parameters: z.record(z.string(), z.unknown()).optional(),
});

export const voice = z.enum(voices);
export const speed = z.number().min(0.25).max(1.5);
export const maxTokens = z.union([z.int().min(1).max(MAX_TOKENS), z.literal('inf')]);
export const noiseReduction = z.strictObject({ type: z.enum(['near_field', 'far_field']) });
export const transcription = z.strictObject({
  model: z.string(),
  language: z.string().optional(),
  prompt: z.string().optional(),
});
export const detection = z.strictObject({
  type: z.enum(['server_vad', 'semantic_vad']),
  threshold: z.number().min(0).max(1).default(defaultDetection.threshold),
  prefix_padding_ms: z.int().min(0).default(defaultDetection.prefix_padding_ms),
  silence_duration_ms: z.int().min(0).default(defaultDetection.silence_duration_ms),
  create_response: z.boolean().default(defaultDetection.create_response),
  interrupt_response: z.boolean().default(defaultDetection.interrupt_response),
});

/** The fields that are identical in both dialects. */
export const sharedFields = {
  instructions: z.string().optional(),
  tools: z.array(tool).optional(),
  tool_choice: z
    .union([z.enum(['auto', 'none', 'required']), z.looseObject({ type: z.literal('function'), name: z.string() })])
    .optional(),
};

export const responseFields = {
  metadata: z.record(z.string(), z.string()).nullable().default(null),
  conversation: z.enum(['auto', 'none']).default('auto'),
};
