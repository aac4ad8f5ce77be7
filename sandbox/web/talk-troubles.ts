import { type FaultTiming, type RealtimeFaultKind, timingOf } from '../gateway/realtime/fault.ts';
import type { TalkTrouble } from './protocol.ts';

/** When a fault is applied, so the user knows what triggers it. */
const TRIGGERS: Readonly<Record<FaultTiming, string>> = {
  open: 'When the next live session opens',
  settings: 'When the next live session receives its settings',
  response: 'When the bot requests the next response',
  transcript: 'When the next utterance is transcribed',
};

/** The effect of a fault, as the label of its button. */
const EFFECTS: Readonly<Record<RealtimeFaultKind, string>> = {
  'drop-open': 'Connection lost',
  'hang-open': 'No response',
  'drop-updated': 'Connection lost',
  'refuse-transcriber': 'Transcription refused',
  'drop-asked': 'Connection lost at the start',
  'drop-middle': 'Connection lost midway',
  'drop-end': 'Connection lost at the end',
  'hang-asked': 'Silence from the start',
  'hang-middle': 'Silence midway',
  refused: 'Refused: too many requests',
  error: 'Non-fatal error',
  fatal: 'Fatal error',
  limit: 'Time limit at the start',
  'limit-middle': 'Time limit midway',
  failed: 'Failure midway',
  incomplete: 'Stopped by a filter',
  garbage: 'Truncated event',
  binary: 'Binary event',
  duplicates: 'Duplicate events',
  'other-dialect': 'Wrong dialect',
  unknown: 'Unknown events',
  slow: '20 times slower',
  'odd-bytes': 'Audio split between samples',
  'transcription-failed': 'Transcription failed',
};

export const talkTroubleNames = Object.keys(EFFECTS) as [RealtimeFaultKind, ...RealtimeFaultKind[]];

const triggerOf = (how: RealtimeFaultKind): string => TRIGGERS[timingOf({ type: 'realtime', how })];

export const talkTroubles: readonly TalkTrouble[] = talkTroubleNames.map((how) => ({
  how,
  when: triggerOf(how),
  what: EFFECTS[how],
}));

export const describeTalkTrouble = (how: RealtimeFaultKind): string =>
  `${triggerOf(how)}: ${EFFECTS[how].replace(/^./, (character) => character.toLowerCase())}.`;
