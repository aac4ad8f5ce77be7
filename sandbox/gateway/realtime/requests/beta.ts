import { z } from 'zod';
import {
  detection,
  most,
  named,
  noise,
  ofResponse,
  type ResponseRequest,
  type SessionRequest,
  shared,
  speed,
  transcription,
  voice,
} from './session.ts';

const early = {
  ...shared,
  modalities: z
    .array(z.enum(['text', 'audio']))
    .refine((list) => list.includes('text') && list.length <= 2, "must be ['text'] or ['text', 'audio']")
    .optional(),
  voice: voice.optional(),
  output_audio_format: z.literal('pcm16').optional(),
  temperature: z.number().min(0.6).max(1.2).optional(),
};
const answering = z.object(early);

const wanted = (given: z.output<typeof answering>) => ({
  ...{ instructions: given.instructions, tools: given.tools, toolChoice: given.tool_choice },
  ...{ voice: given.voice, temperature: given.temperature, speaks: given.modalities?.includes('audio') },
});

/** What a session was in the dialect before today's. */
export const betaSession = z
  .strictObject({
    ...early,
    model: z.string().optional(),
    speed: speed.optional(),
    input_audio_format: z.literal('pcm16').optional(),
    input_audio_transcription: transcription.nullable().optional(),
    input_audio_noise_reduction: noise.nullable().optional(),
    turn_detection: detection.nullable().optional(),
    max_response_output_tokens: most.optional(),
  })
  .transform(
    (given): SessionRequest => ({
      model: given.model,
      settings: named({
        ...wanted(given),
        ...{ most: given.max_response_output_tokens, speed: given.speed },
        transcription: given.input_audio_transcription,
        detection: given.turn_detection,
        noise: given.input_audio_noise_reduction,
      }),
    }),
  );

export const betaResponse = z.strictObject({ ...early, ...ofResponse, max_output_tokens: most.optional() }).transform(
  ({ metadata, conversation, ...given }): ResponseRequest => ({
    ...{ metadata, isKept: conversation === 'auto' },
    settings: named({ ...wanted(given), most: given.max_output_tokens }),
  }),
);
