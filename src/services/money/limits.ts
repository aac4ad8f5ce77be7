import { z } from 'zod';
import { compare } from '../../lib/decimals.ts';
import type { OrderFacts } from '../tasks/transitions.ts';
import { type Period, periods } from './periods.ts';

/** The maximum usage in one period. An unset field means no limit. */
const cap = z.object({
  amount: z
    .string()
    .regex(/^\d+(\.\d+)?$/)
    .optional(),
  tasks: z.int().min(0).optional(),
});
export type Cap = z.output<typeof cap>;

const capsByPeriod = z.object({ day: cap.optional(), week: cap.optional(), month: cap.optional() });
export type CapsByPeriod = z.output<typeof capsByPeriod>;

/** What can be spent. If empty, spending has no limit. */
export const limits = capsByPeriod.extend({
  atOnce: z.int().min(0).optional(),
  waiting: z.int().min(0).optional(),
  /** The number of turns in a row that a member gets; one if unset. */
  weight: z.int().min(1).optional(),
  kinds: z.record(z.string(), capsByPeriod).optional(),
});
export type Limits = z.output<typeof limits>;

/** Kinds that members order with the command of another one, so that its limits are for both. */
const KINDS_OF_COMMANDS: ReadonlyMap<string, string> = new Map([
  ['second-video', 'video'],
  ['image-to-video', 'video'],
]);

/** The kinds whose limits a task counts towards. */
export function limitedKindsOf(kind: string): string[] {
  const commandKind = KINDS_OF_COMMANDS.get(kind);
  return commandKind === undefined ? [kind] : [kind, commandKind];
}

export const limitedPeriodsOf = (allLimits: readonly Limits[]): Period[] => {
  const caps = allLimits.flatMap((limits) => [limits, ...Object.values(limits.kinds ?? {})]);
  return periods.filter((period) => caps.some((one) => one[period] !== undefined));
};

/** Sets no limit, but names every period, so that usage in all of them is counted. */
export const EVERY_PERIOD: readonly Limits[] = [{ day: {}, week: {}, month: {} }];

/** Combines the limits of several roles: each value is that of the most generous role, and unset if any role leaves it unset. */
export function mostGenerousLimits(roleLimits: readonly Limits[]): Limits | undefined {
  const [first, ...others] = roleLimits;
  return first && others.reduce(moreGenerousLimits, first);
}

function moreGenerousLimits(one: Limits, other: Limits): Limits {
  const kinds = Object.keys(one.kinds ?? {}).filter((kind) => other.kinds?.[kind]);
  const atOnce = largerLimit(one.atOnce, other.atOnce, (a, b) => a - b);
  const waiting = largerLimit(one.waiting, other.waiting, (a, b) => a - b);
  const weight = Math.max(one.weight ?? 1, other.weight ?? 1);
  return {
    ...moreGenerousCaps(one, other),
    ...(atOnce !== undefined && { atOnce }),
    ...(waiting !== undefined && { waiting }),
    ...(weight > 1 && { weight }),
    ...(kinds.length > 0 && {
      kinds: Object.fromEntries(
        kinds.map((kind) => [kind, moreGenerousCaps(one.kinds?.[kind] ?? {}, other.kinds?.[kind] ?? {})]),
      ),
    }),
  };
}

function moreGenerousCaps(one: CapsByPeriod, other: CapsByPeriod): CapsByPeriod {
  return Object.fromEntries(
    periods.flatMap((period) => {
      const amount = largerLimit(one[period]?.amount, other[period]?.amount, compare);
      const tasks = largerLimit(one[period]?.tasks, other[period]?.tasks, (a, b) => a - b);
      if (amount === undefined && tasks === undefined) return [];
      return [[period, { ...(amount !== undefined && { amount }), ...(tasks !== undefined && { tasks }) }]];
    }),
  );
}

/** A missing limit is larger than any other. */
function largerLimit<T>(
  one: T | undefined,
  other: T | undefined,
  compareValues: (a: T, b: T) => number,
): T | undefined {
  if (one === undefined || other === undefined) return undefined;
  return compareValues(one, other) >= 0 ? one : other;
}

/** Who makes a request and where, which decides the limits that it counts towards. */
export interface Requester {
  memberId?: string | undefined;
  guildId?: string | undefined;
  isDirect?: true | undefined;
  roleIds?: readonly string[] | undefined;
}

export const requesterOf = ({ requesterId, guildId, route, roleIds }: OrderFacts): Requester => ({
  memberId: requesterId,
  guildId,
  isDirect: route.install === 'user' ? true : undefined,
  roleIds,
});

/** How many tasks wait in all, for the same server and of the same member. */
export type WaitingCounts = Readonly<Record<'all' | 'server' | 'member', () => number>>;
