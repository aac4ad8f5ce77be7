import type { GatewayError } from './errors.ts';

/** Events of an answer. Exactly one event has a `response`, and it is the last. */
export type TextEvent =
  | { type: 'created'; id: string | undefined; model: string | undefined }
  | { type: 'text'; delta: string }
  | { type: 'refusal'; delta: string }
  | { type: 'reasoning'; delta: string }
  | { type: 'web-search'; isDone: boolean }
  /** The end of the answer, as in `response.end`. */
  | { type: TextResponse['end']; response: TextResponse };

/** A call of a tool by the model. Its output is sent back as `{ type: 'call-output', callId, output }`. */
export interface ToolCall {
  callId: string;
  name: string;
  /** JSON as the model wrote it, which may be invalid. */
  arguments: string;
}

/** Tokens; undefined if the gateway did not report them. */
export type TextUsage = Record<'input' | 'cached' | 'output' | 'reasoning' | 'total', number | undefined>;

/** `ended-early`: the gateway stopped without an end event, or the caller aborted. */
export type TextEnd = 'completed' | 'incomplete' | 'failed' | 'ended-early';

/** The complete answer, however it ended. */
export interface TextResponse {
  end: TextEnd;
  id: string | undefined;
  model: string | undefined;
  text: string;
  refusal: string;
  /** The visible part of the model's reasoning. */
  reasoning: string;
  /** Complete calls only. */
  calls: ToolCall[];
  usage: TextUsage | undefined;
  /** The cost in US dollars, if the gateway reports it. */
  cost: string | undefined;
  /** Why the answer is incomplete, as named by the gateway, such as `max_output_tokens`. */
  reason: string | undefined;
  /** Why the answer failed or ended early. The code is `aborted` if the caller aborted. */
  error: GatewayError | undefined;
}
