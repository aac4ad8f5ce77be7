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

const pcm = z.strictObject({ type: z.literal('audio/pcm'), rate: z.literal(24_000).optional() });
const output = z.strictObject({ format: pcm.optional(), voice: voice.optional(), speed: speed.optional() });
const input = z.strictObject({
  format: pcm.optional(),
  transcription: transcription.nullable().optional(),
  noise_reduction: noise.nullable().optional(),
  turn_detection: detection.nullable().optional(),
});

const modern = {
  ...shared,
  output_modalities: z.tuple([z.enum(['audio', 'text'])]).optional(),
  max_output_tokens: most.optional(),
};
const answering = z.object({ ...modern, audio: z.object({ output: output.optional() }).optional() });

const wanted = ({ output_modalities: modalities, audio, ...given }: z.output<typeof answering>) => ({
  ...{ instructions: given.instructions, tools: given.tools, toolChoice: given.tool_choice },
  ...{ most: given.max_output_tokens, voice: audio?.output?.voice, speed: audio?.output?.speed },
  speaks: modalities && modalities[0] === 'audio',
});

/** What a session is in today's dialect. */
export const gaSession = z
  .strictObject({
    type: z.literal('realtime'),
    model: z.string().optional(),
    ...modern,
    audio: z.strictObject({ input: input.optional(), output: output.optional() }).optional(),
    ...{ truncation: z.unknown().optional(), tracing: z.unknown().optional(), include: z.unknown().optional() },
  })
  .transform(
    (given): SessionRequest => ({
      model: given.model,
      settings: named({
        ...wanted(given),
        transcription: given.audio?.input?.transcription,
        detection: given.audio?.input?.turn_detection,
        noise: given.audio?.input?.noise_reduction,
      }),
    }),
  );

export const gaResponse = z
  .strictObject({ ...modern, ...ofResponse, audio: z.strictObject({ output: output.optional() }).optional() })
  .transform(
    ({ metadata, conversation, ...given }): ResponseRequest => ({
      ...{ metadata, isKept: conversation === 'auto' },
      settings: named(wanted(given)),
    }),
  );
