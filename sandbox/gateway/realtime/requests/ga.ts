import { z } from 'zod';
import {
  detection,
  maxTokens,
  noiseReduction,
  type ResponseRequest,
  responseFields,
  type SessionRequest,
  sharedFields,
  speed,
  transcription,
  voice,
  withoutUndefined,
} from './session.ts';

const pcm = z.strictObject({ type: z.literal('audio/pcm'), rate: z.literal(24_000).optional() });
const output = z.strictObject({ format: pcm.optional(), voice: voice.optional(), speed: speed.optional() });
const input = z.strictObject({
  format: pcm.optional(),
  transcription: transcription.nullable().optional(),
  noise_reduction: noiseReduction.nullable().optional(),
  turn_detection: detection.nullable().optional(),
});

const gaFields = {
  ...sharedFields,
  output_modalities: z.tuple([z.enum(['audio', 'text'])]).optional(),
  max_output_tokens: maxTokens.optional(),
};
const responseSchema = z.object({ ...gaFields, audio: z.object({ output: output.optional() }).optional() });

const toSettings = ({ output_modalities: modalities, audio, ...fields }: z.output<typeof responseSchema>) => ({
  instructions: fields.instructions,
  tools: fields.tools,
  toolChoice: fields.tool_choice,
  maxTokens: fields.max_output_tokens,
  voice: audio?.output?.voice,
  speed: audio?.output?.speed,
  hasAudio: modalities && modalities[0] === 'audio',
});

/** The session settings of the current dialect. */
export const gaSession = z
  .strictObject({
    type: z.literal('realtime'),
    model: z.string().optional(),
    ...gaFields,
    audio: z.strictObject({ input: input.optional(), output: output.optional() }).optional(),
    truncation: z.unknown().optional(),
    tracing: z.unknown().optional(),
    include: z.unknown().optional(),
  })
  .transform(
    (fields): SessionRequest => ({
      model: fields.model,
      settings: withoutUndefined({
        ...toSettings(fields),
        transcription: fields.audio?.input?.transcription,
        detection: fields.audio?.input?.turn_detection,
        noiseReduction: fields.audio?.input?.noise_reduction,
      }),
    }),
  );

export const gaResponse = z
  .strictObject({ ...gaFields, ...responseFields, audio: z.strictObject({ output: output.optional() }).optional() })
  .transform(
    ({ metadata, conversation, ...fields }): ResponseRequest => ({
      metadata,
      isInConversation: conversation === 'auto',
      settings: withoutUndefined(toSettings(fields)),
    }),
  );
