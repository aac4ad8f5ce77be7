import { compare, difference, isZero, sumOf } from '../../lib/decimals.ts';
import { Refusal } from '../../lib/refusal.ts';
import { amountOf, type Entry } from '../ledger/entry.ts';
import type { Task } from '../tasks/task.ts';
import type { Allowance, Holder } from './allowance.ts';
import type { CapsByPeriod, Limits } from './limits.ts';
import { allowanceText, leftText } from './limits-text.ts';
import { type Calendar, periods } from './periods.ts';
import { type Counted, Tally } from './tally.ts';

/** Whose money an order spends. */
export type Orderer = Pick<Entry, 'memberId' | 'guildId' | 'isDirect'>;

/** The operator's limits: of the whole bot, of each server, of each member in a server, and of each member outside of servers. */
export type SpendingSettings = Readonly<Record<Holder, Limits>>;

interface SpendingParts {
  settings: SpendingSettings;
  calendar: Calendar;
  /** Names a sum, so that a name which outlives an erasure tells neither member nor server. */
  hashOf(name: string): string;
  clock: { now(): number };
}

interface Rule {
  holder: Holder;
  scope: string;
  limits: Limits;
}

/** Admits orders within the limits of the bot, the server and the member. Checks and counts in one step, so that no other order comes between. */
export class Spending {
  readonly #parts: SpendingParts;
  readonly #counted: Counted;
  readonly #tally: Tally;

  constructor(parts: SpendingParts) {
    this.#parts = parts;
    this.#counted = countedBy(Object.values(parts.settings));
    this.#tally = new Tally(parts.calendar, this.#counted);
  }

