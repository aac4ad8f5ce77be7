import { compare, difference, isZero, sumOf } from '../../../lib/decimals.ts';
import type { Allowance, Holder } from '../allowance.ts';
import { type CapsByPeriod, limitedKindsOf } from '../limits.ts';
import { type Calendar, type Period, periods, type Span } from '../periods.ts';
import type { Grant, Reset, StartedLimits } from '../server-budget.ts';
import type { WholeBot } from '../whole-bot.ts';
import { ALL_KINDS, sumOfUses, type Tally, type Use } from './tally.ts';

/** The scope of the bot-wide sum. */
export const TOTAL = 'total';

/** Limits that apply to a request, and the sum that counts towards them. */
export interface AppliedLimits extends StartedLimits {
  holder: Holder;
  scope: string;
  grants: readonly Grant[];
  reset: Reset | undefined;
}

/** The usage of the other partitions. */
export type OtherUse = Pick<
  WholeBot,
  'usageElsewhere' | 'openTasksElsewhere' | 'waitingTasksElsewhere' | 'isComplete' | 'announce'
>;

/** What limits are compared with. */
export interface CurrentUsage {
  calendar: Calendar;
  now: number;
  /** Of this partition. */
  tally: Tally;
  /** The other partitions; undefined if there are none. */
  wholeBot: OtherUse | undefined;
}

/** How much of each limit is left. `forKind`: only the limits that apply to a request of this kind. */
export function allowancesFor(applied: AppliedLimits, usage: CurrentUsage, forKind?: string): Allowance[] {
  const { holder, scope, limits } = applied;
  const limitedKinds = forKind === undefined ? undefined : limitedKindsOf(forKind);
  const kinds = Object.entries(limits.kinds ?? {}).filter(([kind]) => limitedKinds?.includes(kind) !== false);
  const { atOnce } = limits;
  const concurrencyFields = { holder, period: undefined, kind: undefined, unit: 'tasks', resetsAt: undefined } as const;
  const openElsewhere = scope === TOTAL ? (usage.wholeBot?.openTasksElsewhere ?? 0) : 0;
  const remainingOf = (limit: number): string =>
    String(Math.max(0, limit - usage.tally.openTasks(scope) - openElsewhere));
  return [
    ...periodAllowances(applied, usage, limits),
    ...kinds.flatMap(([kind, caps]) => periodAllowances(applied, usage, caps, kind)),
    ...(atOnce === undefined ? [] : [{ ...concurrencyFields, limit: String(atOnce), left: remainingOf(atOnce) }]),
  ];
}

function periodAllowances(applied: AppliedLimits, usage: CurrentUsage, caps: CapsByPeriod, kind?: string): Allowance[] {
  const spans = usage.calendar.spansOf(usage.now);
  return periods.flatMap((period): Allowance[] => {
    const { amount, tasks } = caps[period] ?? {};
    if (amount === undefined && tasks === undefined) return [];
    const span = spans[period];
    const facts = { holder: applied.holder, period, kind, resetsAt: span.endsAt };
    const used = useSinceReset(applied, usage, span, kind);
    const granted = grantedIn(applied.grants, span);
    const allowances: Allowance[] = [];
    if (amount !== undefined) {
      const limit = add(amount, granted.amount);
      const counted = add(used.amount, excess(applied, usage, period, amount, kind));
      const grantedFact = isZero(granted.amount) ? {} : { granted: granted.amount };
      allowances.push({
        ...facts,
        unit: 'amount',
        limit,
        left: atLeastZero(difference(limit, counted)),
        ...grantedFact,
      });
    }
    if (tasks !== undefined) {
      const limit = tasks + granted.tasks;
      const left = String(Math.max(0, limit - used.tasks));
      const grantedFact = granted.tasks > 0 ? { granted: String(granted.tasks) } : {};
      allowances.push({ ...facts, unit: 'tasks', limit: String(limit), left, ...grantedFact });
    }
    return allowances;
  });
}

/** Usage beyond the limit in the previous period counts against this one, if the limit already applied in all of it. */
function excess(applied: AppliedLimits, usage: CurrentUsage, period: Period, amount: string, kind?: string): string {
  const previousSpan = usage.calendar.previousSpanOf(period, usage.now);
  if (applied.since > previousSpan.startsAt) return '0';
  const limit = add(amount, grantedIn(applied.grants, previousSpan).amount);
  return atLeastZero(difference(useSinceReset(applied, usage, previousSpan, kind).amount, limit));
}

function useSinceReset(
  { scope, reset }: AppliedLimits,
  { tally, wholeBot }: CurrentUsage,
  { key }: Span,
  kind = ALL_KINDS,
): Use {
  const use = tally.use(scope, key, kind);
  const { tasks, amount } = scope === TOTAL && wholeBot ? sumOfUses([use, wholeBot.usageElsewhere(key, kind)]) : use;
  const useBeforeReset = reset?.uses[key]?.[kind];
  if (!useBeforeReset) return { tasks, amount };
  return {
    tasks: Math.max(0, tasks - useBeforeReset.tasks),
    amount: atLeastZero(difference(amount, useBeforeReset.amount)),
  };
}

function grantedIn(grants: readonly Grant[], { startsAt, endsAt }: Span): Use {
  const inSpan = grants.filter(({ at }) => at >= startsAt && at < endsAt);
  return {
    tasks: inSpan.reduce((sum, { tasks = 0 }) => sum + tasks, 0),
    amount: sumOf(inSpan.flatMap(({ amount = [] }) => amount)) ?? '0',
  };
}

const add = (one: string, other: string): string => sumOf([one, other]) ?? '0';
const atLeastZero = (amount: string): string => (compare(amount, '0') > 0 ? amount : '0');
