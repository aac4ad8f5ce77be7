import { type Random, randomOf } from '../../../sandbox/gateway/random.ts';
import { keysOf } from '../../../src/lib/entries.ts';
import { orderKinds } from '../kinds.ts';
import { type Kill, type Place, type Plan, places, planOf, type Scale } from '../plan.ts';
import { anyOf } from '../troubles.ts';
import type { ClusterRole } from './fleet.ts';

export interface ClusterScale extends Scale {
  /** How many times a process is suspended for longer than the lease. */
  pauses: number;
  /** How many times the server of the store crashes. */
  serverKills: number;
  /** How many times a process is stopped the way an operator stops it, and how many times another worker joins for a while. */
  membershipChanges: number;
  /** The number of plain servers, in addition to those that every embedded Discord has. */
  guilds: number;
  leaseMs: number;
}

/** What happens to processes, as plain data. */
export type ClusterEvent = { at: number } & (
  | { do: 'kill'; role: ClusterRole; kill: Kill }
  | { do: 'pause'; role: ClusterRole; ms: number }
  | { do: 'crash'; downMs: number }
  | { do: 'leave'; role: ClusterRole; awayMs: number }
  | { do: 'join'; stayMs: number }
);

export interface ClusterPlan extends Pick<Plan, 'requests' | 'faults'> {
  events: readonly ClusterEvent[];
}

export const guildNames = (guilds: number): string[] =>
  Array.from({ length: guilds }, (_, index) => `guild-${index + 1}`);
/** The members of plain servers. */
export const GUESTS = ['member', 'other', 'owner'] as const;

const kindNames = keysOf(orderKinds);
const SHARD_SHARE = 0.3;
const PAUSED_SHARD_SHARE = 0.2;
/** Every third crash lasts longer than a lease. */
const LONG_CRASH_INTERVAL = 3;

/** Plans everything that will happen, which depends on nothing but the scale and its seed. */
export function clusterPlanOf(scale: ClusterScale): ClusterPlan {
  const { seed, stormMs, guilds, leaseMs } = scale;
  const random = randomOf(seed + 1);
  const allPlaces: Place[] = [
    ...places,
    ...guildNames(guilds).flatMap((name) => GUESTS.map((who) => ({ who, where: `${name}/general` }))),
  ];
  const { requests, faults, kills } = planOf(scale, allPlaces);
  /** Gives each event its own part of the storm. */
  const spread = <Event>(count: number, make: (index: number) => Event): (Event & { at: number })[] =>
    Array.from({ length: count }, (_, index) => ({
      ...make(index),
      at: Math.floor((index + 0.2 + random.next() * 0.5) * (stormMs / count)),
    }));
  return {
    // Every kind occurs equally often.
    requests: requests.map((request, index) => ({
      ...request,
      kind: kindNames[index % kindNames.length] ?? 'imagine',
    })),
    faults,
    events: [
      ...kills.map((kill): ClusterEvent => ({ do: 'kill', at: kill.at, ...killOf(kill, roleOf(random, SHARD_SHARE)) })),
      ...spread(scale.pauses, () => ({
        do: 'pause' as const,
        role: roleOf(random, PAUSED_SHARD_SHARE),
        ms: leaseMs + 1_500 + random.integer(2_500),
      })),
      ...spread(scale.serverKills, (index) => ({
        do: 'crash' as const,
        downMs: index % LONG_CRASH_INTERVAL === LONG_CRASH_INTERVAL - 1 ? leaseMs + 1_500 : 200 + random.integer(1_500),
      })),
      ...spread(scale.membershipChanges, () => ({
        do: 'leave' as const,
        role: anyOf(['shard', 'worker'] as const, random),
        awayMs: 500 + random.integer(3_000),
      })),
      ...spread(scale.membershipChanges, () => ({ do: 'join' as const, stayMs: 4_000 + random.integer(6_000) })),
    ],
  };
}

const roleOf = (random: Random, shardShare: number): ClusterRole => (random.next() < shardShare ? 'shard' : 'worker');

/** A shard process sends none of the requests that can be held, so it is killed regardless of its current step. */
const killOf = (kill: Kill, role: ClusterRole): { role: ClusterRole; kill: Kill } => ({
  role,
  kill: role === 'worker' ? kill : { ...kill, step: 'anything', held: 'no' },
});
