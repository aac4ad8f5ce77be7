import type { Pcm } from '../../../lib/pcm.ts';
import type { GatewayError } from '../errors.ts';
import type { TextTool } from '../responses/request.ts';

/** How a live session is to be; sent again whenever the connection is made anew. */
export interface RealtimeSettings {
  model: string;
  instructions?: string | undefined;
  voice?: string | undefined;
  /** A model that writes down what is said to the session, where the gateway has one. */
  transcriber?: string | undefined;
  tools?: readonly RealtimeTool[] | undefined;
}

/** Gateways search the web for text alone. */
export type RealtimeTool = Exclude<TextTool, { type: 'web-search' }>;

/** Something of the conversation so far, for a session that did not hear it. */
export interface EarlierTurn {
  by: 'member' | 'model';
  text: string;
}

/** What is said to the model at once. */
export interface Utterance {
  text?: string | undefined;
  sound?: Pcm | undefined;
  /** What came of the tools that its last answer called. */
  outputs?: readonly { callId: string; output: string }[] | undefined;
}

export interface RealtimeCall {
  callId: string;
  name: string;
  /** JSON as the model wrote it, which may not parse. */
  arguments: string;
}

/** What the gateway said that a response took. */
export interface RealtimeUsage {
  input?: number | undefined;
  cached?: number | undefined;
  output?: number | undefined;
  audioInput?: number | undefined;
  audioOutput?: number | undefined;
}

/** completed: all is there. incomplete: as much as the model was let say. cancelled: broken off by us. failed: by the gateway. cut: with the connection. */
export type RealtimeEnd = 'completed' | 'incomplete' | 'cancelled' | 'failed' | 'cut';

/** All of an answer, however it ended. */
export interface RealtimeResponse {
  id: string;
  end: RealtimeEnd;
  /** Written and spoken words, in their order. */
  text: string;
  calls: RealtimeCall[];
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
  | { type: 'call'; call: RealtimeCall }
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
