import type { GatewayError } from '../errors.ts';

/** What happens while an answer comes. Exactly one event with a `response` comes, and it is the last. */
export type TextEvent =
  | { type: 'created'; id: string | undefined; model: string | undefined }
  | { type: 'text'; delta: string }
  | { type: 'refusal'; delta: string }
  | { type: 'reasoning'; delta: string }
  | { type: 'call-started'; callId: string; name: string }
  | { type: 'call-arguments'; callId: string; delta: string }
  /** Whole, and once: only this one may be acted upon. */
  | ({ type: 'call' } & ToolCall)
  | { type: 'web-search'; state: 'started' | 'searching' | 'done'; query: string | undefined }
  | { type: 'usage'; usage: TextUsage }
  /** The end; `response.end` is the same word. */
  | { type: TextResponse['end']; response: TextResponse };

/** A tool that the model wants to be used. The output goes back as `{ type: 'call-output', callId, output }`. */
export interface ToolCall {
  callId: string;
  name: string;
  /** JSON as the model wrote it, which may not parse. */
  arguments: string;
}

/** Tokens; undefined is what the gateway did not say. */
export type TextUsage = Record<'input' | 'cached' | 'output' | 'reasoning' | 'total', number | undefined>;

/** How an answer ended; `ended-early` where the gateway stopped without a word, or the caller took it back. */
export type TextEnd = 'completed' | 'incomplete' | 'failed' | 'ended-early';

/** Everything that came, whichever way it ended. */
export interface TextResponse {
  end: TextEnd;
  id: string | undefined;
  model: string | undefined;
  text: string;
  refusal: string;
  /** What the model let be seen of its thoughts. */
  reasoning: string;
  /** Whole ones only. */
  calls: ToolCall[];
  usage: TextUsage | undefined;
  /** Why it is incomplete, in the gateway's word, such as `max_output_tokens`. */
  reason: string | undefined;
  /** Why it failed or ended early. Its code is `aborted` where the caller took it back. */
  error: GatewayError | undefined;
}
