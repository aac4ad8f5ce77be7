import { type Random, randomOf } from '../../sandbox/gateway/random.ts';
import type { OrderKindName } from './kinds.ts';
import { anyOf, anyTrouble, type Trouble } from './troubles.ts';

export interface Scale {
  seed: number;
  jobs: number;
  kills: number;
  /** All faults happen within this time. */
  stormMs: number;
  /** Whether there is time to wait for hanging requests. */
  includeLongFaults: boolean;
}

/** One request of a member, who repeats it if the bot does not respond. */
export interface Request {
  at: number;
  who: string;
  where: string;
  isPrivate: boolean;
  /** `imagine` by default. */
  kind?: OrderKindName;
}

/** The step during which the bot is killed. */
const moments = ['anything', 'acknowledgement', 'submit', 'poll', 'file', 'edit', 'upload', 'post'] as const;
export type Moment = (typeof moments)[number];

export interface Kill {
  at: number;
  amid: Moment;
  /** The other server does not respond to the request during which the bot dies; the server may have carried it out. */
  held: 'no' | 'undone' | 'done';
  /** How long to wait for a moment that does not come. */
  ambushMs: number;
  downMs: number;
  /** Whether every interaction token expires in the meantime, as if the bot were down for a quarter of an hour. */
  outlivesTokens: boolean;
}

export interface Plan {
  requests: readonly Request[];
  kills: readonly Kill[];
  troubles: readonly Planned[];
}

interface Planned {
  at: number;
  trouble: Trouble;
}

export interface Place {
  who: string;
  where: string;
  isPrivate?: true;
}

/** The channels in which each member can make requests. The bot may not write into `read-only`, and is not in `lobby` at all. */
export const places: readonly Place[] = [
  ...['member', 'other', 'admin', 'owner'].flatMap((who) =>
    ['studio', 'studio', 'thread', 'dm'].map((where) => ({ who, where })),
  ),
  ...['member', 'other'].map((who) => ({ who, where: 'read-only', isPrivate: true as const })),
  ...['member', 'other', 'owner'].map((who) => ({ who, where: 'elsewhere/hall' })),
  { who: 'installer', where: 'lobby' },
];

const PRIVATE_SHARE = 0.25;
/** The storm gets weaker towards its end. */
const TROUBLED_SHARE = 0.8;
const TROUBLES_PER_JOB = 0.6;
/** As a share of the time between two kills. */
const MAX_AMBUSH = 1 / 3;
const MAX_DOWNTIME = 1 / 6;
const OUTLIVING_SHARE = 0.3;

/** Everything that will happen, determined by its seed alone. */
export function planOf({ seed, jobs, kills, stormMs, includeLongFaults }: Scale, where = places): Plan {
  const random = randomOf(seed);
  const moment = (share = 1): number => Math.floor(random.next() * stormMs * share);
  return {
    requests: Array.from({ length: jobs }, () => ({
      at: moment(),
      isPrivate: random.next() < PRIVATE_SHARE,
      ...anyOf(where, random),
    })),
    kills: Array.from({ length: kills }, (_, index) => killIn(index, { kills, stormMs }, random)),
    troubles: apart(
      Array.from({ length: Math.ceil(jobs * TROUBLES_PER_JOB) }, () => ({
        at: moment(TROUBLED_SHARE),
        trouble: anyTrouble(random, { includeLongFaults }),
      })),
    ),
  };
}

/** Discord sends one event of a session at a time, and processes the bot's reply before it sends the next event. */
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

/** Each kill has a separate part of the time, so the bot lives for a while between two kills. */
function killIn(index: number, { kills, stormMs }: Pick<Scale, 'kills' | 'stormMs'>, random: Random): Kill {
  const span = stormMs / kills;
  return {
    at: Math.floor((index + 0.4 + random.next() * 0.4) * span),
    amid: anyOf(moments, random),
    held: anyOf(['no', 'undone', 'done'], random),
    ambushMs: span * MAX_AMBUSH,
    downMs: random.integer(span * MAX_DOWNTIME),
    outlivesTokens: random.next() < OUTLIVING_SHARE,
  };
}
