import { z } from 'zod';

/** Faults of the text endpoint, in addition to the general ones (`fault.ts`). */
const textFaultKinds = [
  /** The connection is cut midway. */
  'cut',
  /** The stream ends properly before its last event. */
  'early-end',
  /** An error event midway: flat, nested, or as a failed response. */
  'error',
  'nested-error',
  'failed',
  /** No more events are sent, but the connection stays open. */
  'silence',
  /** Text is sent without end. */
  'endless',
  /** The last event has an empty output despite earlier deltas. */
  'empty-output',
  /** Usage with the field names of chat completions. */
  'chat-usage',
  /** The response as a chat completion. */
  'chat',
  /** Plain JSON although a stream was requested. */
  'plain',
  /** The model calls a tool although it has the outputs of earlier calls, or must not call any. */
  'calls-tools',
  /** The model refuses the field. */
  'refuse-stream',
  'refuse-format',
  'refuse-tools',
  'refuse-reasoning',
] as const;

/** The field that each of these faults refuses. */
export const refusedFields: ReadonlyMap<string, string> = new Map([
  ['refuse-stream', 'stream'],
  ['refuse-format', 'text.format'],
  ['refuse-tools', 'tools'],
  ['refuse-reasoning', 'reasoning'],
]);

export const textFault = z.strictObject({
  type: z.literal('text'),
  how: z.enum(textFaultKinds),
  /** The number of events before the fault; 4 by default. */
  after: z.int().min(0).max(1_000_000).optional(),
});

export type TextFaultKind = (typeof textFaultKinds)[number];
export type TextFault = z.infer<typeof textFault>;
