import { z } from 'zod';
import type { Pcm } from '../../../lib/pcm.ts';
import type { GatewayError } from '../errors.ts';
import type { ToolCall } from '../responses/events.ts';
import { functionTool, otherTool } from '../responses/request.ts';
import { modelId, taskId, words } from '../schemas.ts';

export const realtimeSettings = z.strictObject({
  model: modelId,
  instructions: words('the instructions are empty').optional(),
  voice: words('the voice is empty').optional(),
  /** A model that writes down what is said to the session, where the gateway has one. */
  transcriber: words('the model that writes down what is said is missing').optional(),
  /** Gateways search the web for text alone. */
  tools: z
    .array(z.discriminatedUnion('type', [functionTool, otherTool], 'this is not a tool'))
    .readonly()
    .optional(),
});

/** How a live session is to be; sent again whenever the connection is made anew. */
export type RealtimeSettings = z.output<typeof realtimeSettings>;

const earlierTurn = z.strictObject({ by: z.enum(['member', 'model']), text: z.string() });
export const earlierTurns = z.array(earlierTurn).readonly();

/** Something of the conversation so far, for a session that did not hear it. */
export type EarlierTurn = z.output<typeof earlierTurn>;

const NOTHING = 'there is nothing to say: write or record something';

export const spoken = z
  .strictObject({
    text: z.string().optional(),
    sound: z.custom<Pcm>((value) => value instanceof Int16Array, 'this is no sound').optional(),
    /** What came of the tools that its last answer called. */
    outputs: z
      .array(z.strictObject({ callId: taskId, output: z.string() }))
      .readonly()
      .optional(),
  })
  .refine(({ text = '', sound, outputs = [] }) => text.trim() !== '' || sound?.length || outputs.length > 0, NOTHING);

/** What is said to the model at once. */
export type Utterance = z.output<typeof spoken>;

/** What the gateway said that a response took. */
export type RealtimeUsage = Partial<
  Record<'input' | 'cached' | 'output' | 'audioInput' | 'audioOutput', number | undefined>
>;

/** completed: all is there. incomplete: as much as the model was let say. cancelled: broken off by us. failed: by the gateway. cut: with the connection. */
export type RealtimeEnd = 'completed' | 'incomplete' | 'cancelled' | 'failed' | 'cut';

/** All of an answer, however it ended. */
export interface RealtimeResponse {
  id: string;
  end: RealtimeEnd;
  /** Written and spoken words, in their order. */
  text: string;
  calls: ToolCall[];
  usage: RealtimeUsage | undefined;
  /** Why it is not whole, in the gateway's word. */
  reason?: string | undefined;
  error?: GatewayError | undefined;
}

/** An answer as it comes. The last event comes exactly once, and holds all that came. */
export type RealtimeEvent =
  /** What the model understood of the sound that it answers; it may come at any time before the end, or never. */
  | { type: 'heard'; text: string }
  /** Words, written, or of what is spoken meanwhile. */
  | { type: 'text'; delta: string }
  | { type: 'audio'; pcm: Pcm }
  | { type: 'call'; call: ToolCall }
  | { type: 'end'; response: RealtimeResponse };

/** One answer of a live session. */
export interface RealtimeAnswer {
  /** The gateway's id of the response. */
  readonly id: string;
  readonly events: AsyncIterable<RealtimeEvent>;
  /** Breaks it off: nothing of it that has not come yet stays in the conversation. The events end as cancelled. */
  interrupt(): Promise<void>;
}

/** A conversation with a model, which outlasts its connections. */
export interface RealtimeSession {
  /** The gateway's id of the session as it was opened. */
  readonly id: string;
  /**
   * Says something, over a connection made anew where the last one is gone; comes back as soon as the model begins to answer. What the gateway
   * may have heard although nobody knows is thrown as an error that may have taken effect. One answer at a time: interrupt the last one first.
   */
  say(utterance: Utterance, options?: { signal?: AbortSignal | undefined }): Promise<RealtimeAnswer>;
  /** For good. */
  close(): Promise<void>;
}
