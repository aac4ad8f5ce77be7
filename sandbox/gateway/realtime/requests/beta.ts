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

const betaFields = {
  ...sharedFields,
  modalities: z
    .array(z.enum(['text', 'audio']))
    .refine((list) => list.includes('text') && list.length <= 2, "must be ['text'] or ['text', 'audio']")
    .optional(),
  voice: voice.optional(),
  output_audio_format: z.literal('pcm16').optional(),
  temperature: z.number().min(0.6).max(1.2).optional(),
};
const responseSchema = z.object(betaFields);

const toSettings = (fields: z.output<typeof responseSchema>) => ({
  instructions: fields.instructions,
  tools: fields.tools,
  toolChoice: fields.tool_choice,
  voice: fields.voice,
  temperature: fields.temperature,
  hasAudio: fields.modalities?.includes('audio'),
});

/** The session settings of the previous dialect. */
export const betaSession = z
  .strictObject({
    ...betaFields,
    model: z.string().optional(),
    speed: speed.optional(),
    input_audio_format: z.literal('pcm16').optional(),
    input_audio_transcription: transcription.nullable().optional(),
    input_audio_noise_reduction: noiseReduction.nullable().optional(),
    turn_detection: detection.nullable().optional(),
    max_response_output_tokens: maxTokens.optional(),
  })
  .transform(
    (fields): SessionRequest => ({
      model: fields.model,
      settings: withoutUndefined({
        ...toSettings(fields),
        maxTokens: fields.max_response_output_tokens,
        speed: fields.speed,
        transcription: fields.input_audio_transcription,
        detection: fields.turn_detection,
        noiseReduction: fields.input_audio_noise_reduction,
      }),
    }),
  );

export const betaResponse = z
  .strictObject({ ...betaFields, ...responseFields, max_output_tokens: maxTokens.optional() })
  .transform(
    ({ metadata, conversation, ...fields }): ResponseRequest => ({
      metadata,
      isInConversation: conversation === 'auto',
      settings: withoutUndefined({ ...toSettings(fields), maxTokens: fields.max_output_tokens }),
    }),
  );
