import { z } from 'zod';

/** When a trouble strikes: as a session opens, when its settings change, when it is to answer, when it writes down what it heard. */
export type FaultTiming = 'open' | 'settings' | 'response' | 'transcript';

/** What can go wrong on the socket, beside what can go wrong with any request for it (`fault.ts`). */
const FAULT_TIMINGS = {
  /** The connection goes before a word, after the settings are taken, before an answer, in its middle, or behind its last piece. */
  'drop-open': 'open',
  'drop-updated': 'settings',
  'drop-asked': 'response',
  'drop-middle': 'response',
  'drop-end': 'response',
  /** Nothing more comes, not even a pong, and nothing is read, while the connection stays. */
  'hang-open': 'open',
  'hang-asked': 'response',
  'hang-middle': 'response',
  /** An error event instead of an answer, or in its middle; the session goes on. */
  refused: 'response',
  error: 'response',
  /** An error event, and the end of the session. */
  fatal: 'response',
  /** The hour is over now, in the middle of an answer or as one is asked for. */
  limit: 'response',
  'limit-middle': 'response',
  failed: 'response',
  incomplete: 'response',
  /** A frame that is no JSON, and one of bytes. */
  garbage: 'response',
  binary: 'response',
  /** Every event comes twice. */
  duplicates: 'response',
  /** An answer in the words of the other dialect. */
  'other-dialect': 'response',
  /** Sends an event of an unknown type between any two events. */
  unknown: 'response',
  slow: 'response',
  /** Pieces of sound end in the middle of a sample. */
  'odd-bytes': 'response',
  'refuse-transcriber': 'settings',
  'transcription-failed': 'transcript',
} as const satisfies Record<string, FaultTiming>;

export type RealtimeFaultKind = keyof typeof FAULT_TIMINGS;
const names = Object.keys(FAULT_TIMINGS) as [RealtimeFaultKind, ...RealtimeFaultKind[]];

export const realtimeFault = z.strictObject({
  type: z.literal('realtime'),
  how: z.enum(names),
  /** After so many pieces of an answer, where it strikes in the middle; four, unless told. */
  after: z.int().min(0).max(1_000_000).optional(),
});
export type RealtimeFault = z.infer<typeof realtimeFault>;

export const timingOf = ({ how }: RealtimeFault): FaultTiming => FAULT_TIMINGS[how];

type Presets = { readonly [How in RealtimeFaultKind as `realtime-${How}`]: { type: 'realtime'; how: How } };

/** Each by its name. */
export const realtimePresets = Object.fromEntries(
  names.map((how) => [`realtime-${how}`, { type: 'realtime', how }]),
) as Presets;
