import { type Random, randomOf } from '../../sandbox/gateway/random.ts';
import { anyOf, anyTrouble, type Trouble } from './troubles.ts';

export interface Scale {
  seed: number;
  jobs: number;
  kills: number;
  /** In so long a time all of it happens. */
  stormMs: number;
  /** Whether there is time to wait for what hangs. */
  lasting: boolean;
}

/** One thing a member wants; where the bot does not respond, they ask again. */
export interface Request {
  at: number;
  who: string;
  where: string;
  isPrivate: boolean;
}

/** What the bot is in the middle of when it is killed. */
const moments = ['anything', 'acknowledgement', 'submit', 'poll', 'file', 'edit', 'upload', 'post'] as const;
export type Moment = (typeof moments)[number];

export interface Kill {
  at: number;
  amid: Moment;
  /** The other side does not answer the request that the bot dies in; it may have carried it out. */
  held: 'no' | 'undone' | 'done';
  /** A moment that does not come is not waited for longer. */
  ambushMs: number;
  downMs: number;
  /** Whether every interaction's token dies meanwhile, as if it were down for a quarter of an hour. */
  outlivesTokens: boolean;
}

export interface Plan {
  wishes: readonly Request[];
  kills: readonly Kill[];
  troubles: readonly Planned[];
}

interface Planned {
  at: number;
  trouble: Trouble;
}

interface Place {
  who: string;
  where: string;
  isPrivate?: true;
}

/** Who can order where. The bot may not write into `read-only`, and is not there at all in `lobby`. */
const places: readonly Place[] = [
  ...['member', 'other', 'admin', 'owner'].flatMap((who) =>
    ['studio', 'studio', 'thread', 'dm'].map((where) => ({ who, where })),
  ),
  ...['member', 'other'].map((who) => ({ who, where: 'read-only', isPrivate: true as const })),
  ...['member', 'other', 'owner'].map((who) => ({ who, where: 'elsewhere/hall' })),
  { who: 'installer', where: 'lobby' },
];

const PRIVATE_SHARE = 0.25;
/** Towards its end the storm abates. */
const TROUBLED_SHARE = 0.8;
const TROUBLES_PER_JOB = 0.6;
/** Of the time from one kill to the next. */
const LONGEST_AMBUSH = 1 / 3;
const LONGEST_DOWN = 1 / 6;
const OUTLIVING_SHARE = 0.3;

/** Everything that will happen, by its seed alone. */
export function planOf({ seed, jobs, kills, stormMs, lasting }: Scale): Plan {
  const random = randomOf(seed);
  const moment = (share = 1): number => Math.floor(random.next() * stormMs * share);
  return {
    wishes: Array.from({ length: jobs }, () => ({
      at: moment(),
      isPrivate: random.next() < PRIVATE_SHARE,
      ...anyOf(places, random),
    })),
    kills: Array.from({ length: kills }, (_, index) => killIn(index, { kills, stormMs }, random)),
    troubles: apart(
      Array.from({ length: Math.ceil(jobs * TROUBLES_PER_JOB) }, () => ({
        at: moment(TROUBLED_SHARE),
        trouble: anyTrouble(random, { lasting }),
      })),
    ),
  };
}

/** Discord says one thing about a session at a time, and hears what the bot says to it before it says another. */
const SOCKET_GAP_MS = 2_000;

function apart(troubles: readonly Planned[]): Planned[] {
  let last = Number.NEGATIVE_INFINITY;
  return troubles
    .toSorted((one, other) => one.at - other.at)
    .filter(({ at, trouble }) => {
      if (trouble.of !== 'socket') return true;
      const isApart = at - last >= SOCKET_GAP_MS;
      if (isApart) last = at;
      return isApart;
    });
}

/** Each in its own part of the time, so that between two the bot lives for a while. */
function killIn(index: number, { kills, stormMs }: Pick<Scale, 'kills' | 'stormMs'>, random: Random): Kill {
  const span = stormMs / kills;
  return {
    at: Math.floor((index + 0.4 + random.next() * 0.4) * span),
    amid: anyOf(moments, random),
    held: anyOf(['no', 'undone', 'done'], random),
    ambushMs: span * LONGEST_AMBUSH,
    downMs: random.whole(span * LONGEST_DOWN),
    outlivesTokens: random.next() < OUTLIVING_SHARE,
  };
}
