import { z } from 'zod';

/** When a fault is applied: when a session opens, when its settings change, at a response, or at a transcription. */
export type FaultTiming = 'open' | 'settings' | 'response' | 'transcript';

/** When each fault of a live session is applied. The upgrade request has faults of its own (`fault.ts`). */
const FAULT_TIMINGS = {
  /** The connection is cut at the start, after the settings, or before, during or after a reply. */
  'drop-open': 'open',
  'drop-updated': 'settings',
  'drop-asked': 'response',
  'drop-middle': 'response',
  'drop-end': 'response',
  /** The session no longer sends or reads anything, but the connection stays open. */
  'hang-open': 'open',
  'hang-asked': 'response',
  'hang-middle': 'response',
  /** An error event instead of a reply, or during it; the session continues. */
  refused: 'response',
  error: 'response',
  /** An error event, after which the session ends. */
  fatal: 'response',
  /** The time limit is reached at the start of a reply or during it. */
  limit: 'response',
  'limit-middle': 'response',
  failed: 'response',
  incomplete: 'response',
  /** A frame with invalid JSON, and a binary frame. */
  garbage: 'response',
  binary: 'response',
  /** Every event is sent twice. */
  duplicates: 'response',
  /** A reply in the other dialect. */
  'other-dialect': 'response',
  /** Sends an event of an unknown type after every event. */
  unknown: 'response',
  slow: 'response',
  /** Audio deltas end in the middle of a sample. */
  'odd-bytes': 'response',
  'refuse-transcriber': 'settings',
  'transcription-failed': 'transcript',
} as const satisfies Record<string, FaultTiming>;

export type RealtimeFaultKind = keyof typeof FAULT_TIMINGS;
const faultNames = Object.keys(FAULT_TIMINGS) as [RealtimeFaultKind, ...RealtimeFaultKind[]];

export const realtimeFault = z.strictObject({
  type: z.literal('realtime'),
  how: z.enum(faultNames),
  /** The number of deltas before a fault during a reply; 4 by default. */
  after: z.int().min(0).max(1_000_000).optional(),
});
export type RealtimeFault = z.infer<typeof realtimeFault>;

export const timingOf = ({ how }: RealtimeFault): FaultTiming => FAULT_TIMINGS[how];

type Presets = { readonly [How in RealtimeFaultKind as `realtime-${How}`]: { type: 'realtime'; how: How } };

/** Presets by name. */
export const realtimePresets = Object.fromEntries(
  faultNames.map((how) => [`realtime-${how}`, { type: 'realtime', how }]),
) as Presets;
