import { z } from 'zod';
import { MOST_TOKENS, type Settings, usualDetection } from '../settings.ts';
import { voices } from '../voice.ts';

/** What a client wants of a session, and of one response, in no dialect: only what was named changes. */
export interface SessionRequest {
  readonly model: string | undefined;
  readonly settings: Partial<Settings>;
}
export interface ResponseRequest {
  readonly settings: Partial<Settings>;
  /** Whether it becomes a part of the conversation. */
  readonly isKept: boolean;
  readonly metadata: Record<string, string> | null;
}

type Wanted = { [Name in keyof Settings]?: Settings[Name] | undefined };
export const named = (wanted: Wanted): Partial<Settings> =>
  Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));

const tool = z.looseObject({
  type: z.literal('function'),
  name: z.string().regex(/^[\w-]{1,64}$/),
  parameters: z.record(z.string(), z.unknown()).optional(),
});

export const voice = z.enum(voices);
export const speed = z.number().min(0.25).max(1.5);
export const most = z.union([z.int().min(1).max(MOST_TOKENS), z.literal('inf')]);
export const noise = z.strictObject({ type: z.enum(['near_field', 'far_field']) });
export const transcription = z.strictObject({
  model: z.string(),
  language: z.string().optional(),
  prompt: z.string().optional(),
});
export const detection = z.strictObject({
  type: z.enum(['server_vad', 'semantic_vad']),
  threshold: z.number().min(0).max(1).default(usualDetection.threshold),
  prefix_padding_ms: z.int().min(0).default(usualDetection.prefix_padding_ms),
  silence_duration_ms: z.int().min(0).default(usualDetection.silence_duration_ms),
  create_response: z.boolean().default(usualDetection.create_response),
  interrupt_response: z.boolean().default(usualDetection.interrupt_response),
});

/** The same in both dialects. */
export const shared = {
  instructions: z.string().optional(),
  tools: z.array(tool).optional(),
  tool_choice: z
    .union([z.enum(['auto', 'none', 'required']), z.looseObject({ type: z.literal('function'), name: z.string() })])
    .optional(),
};

export const ofResponse = {
  metadata: z.record(z.string(), z.string()).nullable().default(null),
  conversation: z.enum(['auto', 'none']).default('auto'),
};
