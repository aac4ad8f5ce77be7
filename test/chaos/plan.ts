import { type Random, randomOf } from '../../sandbox/gateway/random.ts';
import type { OrderKindName } from './kinds.ts';
import { anyOf, type ExternalFault, randomFault } from './troubles.ts';

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
const steps = ['anything', 'acknowledgement', 'submit', 'poll', 'file', 'edit', 'upload', 'post'] as const;
export type Step = (typeof steps)[number];

export interface Kill {
  at: number;
  step: Step;
  /** Whether the server leaves the request of this step without a response, and whether it carries the request out first. */
  held: 'no' | 'undone' | 'done';
  /** How long to wait for the step, which may not occur. */
  stepTimeoutMs: number;
  downMs: number;
  /** Whether every interaction token expires in the meantime, as if the bot were down for a quarter of an hour. */
  expiresTokens: boolean;
}

export interface Plan {
  requests: readonly Request[];
  kills: readonly Kill[];
  faults: readonly PlannedFault[];
}

interface PlannedFault {
  at: number;
  fault: ExternalFault;
}

export interface Place {
  who: string;
  where: string;
  isPrivate?: true;
}

/** The channels in which each member can make requests. The bot may not write in `read-only`, and is not in `lobby` at all. */
export const places: readonly Place[] = [
  ...['member', 'other', 'admin', 'owner'].flatMap((who) =>
    ['studio', 'studio', 'thread', 'dm'].map((where) => ({ who, where })),
  ),
  ...['member', 'other'].map((who) => ({ who, where: 'read-only', isPrivate: true as const })),
  ...['member', 'other', 'owner'].map((who) => ({ who, where: 'elsewhere/hall' })),
  { who: 'installer', where: 'lobby' },
];

const PRIVATE_SHARE = 0.25;
/** Faults are only injected in the first part of the storm. */
const FAULTY_SHARE = 0.8;
const FAULTS_PER_JOB = 0.6;
/** The two limits are shares of the time between two kills. */
const MAX_STEP_WAIT = 1 / 3;
const MAX_DOWNTIME = 1 / 6;
const TOKEN_EXPIRY_SHARE = 0.3;

/** Plans everything that will happen, which depends on nothing but the scale and its seed. */
export function planOf({ seed, jobs, kills, stormMs, includeLongFaults }: Scale, where = places): Plan {
  const random = randomOf(seed);
  const randomTime = (share = 1): number => Math.floor(random.next() * stormMs * share);
  return {
    requests: Array.from({ length: jobs }, () => ({
      at: randomTime(),
      isPrivate: random.next() < PRIVATE_SHARE,
      ...anyOf(where, random),
    })),
    kills: Array.from({ length: kills }, (_, index) => randomKill(index, { kills, stormMs }, random)),
    faults: spaceOutSocketFaults(
      Array.from({ length: Math.ceil(jobs * FAULTS_PER_JOB) }, () => ({
        at: randomTime(FAULTY_SHARE),
        fault: randomFault(random, { includeLongFaults }),
      })),
    ),
  };
}

/** Socket faults are at least this far apart: Discord sends a session's next event only after it has processed the bot's reply. */
const SOCKET_GAP_MS = 2_000;

function spaceOutSocketFaults(faults: readonly PlannedFault[]): PlannedFault[] {
  let lastAt = Number.NEGATIVE_INFINITY;
  return faults
    .toSorted((one, other) => one.at - other.at)
    .filter(({ at, fault }) => {
      if (fault.of !== 'socket') return true;
      const isLateEnough = at - lastAt >= SOCKET_GAP_MS;
      if (isLateEnough) lastAt = at;
      return isLateEnough;
    });
}

/** Each kill has its own part of the storm, so the bot runs for a while between two kills. */
function randomKill(index: number, { kills, stormMs }: Pick<Scale, 'kills' | 'stormMs'>, random: Random): Kill {
  const span = stormMs / kills;
  return {
    at: Math.floor((index + 0.4 + random.next() * 0.4) * span),
    step: anyOf(steps, random),
    held: anyOf(['no', 'undone', 'done'], random),
    stepTimeoutMs: span * MAX_STEP_WAIT,
    downMs: random.integer(span * MAX_DOWNTIME),
    expiresTokens: random.next() < TOKEN_EXPIRY_SHARE,
  };
}
