import { z } from 'zod';
import { describeAudio } from '../describe-sound.ts';
import { type Dialect, NAMES_BY_DIALECT } from '../dialect.ts';
import { samplesFrom } from '../input-buffer.ts';
import type { Item, Part } from '../item.ts';
import { secondsOf } from '../pcm.ts';

/** An item as a client sends it, with an optional id. */
export type NewItem = (Item extends infer Each ? (Each extends Item ? Omit<Each, 'id' | 'status'> : never) : never) & {
  readonly id: string | undefined;
};

const textPart = (type: string) =>
  z.strictObject({ type: z.literal(type), text: z.string() }).transform(({ text }): Part => ({ type: 'text', text }));

/** Audio from the client. The item shows a transcript only if the client sent one. */
const audioPart = z
  .strictObject({ type: z.literal('input_audio'), audio: z.base64().optional(), transcript: z.string().nullish() })
  .transform(({ audio = '', transcript }): Part => {
    const pcm = samplesFrom(Buffer.from(audio, 'base64'));
    return {
      type: 'sound',
      ms: secondsOf(pcm) * 1_000,
      isTranscribed: Boolean(transcript),
      description: transcript ?? describeAudio(pcm),
    };
  });

const imagePart = z
  .looseObject({ type: z.literal('input_image'), image_url: z.string() })
  .transform(({ image_url: url }): Part => ({ type: 'image', url }));

const head = {
  id: z.string().min(1).max(64).optional(),
  object: z.literal('realtime.item').optional(),
  status: z.enum(['completed', 'incomplete', 'in_progress']).optional(),
};

/** The type of a message part depends on the role and the dialect. */
export function newItemSchema(dialect: Dialect): z.ZodType<NewItem> {
  const { text: textName, audio: audioName } = NAMES_BY_DIALECT[dialect];
  const speech = z
    .strictObject({ type: z.literal(audioName), transcript: z.string(), audio: z.string().optional() })
    .transform(({ transcript }): Part => ({ type: 'speech', text: transcript }));
  const message = <Role extends string, PartSchema extends z.ZodType<Part>>(role: Role, part: PartSchema) =>
    z.strictObject({ ...head, type: z.literal('message'), role: z.literal(role), content: z.array(part).min(1) });
  return z
    .discriminatedUnion('type', [
      z.discriminatedUnion('role', [
        message('user', z.union([textPart('input_text'), audioPart, imagePart])),
        message('assistant', z.union([textPart(textName), speech])),
        message('system', textPart('input_text')),
      ]),
      z.strictObject({
        ...head,
        type: z.literal('function_call'),
        call_id: z.string(),
        name: z.string(),
        arguments: z.string(),
      }),
      z.strictObject({ ...head, type: z.literal('function_call_output'), call_id: z.string(), output: z.string() }),
    ])
    .transform((received): NewItem => {
      switch (received.type) {
        case 'message':
          return { id: received.id, type: received.type, role: received.role, parts: received.content };
        case 'function_call':
          return {
            id: received.id,
            type: received.type,
            callId: received.call_id,
            name: received.name,
            argumentsJson: received.arguments,
          };
        case 'function_call_output':
          return { id: received.id, type: received.type, callId: received.call_id, output: received.output };
      }
    });
}
