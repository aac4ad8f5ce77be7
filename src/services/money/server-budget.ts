import { z } from 'zod';
import { type Limits, limits, mostGenerousLimits } from './limits.ts';

const amount = z.string().regex(/^\d+(\.\d+)?$/);

/** A member, identified by a keyed hash, and also by their id until they erase their data. A limit or a block remains after that. */
const subject = z.object({ memberId: z.string().optional() });

const memberLimits = subject.extend({ limits });
const block = subject.extend({ at: z.number(), until: z.number().optional() });

const roleSettings = z.object({
  limits: limits.optional(),
});

/** An addition to the limits for the rest of the day, week and month in which it was granted. */
const grant = z.object({
  /** The member's hash; undefined for the server itself. */
  to: z.string().optional(),
  at: z.number(),
  amount: amount.optional(),
  tasks: z.int().min(0).optional(),
  /** Raises the operator's limits for the server too. */
  isOperators: z.literal(true).optional(),
});
export type Grant = z.output<typeof grant>;

const changeNames = [
  ...(['server-limits', 'operator-limits', 'member-limits', 'role', 'member'] as const),
  ...(['grant', 'reset', 'block', 'unblock', 'pause', 'resume', 'alerts', 'confirm-above', 'show-cost'] as const),
] as const;

const use = z.object({ tasks: z.int(), amount: z.string().regex(/^-?\d+(\.\d+)?$/) });
const reset = z.object({ at: z.number(), uses: z.record(z.string(), z.record(z.string(), use)) });
export type Reset = z.output<typeof reset>;

const change = z.object({
  at: z.number(),
  /** The admin who made the change; undefined after their erasure. */
  by: z.string().optional(),
  what: z.enum(changeNames),
  /** The role or the channel, or the member's hash. */
  on: z.string().optional(),
  /** The member that `on` stands for, until their erasure. */
  memberId: z.string().optional(),
  before: z.string().optional(),
  after: z.string().optional(),
  /** Whether someone who manages the whole bot made it on another server, or in a direct message. */
  isFromElsewhere: z.literal(true).optional(),
});
export type BudgetChange = z.output<typeof change>;

/** The decisions of a server's admins, and of the operator about the server. */
export const serverBudget = z.object({
  /** If unset, the operator's default applies. */
  serverLimits: limits.optional(),
  /** The operator's limits for this server, which its admins cannot change. */
  operatorLimits: limits.optional(),
  /** For each member without limits of their own. */
  memberLimits: limits.optional(),
  roles: z.record(z.string(), roleSettings),
  members: z.record(z.string(), memberLimits),
  /** When limits were last set or removed: of the server, by the operator, of its members, of a role, or of a member (by hash). */
  changedAt: z.record(z.string(), z.number()),
  blocks: z.record(z.string(), block),
  grants: z.array(grant),
  /** The usage before each reset, which no longer counts, by scope, period and kind. */
  resets: z.record(z.string(), reset),
  isPaused: z.boolean(),
  /** Set if the former row could not be read, until an admin resumes requests: whether the admins were told. */
  unreadable: z.enum(['untold', 'told']).optional(),
  alertsChannelId: z.string().optional(),
  /** Members have to confirm requests that cost more. */
  confirmAbove: amount.optional(),
  /** Whether the cost and the remaining limit are shown under results. */
  showsCost: z.literal(true).optional(),
  /** The highest share of each limit that was announced, in percent, by limit and period. */
  told: z.record(z.string(), z.number()),
  /** Oldest first. */
  history: z.array(change),
});
export type ServerBudget = z.output<typeof serverBudget>;

export const EMPTY_BUDGET: ServerBudget = {
  roles: {},
  members: {},
  changedAt: {},
  blocks: {},
  resets: {},
  told: {},
  grants: [],
  history: [],
  isPaused: false,
};

/** The whole history is stored in one row, because admins rarely change limits. */
const MAX_HISTORY = 200;
export const MAX_SUBJECTS = 300;

export type LimitSource = 'member' | 'role' | 'members' | 'default';

export interface StartedLimits {
  limits: Limits;
  since: number;
}

/** The latest change of any of these limits, after which others may apply. */
export const lastChange = ({ changedAt }: ServerBudget, names: readonly string[]): number =>
  Math.max(0, ...names.map((name) => changedAt[name] ?? 0));

/** The member's own limits, or else the most generous of their roles, or else the server's limits for each member. */
export function memberLimitsIn(
  budget: ServerBudget,
  member: string,
  roleIds: readonly string[],
): (StartedLimits & { source: LimitSource }) | undefined {
  const ownLimits = budget.members[member]?.limits;
  if (ownLimits) return { limits: ownLimits, source: 'member', since: lastChange(budget, [member]) };
  const roleLimits = mostGenerousLimits(
    roleIds.flatMap((id) => (Object.hasOwn(budget.roles, id) ? (budget.roles[id]?.limits ?? []) : [])),
  );
  if (roleLimits) return { limits: roleLimits, source: 'role', since: lastChange(budget, [member, ...roleIds]) };
  const since = lastChange(budget, [member, ...roleIds, 'members']);
  return budget.memberLimits && { limits: budget.memberLimits, source: 'members', since };
}

export function activeBlock({ blocks }: ServerBudget, member: string, now: number) {
  const block = Object.hasOwn(blocks, member) ? blocks[member] : undefined;
  return block?.until !== undefined && block.until <= now ? undefined : block;
}

/** What was announced of the limits before these changes does not hold afterwards. */
const LIMIT_CHANGES: ReadonlySet<BudgetChange['what']> = new Set([
  'server-limits',
  'operator-limits',
  'grant',
  'reset',
]);

export function withChange(budget: ServerBudget, entry: BudgetChange): ServerBudget {
  const told = LIMIT_CHANGES.has(entry.what) ? {} : budget.told;
  return { ...budget, told, history: [...budget.history, entry].slice(-MAX_HISTORY) };
}

/** Without entries that can no longer matter: grants, resets and changes of earlier periods, and blocks that have ended. */
export function withoutExpired(budget: ServerBudget, since: number, now: number): ServerBudget {
  const isKept = (at: number): boolean => at >= since;
  return {
    ...budget,
    grants: budget.grants.filter(({ at }) => isKept(at)),
    changedAt: Object.fromEntries(Object.entries(budget.changedAt).filter(([, at]) => isKept(at))),
    resets: Object.fromEntries(Object.entries(budget.resets).filter(([, { at }]) => isKept(at))),
    blocks: Object.fromEntries(
      Object.entries(budget.blocks).filter(([, { until }]) => until === undefined || until > now),
    ),
  };
}

/** Without the id of a member whose data was erased. Their limits and blocks stay under the hash. */
export function budgetWithoutMember(budget: ServerBudget, memberId: string): ServerBudget {
  const hideId = <T extends { memberId?: string | undefined }>(one: T): T =>
    one.memberId === memberId ? { ...one, memberId: undefined } : one;
  const hideIdIn = <T extends { memberId?: string | undefined }>(all: Record<string, T>): Record<string, T> =>
    Object.fromEntries(Object.entries(all).map(([key, one]) => [key, hideId(one)]));
  return {
    ...budget,
    members: hideIdIn(budget.members),
    blocks: hideIdIn(budget.blocks),
    history: budget.history.map(hideId).map((entry) => (entry.by === memberId ? { ...entry, by: undefined } : entry)),
  };
}

/** The key of a reset of the operator's limits for a server. Resets of the server's own limits use the scope itself. */
export const operatorResetKey = (scope: string): string => `operator ${scope}`;
