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

export class Remaining {
  readonly #calendar: Calendar;
  readonly #clock: { now(): number };
  /** The other partitions; undefined if there are none. */
  readonly #wholeBot: OtherUse | undefined;
  readonly #tally: () => Tally;

  constructor(calendar: Calendar, clock: { now(): number }, wholeBot: OtherUse | undefined, tally: () => Tally) {
    this.#calendar = calendar;
    this.#clock = clock;
    this.#wholeBot = wholeBot;
    this.#tally = tally;
  }

  /** `forKind`: only the limits that apply to a request of this kind. */
  allowancesFor(appliedLimits: AppliedLimits, forKind?: string): Allowance[] {
    const { holder, scope, limits } = appliedLimits;
    const limitedKinds = forKind === undefined ? undefined : limitedKindsOf(forKind);
    const kinds = Object.entries(limits.kinds ?? {}).filter(([kind]) => limitedKinds?.includes(kind) !== false);
    const { atOnce } = limits;
    const concurrencyFields = {
      holder,
      period: undefined,
      kind: undefined,
      unit: 'tasks',
      resetsAt: undefined,
    } as const;
    const openElsewhere = scope === TOTAL ? (this.#wholeBot?.openTasksElsewhere ?? 0) : 0;
    const remainingOf = (limit: number): string =>
      String(Math.max(0, limit - this.#tally().openTasks(scope) - openElsewhere));
    return [
      ...this.#periodAllowances(appliedLimits, limits),
      ...kinds.flatMap(([kind, caps]) => this.#periodAllowances(appliedLimits, caps, kind)),
      ...(atOnce === undefined ? [] : [{ ...concurrencyFields, limit: String(atOnce), left: remainingOf(atOnce) }]),
    ];
  }

  #periodAllowances(appliedLimits: AppliedLimits, caps: CapsByPeriod, kind?: string): Allowance[] {
    const spans = this.#calendar.spansOf(this.#clock.now());
    return periods.flatMap((period): Allowance[] => {
      const { amount, tasks } = caps[period] ?? {};
      if (amount === undefined && tasks === undefined) return [];
      const span = spans[period];
      const facts = { holder: appliedLimits.holder, period, kind, resetsAt: span.endsAt };
      const used = this.#usageSinceReset(appliedLimits, span, kind);
      const granted = grantedIn(appliedLimits.grants, span);
      const allowances: Allowance[] = [];
      if (amount !== undefined) {
        const limit = add(amount, granted.amount);
        const left = atLeastZero(
          difference(limit, add(used.amount, this.#excess(appliedLimits, period, amount, kind))),
        );
        const grantedFact = isZero(granted.amount) ? {} : { granted: granted.amount };
        allowances.push({ ...facts, unit: 'amount', limit, left, ...grantedFact });
      }
      if (tasks !== undefined) {
        const limit = tasks + granted.tasks;
        allowances.push({
          ...facts,
          unit: 'tasks',
          limit: String(limit),
          left: String(Math.max(0, limit - used.tasks)),
          ...(granted.tasks > 0 && { granted: String(granted.tasks) }),
        });
      }
      return allowances;
    });
  }

  /** Usage beyond the limit in the previous period counts against this one, if the limit already applied in all of it. */
  #excess(appliedLimits: AppliedLimits, period: Period, amount: string, kind: string | undefined): string {
    const previousSpan = this.#calendar.spanOf(period, this.#calendar.spanOf(period, this.#clock.now()).startsAt - 1);
    if (appliedLimits.since > previousSpan.startsAt) return '0';
    const limit = add(amount, grantedIn(appliedLimits.grants, previousSpan).amount);
    return atLeastZero(difference(this.#usageSinceReset(appliedLimits, previousSpan, kind).amount, limit));
  }

  /** The usage in a scope. For the bot-wide scope, it is the total of all partitions. */
  #usageOf(scope: string, spanKey: string, kind: string): Use {
    const localUse = this.#tally().use(scope, spanKey, kind);
    const wholeBot = this.#wholeBot;
    if (scope !== TOTAL || !wholeBot) return localUse;
    return sumOfUses([localUse, wholeBot.usageElsewhere(spanKey, kind)]);
  }

  #usageSinceReset({ scope, reset }: AppliedLimits, { key }: Span, kind = ALL_KINDS): Use {
    const { tasks, amount } = this.#usageOf(scope, key, kind);
    const useBeforeReset = reset?.uses[key]?.[kind];
    if (!useBeforeReset) return { tasks, amount };
    return {
      tasks: Math.max(0, tasks - useBeforeReset.tasks),
      amount: atLeastZero(difference(amount, useBeforeReset.amount)),
    };
  }
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
