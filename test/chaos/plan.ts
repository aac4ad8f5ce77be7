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
export interface Wish {
  at: number;
  who: string;
  where: string;
  isPrivate: boolean;
}

/** What the bot is in the middle of when it is killed. */
export const moments = ['anything', 'acknowledgement', 'submit', 'poll', 'file', 'edit', 'upload', 'post'] as const;
export type Moment = (typeof moments)[number];

export interface Kill {
  at: number;
  amid: Moment;
  /** The other side does not answer the request that the bot dies in; it may have carried it out. */
  held: 'no' | 'undone' | 'done';
  downMs: number;
}

export interface Plan {
  wishes: readonly Wish[];
  kills: readonly Kill[];
  troubles: readonly { at: number; trouble: Trouble }[];
}

/** Who can write where; the bot may not write into `read-only`. */
const places = [
  ...['member', 'other', 'admin', 'owner'].flatMap((who) =>
    ['studio', 'studio', 'thread', 'read-only', 'dm'].map((where) => ({ who, where })),
  ),
  ...['member', 'other', 'owner'].map((who) => ({ who, where: 'elsewhere/hall' })),
];

const PRIVATE_SHARE = 0.25;
const TROUBLES_PER_JOB = 0.6;
const LONGEST_DOWN_MS = 1_500;

/** Everything that will happen, by its seed alone. */
export function planOf({ seed, jobs, kills, stormMs, lasting }: Scale): Plan {
  const random = randomOf(seed);
  const moment = (): number => Math.floor(random.next() * stormMs);
  return {
    wishes: Array.from({ length: jobs }, () => ({
      at: moment(),
      ...anyOf(places, random),
      isPrivate: random.next() < PRIVATE_SHARE,
    })),
    kills: Array.from({ length: kills }, (_, index) => killIn(index, { kills, stormMs }, random)),
    troubles: Array.from({ length: Math.ceil(jobs * TROUBLES_PER_JOB) }, () => ({
      at: moment(),
      trouble: anyTrouble(random, { lasting }),
    })),
  };
}

/** Each in its own part of the time, so that between two the bot lives for a while. */
function killIn(index: number, { kills, stormMs }: Pick<Scale, 'kills' | 'stormMs'>, random: Random): Kill {
  return {
    at: Math.floor(((index + 0.4 + random.next() * 0.4) / kills) * stormMs),
    amid: anyOf(moments, random),
    held: anyOf(['no', 'undone', 'done'], random),
    downMs: random.whole(LONGEST_DOWN_MS),
  };
}
