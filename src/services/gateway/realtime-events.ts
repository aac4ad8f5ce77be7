import { z } from 'zod';
import type { Pcm } from '../../lib/pcm.ts';
import type { GatewayError } from './errors.ts';
import { modelId, nonEmptyText } from './schemas.ts';

export const realtimeSettings = z.strictObject({
  model: modelId,
  instructions: nonEmptyText('the instructions are empty').optional(),
  voice: nonEmptyText('the voice is empty').optional(),
  /** The model that transcribes the member's audio, if the gateway has one. */
  transcriber: nonEmptyText('the transcription model is missing').optional(),
});

/** The settings of a live session, sent again on every new connection. */
export type RealtimeSettings = z.output<typeof realtimeSettings>;

/** A turn of the conversation so far, for a connection that was not open at the time. */
export interface EarlierTurn {
  by: 'member' | 'model';
  text: string;
}

const EMPTY_MESSAGE = 'the message is empty: write or record something';

export const utteranceSchema = z
  .strictObject({
    text: z.string().optional(),
    audio: z.custom<Pcm>((value) => value instanceof Int16Array, 'this is not audio').optional(),
  })
  .refine(({ text = '', audio }) => text.trim() !== '' || audio?.length, EMPTY_MESSAGE);

/** What a member says to the model in one turn. */
export type Utterance = z.output<typeof utteranceSchema>;

export type RealtimeUsage = Partial<
  Record<'input' | 'cached' | 'output' | 'audioInput' | 'audioOutput', number | undefined>
>;

/** `incomplete`: stopped by a limit. `cancelled`: interrupted by us. `failed`: ended by the gateway. `cut`: the connection was lost. */
export type RealtimeEnd = 'completed' | 'incomplete' | 'cancelled' | 'failed' | 'cut';

export interface RealtimeResponse {
  id: string;
  end: RealtimeEnd;
  /** Written and spoken text, in order. */
  text: string;
  usage: RealtimeUsage | undefined;
  /** The cost in US dollars, if the gateway reports it. */
  cost?: string | undefined;
  /** Why the response is incomplete, in the gateway's words. */
  reason?: string | undefined;
  error?: GatewayError | undefined;
}

/** The events of an answer. The last event comes exactly once and contains the complete answer. */
export type RealtimeEvent =
  /** The transcript of the utterance; may come at any time before the end, or never. */
  | { type: 'heard'; text: string }
  /** Written text, or the transcript of the audio. */
  | { type: 'text'; delta: string }
  | { type: 'audio'; pcm: Pcm }
  | { type: 'end'; response: RealtimeResponse };
