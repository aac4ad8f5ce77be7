import type { TextResponse, TextUsage, ToolCall } from './response.ts';

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
