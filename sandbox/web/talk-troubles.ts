import { type Moment, momentOf, type RealtimeTrouble } from '../gateway/realtime/fault.ts';
import type { TalkTrouble } from './protocol.ts';

/** When a trouble strikes, so that somebody knows what to do for it to strike. */
const WHEN: Readonly<Record<Moment, string>> = {
  open: 'As the next live session is opened',
  settings: 'As the next live session takes its settings, right after it was opened',
  response: 'As the next answer of a live session is asked for',
  transcript: 'As the next sound that somebody sends is written down',
};

/** What befalls, as it stands on a button. */
const WHAT: Readonly<Record<RealtimeTrouble, string>> = {
  'drop-open': 'Connection lost',
  'hang-open': 'Silence',
  'drop-updated': 'Connection lost',
  'refuse-transcriber': 'Writing down refused',
  'drop-asked': 'Connection lost at once',
  'drop-middle': 'Connection lost in the middle',
  'drop-end': 'Connection lost at its end',
  'hang-asked': 'Silence at once',
  'hang-middle': 'Silence in the middle',
  refused: 'Refused: too many requests',
  error: 'Error, and on it goes',
  fatal: 'Error, and the end',
  limit: 'Hour over at once',
  'limit-middle': 'Hour over in the middle',
  failed: 'Failure in the middle',
  incomplete: 'Broken off by a filter',
  garbage: 'Half an event',
  binary: 'Bytes as an event',
  duplicates: 'Everything twice',
  'other-dialect': 'The other dialect',
  unknown: 'Unknown events',
  slow: 'Twenty times slower',
  'odd-bytes': 'Sound cut amid samples',
  'transcription-failed': 'Not understood',
};

export const talkTroubleNames = Object.keys(WHAT) as [RealtimeTrouble, ...RealtimeTrouble[]];

const whenOf = (how: RealtimeTrouble): string => WHEN[momentOf({ type: 'realtime', how })];

export const talkTroubles: readonly TalkTrouble[] = talkTroubleNames.map((how) => ({
  ...{ how, when: whenOf(how), what: WHAT[how] },
}));

/** When it strikes, and what will befall. */
export const talkTroubleSentence = (how: RealtimeTrouble): string =>
  `${whenOf(how)}: ${WHAT[how].replace(/^./, (letter) => letter.toLowerCase())}.`;