  /** When the previous one of the longest limited periods began: entries since then are counted. */
  get countsFrom(): number {
    const { calendar, clock } = this.#parts;
    const now = clock.now();
    const starts = this.#counted.periods.map((period) => {
      const { startsAt } = calendar.spanOf(period, now);
      return calendar.spanOf(period, startsAt - 1).startsAt;
    });
    return Math.min(now, ...starts);
  }

  /** The sums that an entry belongs to. Without a member it only belongs to the whole, unless its sums were kept. */
  scopesOf(entry: Orderer): string[] {
    return this.#rulesFor(entry).map(({ scope }) => scope);
  }

  /** Follows the ledger: an entry counts what it says, instead of what it said before. */
  replace(before: Entry | undefined, after: Entry | undefined, keptScopes?: readonly string[]): void {
    const known = after ?? before;
    if (known) this.#tally.replace(before, after, keptScopes ?? this.scopesOf(known));
  }

  /** Counts a new reservation, or throws the `Refusal` that says which limit it would exceed. */
  admit(entry: Entry): void {
    this.check(entry, { kind: entry.kind, amount: amountOf(entry)?.amount });
    this.#tally.prune(this.countsFrom);
    this.replace(undefined, entry);
  }

  /** Throws for an order that would be refused, before anything is done about it. */
  check(orderer: Orderer, order: { kind: string; amount: string | undefined }): void {
    for (const rule of this.#rulesFor(orderer)) {
      const exceeded = this.#allowancesOf(rule, order.kind).find((one) => isExceeded(one, order.amount));
      if (exceeded) throw refusalFor(exceeded, order.amount);
    }
  }

  /** What is left to a member, their own limits last. */
  allowances(orderer: Orderer): Allowance[] {
    return this.#rulesFor(orderer).flatMap((rule) => this.#allowancesOf(rule));
  }

  #rulesFor({ memberId, guildId, isDirect }: Orderer): Rule[] {
    const { settings, hashOf } = this.#parts;
    const whole: Rule = { holder: 'total', scope: 'total', limits: settings.total };
    if (memberId === undefined) return [whole];
    if (guildId === undefined || isDirect)
      return [whole, { holder: 'direct', scope: hashOf(`direct ${memberId}`), limits: settings.direct }];
    return [
      whole,
      { holder: 'server', scope: hashOf(`server ${guildId}`), limits: settings.server },
      { holder: 'member', scope: hashOf(`member ${guildId} ${memberId}`), limits: settings.member },
    ];
  }

  /** `forKind`: only the limits that an order of this kind has to keep. */
  #allowancesOf({ holder, scope, limits }: Rule, forKind?: string): Allowance[] {
    const kinds = Object.entries(limits.kinds ?? {}).filter(([kind]) => forKind === undefined || kind === forKind);
    const { atOnce } = limits;
    const ofAtOnce = { holder, period: undefined, kind: undefined, of: 'tasks', resetsAt: undefined } as const;
    const left = (most: number): string => String(Math.max(0, most - this.#tally.open(scope)));
    return [
      ...this.#periodAllowances({ holder, scope, caps: limits }),
      ...kinds.flatMap(([kind, caps]) => this.#periodAllowances({ holder, scope, caps, kind })),
      ...(atOnce === undefined ? [] : [{ ...ofAtOnce, limit: String(atOnce), left: left(atOnce) }]),
    ];
  }

  #periodAllowances({ holder, scope, caps, kind }: Omit<Rule, 'limits'> & { caps: CapsByPeriod; kind?: string }) {
    const { calendar, clock } = this.#parts;
    const spans = calendar.spansOf(clock.now());
    return periods.flatMap((period): Allowance[] => {
      const { amount, tasks } = caps[period] ?? {};
      const { key, startsAt, endsAt } = spans[period];
      const used = this.#tally.use(scope, key, kind);
      const facts = { holder, period, kind, resetsAt: endsAt };
      const found: Allowance[] = [];
      if (amount !== undefined) {
        const before = this.#tally.use(scope, calendar.spanOf(period, startsAt - 1).key, kind);
        // What exceeded the last period's limit counts against this one.
        const excess = positive(difference(before.amount, amount));
        const left = positive(difference(amount, sumOf([used.amount, excess]) ?? '0'));
        found.push({ ...facts, of: 'amount', limit: amount, left });
      }
      if (tasks !== undefined)
        found.push({ ...facts, of: 'tasks', limit: String(tasks), left: String(Math.max(0, tasks - used.tasks)) });
      return found;
    });
  }
}

/** Nothing is counted that no limit looks at: a start would read months of entries. */
function countedBy(all: readonly Limits[]): Counted {
  const caps = all.flatMap((limits) => [limits, ...Object.values(limits.kinds ?? {})]);
  return {
    periods: periods.filter((period) => caps.some((one) => one[period] !== undefined)),
    kinds: new Set(all.flatMap(({ kinds = {} }) => Object.keys(kinds))),
  };
}

export const ordererOf = ({
  requesterId,
  guildId,
  route,
}: Pick<Task, 'requesterId' | 'guildId' | 'route'>): Orderer => ({
  memberId: requesterId,
  guildId,
  isDirect: route.install === 'user' ? true : undefined,
});

const positive = (amount: string): string => (compare(amount, '0') > 0 ? amount : '0');

/** Where nothing is left, an order of unknown price is refused as well. */
function isExceeded({ of, left }: Allowance, price: string | undefined): boolean {
  if (of === 'tasks') return left === '0';
  return isZero(left) || (price !== undefined && compare(left, price) < 0);
}

function refusalFor(allowance: Allowance, price: string | undefined): Refusal {
  const { holder, period, resetsAt } = allowance;
  const limit = allowanceText(allowance);
  if (period === undefined || resetsAt === undefined) return new Refusal(`refusals.atOnce.${holder}`, { limit });
  return new Refusal(`refusals.overBudget.${holder}`, {
    limit,
    left: leftText(allowance),
    price: price === undefined ? 'unknown' : `$${price}`,
    resets: Math.ceil(resetsAt / 1000),
  });
}
