import { z } from 'zod';

/** What can go wrong with an answer of the text endpoint, beside what can go wrong with any (`fault.ts`). */
const textFaultKinds = [
  /** The connection goes in the middle. */
  'cut',
  /** The stream is closed in good order before its last event. */
  'early-end',
  /** An event tells an error in the middle: flat, nested, or as the failure of the whole response. */
  'error',
  'nested-error',
  'failed',
  /** Nothing more comes, and the connection stays. */
  'silence',
  /** The last event has an empty output although pieces came. */
  'empty-output',
  /** The words of chats for what was used. */
  'chat-usage',
  /** The whole answer in the shape of a chat. */
  'chat',
  /** JSON, although a stream was asked for. */
  'plain',
  /** A model that takes no such thing says so. */
  'refuse-stream',
  'refuse-format',
  'refuse-tools',
  'refuse-reasoning',
] as const;

/** The field that each of these refuses. */
export const refusedFields: ReadonlyMap<string, string> = new Map([
  ['refuse-stream', 'stream'],
  ['refuse-format', 'text.format'],
  ['refuse-tools', 'tools'],
  ['refuse-reasoning', 'reasoning'],
]);

export const textFault = z.strictObject({
  type: z.literal('text'),
  how: z.enum(textFaultKinds),
  /** After so many events; four, unless told. */
  after: z.int().min(0).max(1_000_000).optional(),
});

export type TextFaultKind = (typeof textFaultKinds)[number];
export type TextFault = z.infer<typeof textFault>;
