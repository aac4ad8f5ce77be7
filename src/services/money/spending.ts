import { compare, difference, sumOf } from '../../lib/decimals.ts';
import { KeyedLock } from '../../lib/keyed-lock.ts';
import { Listeners } from '../../lib/listeners.ts';
import { RecentMap } from '../../lib/recent-map.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Task } from '../tasks/task.ts';
import { type Allowance, type Holder, isExceeded } from './allowance.ts';
import type { Budgets } from './budgets.ts';
import { amountOf, type LedgerEntry, standingOf } from './entry.ts';
import { type Limits, limitedPeriodsOf, type Requester, requesterOf, type WaitingCounts } from './limits.ts';
import { refusalFor } from './limits-text.ts';
import { Calendar, type Period, periods, type Span } from './periods.ts';
import { activeBlock, type Reset } from './server-budget.ts';
import { LimitsInForce, type SpendingSettings } from './spending/limits-in-force.ts';
import { type AppliedLimits, allowancesFor, type OtherUse, TOTAL } from './spending/remaining.ts';
import { ALL_KINDS, sumOfUses, Tally } from './spending/tally.ts';
import type { PartUse } from './whole-bot.ts';

const MAX_REMEMBERED_MEMBERS = 10_000;

interface CheckedOrder {
  kind: string;
  amount: string | undefined;
  isUpperBound?: true | undefined;
  /** Set if the order is counted already and only its amount grows. */
  isCounted?: boolean;
  count?: number;
}

/** Admits requests within the limits of the bot, the server and the member. */
export class Spending {
  readonly limits: LimitsInForce;
  readonly #settings: SpendingSettings;
  readonly #budgets: Budgets;
  readonly #clock: { now(): number };
  /** The other partitions; undefined if there are none. */
  readonly #wholeBot: OtherUse | undefined;
  readonly #calendar: Calendar;
  readonly #uses = new Listeners<[guildId: string, exceeded?: Allowance]>();
  readonly #refusals = new Listeners<[exceeded: Allowance]>();
  /** Called with a server whenever its sums have changed, or a request was refused because of one of its limits. */
  readonly onUse = this.#uses.add;
  readonly onRefusal = this.#refusals.add;
  #tally: Tally;
  /** What was announced to the other partitions and is not counted yet: an entry, or its growth. */
  #announced: { entry?: LedgerEntry; previous?: LedgerEntry | undefined } = {};
  readonly #lock = new KeyedLock();
  readonly #recentRoles = new RecentMap<string, readonly string[]>(MAX_REMEMBERED_MEMBERS);

  constructor(settings: SpendingSettings, budgets: Budgets, clock: { now(): number }, wholeBot?: OtherUse) {
    this.#settings = settings;
    this.#budgets = budgets;
    this.#clock = clock;
    this.#wholeBot = wholeBot;
    this.#calendar = new Calendar(settings.timeZone);
    this.limits = new LimitsInForce(settings, budgets);
    this.#tally = new Tally(this.#calendar, this.limits.countedPeriods());
  }

  /** Starts a count from scratch, over every period that has a limit. The current sums stay in use until `finish` is called. */
  beginCount(additional: readonly Limits[] = []) {
    const tally = new Tally(this.#calendar, this.limits.countedPeriods(additional));
    return {
      since: this.#countingStart(tally.periods),
      add: (entry: LedgerEntry, keptScopes?: readonly string[]): void =>
        tally.replace(undefined, entry, keptScopes ?? this.scopesOf(entry)),
      finish: (): void => {
        this.#tally = tally;
      },
    };
  }

  needsCount(limits: readonly Limits[]): boolean {
    return [...this.limits.countedPeriods(limits)].some((period) => !this.#tally.periods.has(period));
  }

  /** The sums that an entry belongs to. An entry without a member counts only towards the bot-wide sum, unless its scopes were kept. */
  scopesOf(entry: LedgerEntry): string[] {
    const { memberId, guildId, isDirect } = entry;
    if (memberId === undefined) return [TOTAL];
    // A result that moderation refused costs the member nothing.
    const isWaived = standingOf(entry) === 'waived';
    if (guildId === undefined || isDirect) return isWaived ? [TOTAL] : [TOTAL, this.limits.directScope(memberId)];
    const server = [TOTAL, this.limits.serverScope(guildId)];
    return isWaived ? server : [...server, this.#budgets.memberHash(guildId, memberId)];
  }

  /** Keeps the sums in step with the ledger: counts an entry's current content instead of its previous content. */
  replace(previous: LedgerEntry | undefined, current: LedgerEntry | undefined): void {
    const changedEntry = current ?? previous;
    if (!changedEntry) return;
    if (previous) this.#tally.replace(previous, undefined, this.scopesOf(previous));
    if (current) this.#tally.replace(undefined, current, this.scopesOf(current));
    this.#notifyListeners(changedEntry);
  }

  #notifyListeners({ guildId, isDirect }: Requester, exceeded?: Allowance): void {
    if (guildId !== undefined && !isDirect) this.#uses.notify(guildId, exceeded);
  }

  /** Counts a new reservation, or what is added to the previous one, or throws the `Refusal` that says which limit it would exceed. */
  async admit(entry: LedgerEntry, roleIds: readonly string[], previous?: LedgerEntry): Promise<void> {
    const wholeBot = this.#wholeBot;
    const { total } = this.#settings;
    if (!wholeBot || Object.keys(total).length === 0) return this.#admit(entry, roleIds, previous);
    // One at a time: an order that is refused after all must not cause the refusal of another one.
    await this.#lock.run(TOTAL, async () => {
      this.#announced = { entry, previous };
      try {
        const requester = { ...entry, roleIds };
        await wholeBot.announce(
          () => wholeBot.isComplete && this.#exceededBy(requester, orderIn(entry, previous)) === undefined,
        );
        if (!wholeBot.isComplete) throw new Refusal('refusals.totalUnknown');
        this.#admit(entry, roleIds, previous);
      } finally {
        this.#announced = {};
      }
    });
  }

