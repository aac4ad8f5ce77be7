import { z } from 'zod';
import { modelId, taskId, words } from '../schemas.ts';
import type { EarlierTurn, RealtimeSettings, Utterance } from './events.ts';
import { soundInPieces } from './samples.ts';
import { type ClientEvent, type EventNames, memberSaid, outputOf } from './wire.ts';

const functionTool = z.strictObject({
  type: z.literal('function'),
  name: z.string().regex(/^[\w-]{1,64}$/, 'the name of a tool has 1 to 64 letters, digits, _ or -'),
  description: z.string().optional(),
  parameters: z.record(z.string(), z.json()),
  strict: z.boolean().optional(),
});
const otherTool = z.strictObject({ type: z.literal('other'), definition: z.record(z.string(), z.json()) });

export const realtimeSettings: z.ZodType<RealtimeSettings> = z.strictObject({
  model: modelId,
  instructions: words('the instructions are empty').optional(),
  voice: words('the voice is empty').optional(),
  transcriber: words('the model that writes down what is said is missing').optional(),
  tools: z.array(z.discriminatedUnion('type', [functionTool, otherTool], 'this is not a tool')).optional(),
});

export const earlierTurns: z.ZodType<readonly EarlierTurn[]> = z.array(
  z.strictObject({ by: z.enum(['member', 'model']), text: z.string() }),
);

const NOTHING = 'there is nothing to say: write or record something';

export const spoken: z.ZodType<Utterance> = z
  .strictObject({
    text: z.string().optional(),
    sound: z.instanceof(Int16Array, { error: 'this is no sound' }).optional(),
    outputs: z.array(z.strictObject({ callId: taskId, output: z.string() })).optional(),
  })
  .refine(({ text = '', sound, outputs = [] }) => text.trim() !== '' || sound?.length || outputs.length > 0, NOTHING);

/** What is said, as events, up to the request for an answer: one for all of it. */
export function* eventsOf({ text = '', sound, outputs = [] }: Utterance, names: EventNames): Generator<ClientEvent> {
  for (const output of outputs) yield names.event('conversation.item.create', { item: outputOf(output) });
  if (sound && sound.length > 0) {
    for (const audio of soundInPieces(sound)) yield names.event('input_audio_buffer.append', { audio });
    yield names.event('input_audio_buffer.commit');
  }
  if (text.trim() !== '') yield names.event('conversation.item.create', { item: memberSaid(text) });
}