  /** Checks and counts in one step, so no other request can come in between. */
  #admit(entry: LedgerEntry, roleIds: readonly string[], previous: LedgerEntry | undefined): void {
    this.check({ ...entry, roleIds }, orderIn(entry, previous));
    this.#tally.prune(this.#countingStart(this.#tally.periods));
    this.replace(previous, entry);
  }

  /** The usage that counts towards the bot-wide limits, including what is about to be reserved, with the number of tasks that wait for their turns. */
  totalUsage(waitingCount: number): PartUse {
    const { total } = this.#settings;
    const announcedTally = new Tally(this.#calendar, this.#tally.periods);
    announcedTally.replace(this.#announced.previous, this.#announced.entry, [TOTAL]);
    // Usage beyond the previous period's limit counts against the current one.
    const spans = limitedPeriodsOf([total]).flatMap((period) => [
      this.spans[period].key,
      this.#calendar.previousSpanOf(period, this.#clock.now()).key,
    ]);
    const kinds = [ALL_KINDS, ...Object.keys(total.kinds ?? {})];
    const sumIn = (span: string) => (kind: string) =>
      [kind, sumOfUses([this.#tally, announcedTally].map((tally) => tally.use(TOTAL, span, kind)))] as const;
    return {
      // Without a limit the others do not need to know, and every change of the note costs all of them a read.
      open: total.atOnce === undefined ? undefined : this.#tally.openTasks(TOTAL) + announcedTally.openTasks(TOTAL),
      waiting: total.waiting === undefined ? undefined : waitingCount,
      uses: Object.fromEntries(spans.map((span) => [span, Object.fromEntries(kinds.map(sumIn(span)))])),
    };
  }

  /** Throws if the request would be refused, before any work is done for it. */
  check(requester: Requester, order: CheckedOrder): void {
    // An entry has only those roles that had limits.
    if (!order.isCounted && requester.roleIds) this.#recentRoles.set(nameOf(requester), requester.roleIds);
    this.checkNotBlocked(requester);
    const exceeded = this.#exceededBy(requester, order);
    if (!exceeded) return;
    this.#refusals.notify(exceeded);
    if (isServerHolder(exceeded.holder)) this.#notifyListeners(requester, exceeded);
    throw refusalFor(exceeded, order);
  }

  #exceededBy(requester: Requester, { kind, amount, isCounted }: CheckedOrder): Allowance | undefined {
    return this.allowances(requester, kind).find(
      (one) => !(isCounted && one.unit === 'tasks') && isExceeded(one, amount),
    );
  }

  /** How many of several orders of a kind fit into what is left, by their estimates. */
  fittingCount(requester: Requester, kind: string, amounts: readonly (string | undefined)[]): number {
    const countIn = ({ unit, left }: Allowance): number => {
      if (unit === 'tasks') return Number(left);
      const sums = amounts.map((_, index) => sumOf(amounts.slice(0, index + 1).map((amount) => amount ?? '0')) ?? '0');
      return sums.filter((sum) => compare(sum, left) <= 0).length;
    };
    return Math.min(amounts.length, ...this.allowances(requester, kind).map(countIn));
  }

  #remainingOf(applied: readonly AppliedLimits[], kind?: string): Allowance[] {
    const [calendar, tally, wholeBot] = [this.#calendar, this.#tally, this.#wholeBot];
    return applied.flatMap((one) => allowancesFor(one, { calendar, now: this.#clock.now(), tally, wholeBot }, kind));
  }

  /** Where new requests of the requester are paused; undefined if they are not. */
  pauseOf({ memberId, guildId, isDirect }: Requester): 'everywhere' | 'server' | undefined {
    if (this.#budgets.isWholeBotPaused) return 'everywhere';
    if (memberId === undefined || guildId === undefined || isDirect) return undefined;
    return this.#budgets.get(guildId).isPaused ? 'server' : undefined;
  }

  /** The refusal of all new requests of a member whom an admin has blocked. */
  blockOf({ memberId, guildId, isDirect }: Requester): Refusal | undefined {
    if (memberId === undefined || guildId === undefined || isDirect) return undefined;
    const budget = this.#budgets.get(guildId);
    const member = this.#budgets.memberHash(guildId, memberId);
    const block = activeBlock(budget, member, this.#clock.now());
    if (!block) return undefined;
    const { until } = block;
    if (until === undefined) return new Refusal('refusals.blocked.always');
    return new Refusal('refusals.blocked.until', { until: Math.ceil(until / 1000) });
  }

  /** Throws if an admin has paused requests, or blocked the member. */
  checkNotBlocked(requester: Requester): void {
    const paused = this.pauseOf(requester);
    if (paused === 'server' && this.#budgets.get(requester.guildId ?? '').unreadable)
      throw new Refusal('refusals.paused.unreadable');
    if (paused) throw new Refusal(`refusals.paused.${paused}`);
    const block = this.blockOf(requester);
    if (block) throw block;
  }

  /** Throws if too many of the requester's tasks would wait for their turns. The numbers include the task in question. */
  async checkWaiting(requester: Requester, counts: WaitingCounts): Promise<void> {
    for (const { holder, limits } of this.limits.appliedTo(requester)) {
      if (holder === 'total' || limits.waiting === undefined) continue;
      const count = counts[isServerHolder(holder) ? 'server' : 'member']();
      if (count <= limits.waiting) continue;
      if (limits.waiting === 0) throw new Refusal('refusals.noneWaiting');
      throw new Refusal(`refusals.waiting.${holder}`, { count: limits.waiting });
    }
    const limit = this.#settings.total.waiting;
    if (limit === undefined) return;
    const wholeBot = this.#wholeBot;
    const isComplete = (): boolean => wholeBot?.isComplete !== false;
    const isWithin = (): boolean => counts.all() + (wholeBot?.waitingTasksElsewhere ?? 0) <= limit;
    await wholeBot?.announce(() => isComplete() && isWithin());
    if (!isComplete()) throw new Refusal('refusals.totalUnknown');
    if (!isWithin()) throw new Refusal('refusals.waiting.total', { count: limit });
  }

  weightOf({ memberId, guildId, isDirect, roleIds = [] }: Requester): number | undefined {
    if (memberId === undefined || guildId === undefined || isDirect) return undefined;
    return this.limits.ofMember(guildId, memberId, roleIds).limits.weight;
  }

  limitedRoles({ guildId, route }: Task, roleIds: readonly string[]): string[] {
    if (guildId === undefined || route.install === 'user') return [];
    const { roles } = this.#budgets.get(guildId);
    return roleIds.filter((id) => Object.hasOwn(roles, id));
  }

  /** What remains of the limits that apply to a member, their own limits last. `forKind`: only those that apply to a request of this kind. */
  allowances(requester: Requester, forKind?: string): Allowance[] {
    return this.#remainingOf(this.limits.appliedTo(requester), forKind);
  }

  waitingLimits(requester: Requester): { holder: Holder; max: number }[] {
    return this.limits
      .appliedTo(requester)
      .flatMap(({ holder, limits: { waiting: max } }) => (max === undefined ? [] : [{ holder, max }]));
  }

  /** What remains of the limits that apply to the owner of a task, unless they depend on roles that the bot has not seen since its start. */
  remainingFor(task: Task): Allowance[] {
    const requester = requesterOf(task);
    const roleIds = this.#recentRoles.get(nameOf(requester));
    const hasRoleLimits =
      requester.guildId !== undefined && Object.keys(this.#budgets.get(requester.guildId).roles).length > 0;
    return roleIds === undefined && hasRoleLimits ? [] : this.allowances({ ...requester, roleIds });
  }

  serverAllowances(guildId: string): Allowance[] {
    return this.#remainingOf(this.limits.ofServer(guildId));
  }

  /** Creates a reset, after which earlier usage no longer counts. */
  createReset(scope: string): Reset {
    return { at: this.#clock.now(), uses: this.#tally.usesOf(scope) };
  }

  /** The start of the oldest period that still matters. */
  get countingStart(): number {
    return this.#countingStart(new Set(periods));
  }

  get spans(): Readonly<Record<Period, Span>> {
    return this.#calendar.spansOf(this.#clock.now());
  }

  /** The earliest start of a previous period. It still matters, because usage beyond its limit counts against the current period. */
  #countingStart(countedPeriods: ReadonlySet<Period>): number {
    const calendar = this.#calendar;
    const now = this.#clock.now();
    const starts = [...countedPeriods].map((period) => calendar.previousSpanOf(period, now).startsAt);
    return Math.min(now, ...starts);
  }
}

const nameOf = ({ guildId, memberId }: Requester): string => `${guildId} ${memberId}`;

export const isServerHolder = (holder: Holder): boolean => holder === 'server' || holder === 'operator';

function orderIn(entry: LedgerEntry, previous?: LedgerEntry): CheckedOrder {
  const amount = amountOf(entry)?.amount;
  const counted = previous && amountOf(previous)?.amount;
  const added = amount === undefined || counted === undefined ? amount : difference(amount, counted);
  return { kind: entry.kind, amount: added, isCounted: previous !== undefined };
}
