import { difference } from '../../lib/decimals.ts';
import { KeyedLock } from '../../lib/keyed-lock.ts';
import { RecentMap } from '../../lib/recent-map.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Task } from '../tasks/task.ts';
import { type Allowance, type Holder, isExceeded } from './allowance.ts';
import type { Budgets } from './budgets.ts';
import { amountOf, type LedgerEntry, standingOf } from './entry.ts';
import type { LimitStarts } from './limit-starts.ts';
import type { Limits } from './limits.ts';
import { refusalFor } from './limits-text.ts';
import { type Calendar, type Period, periods, type Span } from './periods.ts';
import type { WaitingCounts } from './requester.ts';
import { type Requester, requesterOf } from './requester.ts';
import {
  type Grant,
  isBlocked,
  type LimitSource,
  lastChange,
  memberLimitsIn,
  type Reset,
  type ServerBudget,
  type StartedLimits,
} from './server-budget.ts';
import { type AppliedLimits, type OtherUse, Remaining, TOTAL } from './spending/remaining.ts';
import { ALL_KINDS, sumOfUses, Tally } from './spending/tally.ts';
import type { PartUse } from './whole-bot.ts';

const MAX_REMEMBERED_MEMBERS = 10_000;

/** The operator's limits: of the whole bot, of each server, of each member in a server, and of each member in direct messages. */
export interface SpendingSettings extends Readonly<Record<Exclude<Holder, 'operator'>, Limits>> {
  /** Servers whose admins are trusted with the account: no limit of the operator applies on top of their own unless set for that server. */
  trustedGuildIds: readonly string[];
}

interface SpendingParts {
  settings: SpendingSettings;
  calendar: Calendar;
  budgets: Budgets;
  /** Hashes the names of sums, so that a name that remains after an erasure reveals neither member nor server. */
  hashOf(name: string): string;
  clock: { now(): number };
  /** The other partitions; undefined if there are none. */
  wholeBot?: OtherUse | undefined;
}

interface CheckedOrder {
  kind: string;
  amount: string | undefined;
  /** Set if the order is counted already and only its amount grows. */
  isCounted?: boolean;
}

type UseListener = (guildId: string, exceeded?: Allowance) => void;

/** A recount of entries; the current sums stay in use until `finish` is called. */
export interface Recount {
  since: number;
  add(entry: LedgerEntry, keptScopes?: readonly string[]): void;
  finish(): void;
}

/** Admits requests within the limits of the bot, the server and the member. */
export class Spending {
  readonly #parts: SpendingParts;
  readonly #listeners: UseListener[] = [];
  readonly #refusalListeners: ((exceeded: Allowance) => void)[] = [];
  readonly #remaining: Remaining;
  #limitStarts: LimitStarts | undefined;
  #tally: Tally;
  /** What was announced to the other partitions and is not counted yet: an entry, or its growth. */
  #announced: { entry?: LedgerEntry; previous?: LedgerEntry | undefined } = {};
  readonly #lock = new KeyedLock();
  /** The roles of members as of their latest request, by server and member. */
  readonly #recentRoles = new RecentMap<string, readonly string[]>(MAX_REMEMBERED_MEMBERS);

  constructor(parts: SpendingParts) {
    this.#parts = parts;
    this.#tally = new Tally(parts.calendar, this.#limitedPeriods());
    this.#remaining = new Remaining(parts.calendar, parts.clock, parts.wholeBot, () => this.#tally);
  }

  /** To be called before anything is counted: a limit counts from when the bot first started with it. */
  setLimitStarts(starts: LimitStarts): void {
    this.#limitStarts = starts;
  }

  /** Starts a count from scratch, over every period that has a limit. */
  beginCount(additional: readonly Limits[] = []): Recount {
    const tally = new Tally(this.#parts.calendar, this.#limitedPeriods(additional));
    return {
      since: this.#countingStart(tally.periods),
      add: (entry, keptScopes) => tally.replace(undefined, entry, keptScopes ?? this.scopesOf(entry)),
      finish: () => {
        this.#tally = tally;
      },
    };
  }

  /** Whether these limits cover a period that is not being counted yet. */
  needsCount(limits: readonly Limits[]): boolean {
    return [...this.#limitedPeriods(limits)].some((period) => !this.#tally.periods.has(period));
  }

  /** The sums that an entry belongs to. An entry without a member counts only towards the bot-wide sum, unless its scopes were kept. */
  scopesOf(entry: LedgerEntry): string[] {
    const { memberId, guildId, isDirect } = entry;
    if (memberId === undefined) return [TOTAL];
    // A result that moderation refused costs the member nothing.
    const isWaived = standingOf(entry) === 'waived';
    if (guildId === undefined || isDirect) return isWaived ? [TOTAL] : [TOTAL, this.#directScope(memberId)];
    const server = [TOTAL, this.serverScope(guildId)];
    return isWaived ? server : [...server, this.#parts.budgets.memberHash(guildId, memberId)];
  }

  serverScope(guildId: string): string {
    return this.#parts.hashOf(`server ${guildId}`);
  }

  /** Called with a server whenever its sums have changed, or a request was refused because of one of its limits. */
  onUse(listener: UseListener): void {
    this.#listeners.push(listener);
  }

  /** Called with the limit because of which an order was refused. */
  onRefusal(listener: (exceeded: Allowance) => void): void {
    this.#refusalListeners.push(listener);
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
    if (guildId !== undefined && !isDirect) for (const listener of this.#listeners) listener(guildId, exceeded);
  }

  /** Counts a new reservation, or what is added to the previous one, or throws the `Refusal` that says which limit it would exceed. */
  async admit(entry: LedgerEntry, roleIds: readonly string[], previous?: LedgerEntry): Promise<void> {
    const wholeBot = this.#parts.wholeBot;
    const { total } = this.#parts.settings;
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
    const { calendar, settings, clock } = this.#parts;
    const { total } = settings;
    const announcedTally = new Tally(calendar, this.#tally.periods);
    announcedTally.replace(this.#announced.previous, this.#announced.entry, [TOTAL]);
    const caps = [total, ...Object.values(total.kinds ?? {})];
    const limitedPeriods = periods.filter((period) => caps.some((one) => one[period] !== undefined));
    const spans = limitedPeriods.flatMap((period) => {
      const span = calendar.spanOf(period, clock.now());
      // Usage beyond the previous period's limit counts against the current one.
      return [span.key, calendar.spanOf(period, span.startsAt - 1).key];
    });
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
    for (const listener of this.#refusalListeners) listener(exceeded);
    if (isServerHolder(exceeded.holder)) this.#notifyListeners(requester, exceeded);
    throw refusalFor(exceeded, order.amount);
  }

  #exceededBy(requester: Requester, { kind, amount, isCounted }: CheckedOrder): Allowance | undefined {
    const allowances = this.#limitsFor(requester).flatMap((appliedLimits) =>
      this.#remaining.allowancesFor(appliedLimits, kind),
    );
    return allowances.find((one) => !(isCounted && one.unit === 'tasks') && isExceeded(one, amount));
  }

  /** Where new requests of the requester are paused; undefined if they are not. */
  pauseOf({ memberId, guildId, isDirect }: Requester): 'everywhere' | 'server' | undefined {
    const { budgets } = this.#parts;
    if (budgets.isWholeBotPaused) return 'everywhere';
    if (memberId === undefined || guildId === undefined || isDirect) return undefined;
    return budgets.get(guildId).isPaused ? 'server' : undefined;
  }

  /** The refusal of all new requests of a member whom an admin has blocked. */
  blockOf({ memberId, guildId, isDirect }: Requester): Refusal | undefined {
    const { budgets, clock } = this.#parts;
    if (memberId === undefined || guildId === undefined || isDirect) return undefined;
    const budget = budgets.get(guildId);
    const member = budgets.memberHash(guildId, memberId);
    if (!isBlocked(budget, member, clock.now())) return undefined;
    const { until } = budget.blocks[member] ?? {};
    if (until === undefined) return new Refusal('refusals.blocked.always');
    return new Refusal('refusals.blocked.until', { until: Math.ceil(until / 1000) });
  }

  /** Throws if an admin has paused requests, or blocked the member. */
  checkNotBlocked(requester: Requester): void {
    const paused = this.pauseOf(requester);
    if (paused) throw new Refusal(`refusals.paused.${paused}`);
    const block = this.blockOf(requester);
    if (block) throw block;
  }

  /** Throws if too many of the requester's tasks would wait for their turns. The numbers include the task in question. */
  async checkWaiting(requester: Requester, counts: WaitingCounts): Promise<void> {
    for (const { holder, limits } of this.#limitsFor(requester)) {
      if (holder === 'total' || limits.waiting === undefined) continue;
      const count = counts[isServerHolder(holder) ? 'server' : 'member']();
      if (count > limits.waiting) throw new Refusal(`refusals.waiting.${holder}`, { count: limits.waiting });
    }
    const limit = this.#parts.settings.total.waiting;
    if (limit === undefined) return;
    const wholeBot = this.#parts.wholeBot;
    const isComplete = (): boolean => wholeBot?.isComplete !== false;
    const isWithin = (): boolean => counts.all() + (wholeBot?.waitingTasksElsewhere ?? 0) <= limit;
    await wholeBot?.announce(() => isComplete() && isWithin());
    if (!isComplete()) throw new Refusal('refusals.totalUnknown');
    if (!isWithin()) throw new Refusal('refusals.waiting.total', { count: limit });
  }

  /** The number of turns in a row that the requester gets; undefined means one turn. */
  weightOf({ memberId, guildId, isDirect, roleIds = [] }: Requester): number | undefined {
    if (memberId === undefined || guildId === undefined || isDirect) return undefined;
    return this.memberLimits(guildId, memberId, roleIds).limits.weight;
  }

  /** The member's roles that have limits in the server of the request. */
  limitedRoles({ guildId, route }: Task, roleIds: readonly string[]): string[] {
    if (guildId === undefined || route.install === 'user') return [];
    const { roles } = this.#parts.budgets.get(guildId);
    return roleIds.filter((id) => Object.hasOwn(roles, id));
  }

  /** What remains of the limits that apply to a member, their own limits last. */
  allowances(requester: Requester): Allowance[] {
    return this.#limitsFor(requester).flatMap((appliedLimits) => this.#remaining.allowancesFor(appliedLimits));
  }

  /** How many tasks may wait for their turns, by each limit that applies to a member. */
  waitingLimits(requester: Requester): { holder: Holder; max: number }[] {
    return this.#limitsFor(requester).flatMap(({ holder, limits: { waiting: max } }) =>
      max === undefined ? [] : [{ holder, max }],
    );
  }

  /** What remains of the limits that apply to the owner of a task, unless they depend on roles that the bot has not seen since its start. */
  remainingFor(task: Task): Allowance[] {
    const requester = requesterOf(task);
    const roleIds = this.#recentRoles.get(nameOf(requester));
    const hasRoleLimits =
      requester.guildId !== undefined && Object.keys(this.#parts.budgets.get(requester.guildId).roles).length > 0;
    return roleIds === undefined && hasRoleLimits ? [] : this.allowances({ ...requester, roleIds });
  }

  /** What remains of a server's limits, set by its admins and by the operator. */
  serverAllowances(guildId: string): Allowance[] {
    return this.#serverLimits(guildId).flatMap((appliedLimits) => this.#remaining.allowancesFor(appliedLimits));
  }

  /** The limits of members if no admin has set any. */
  get memberDefault(): Limits {
    return this.#parts.settings.member;
  }

  /** A member's limits in a server, and their source. */
  memberLimits(guildId: string, memberId: string, roleIds: readonly string[]): StartedLimits & { source: LimitSource } {
    const { budgets, settings } = this.#parts;
    const [budget, member] = [budgets.get(guildId), budgets.memberHash(guildId, memberId)];
    const found = memberLimitsIn(budget, member, roleIds);
    if (found) return found;
    const since = Math.max(lastChange(budget, [member, ...roleIds, 'members']), this.#startOf('member'));
    return { limits: settings.member, since, source: 'default' };
  }

  /** The operator's limits for a server: those that apply if it has none of its own, and those that apply in addition to its own. */
  operatorLimits(guildId: string): { fallback: Limits; overriding: Limits | undefined } {
    const { settings, budgets } = this.#parts;
    const isTrusted = settings.trustedGuildIds.includes(guildId);
    const overriding = budgets.get(guildId).operatorLimits ?? (isTrusted ? undefined : settings.server);
    return { fallback: settings.server, overriding };
  }

  /** Creates a reset, after which earlier usage no longer counts. */
  createReset(scope: string): Reset {
    return { at: this.#parts.clock.now(), uses: this.#tally.usesOf(scope) };
  }

  /** The start of the oldest period that still matters. */
  get countingStart(): number {
    return this.#countingStart(new Set(periods));
  }

  /** The current day, week and month. */
  get spans(): Readonly<Record<Period, Span>> {
    const { calendar, clock } = this.#parts;
    return calendar.spansOf(clock.now());
  }

  /** The earliest start of a previous period. It still matters, because usage beyond its limit counts against the current period. */
  #countingStart(countedPeriods: ReadonlySet<Period>): number {
    const { calendar, clock } = this.#parts;
    const now = clock.now();
    const starts = [...countedPeriods].map((period) => {
      const { startsAt } = calendar.spanOf(period, now);
      return calendar.spanOf(period, startsAt - 1).startsAt;
    });
    return Math.min(now, ...starts);
  }

  #limitedPeriods(additional: readonly Limits[] = []): ReadonlySet<Period> {
    const { total, server, member, direct } = this.#parts.settings;
    const allLimits = [total, server, member, direct, ...this.#parts.budgets.limits(), ...additional];
    const caps = allLimits.flatMap((limits) => [limits, ...Object.values(limits.kinds ?? {})]);
    return new Set(periods.filter((period) => caps.some((one) => one[period] !== undefined)));
  }

  #startOf(holder: keyof LimitStarts): number {
    return this.#limitStarts?.[holder].at ?? 0;
  }

  #directScope(memberId: string): string {
    return this.#parts.hashOf(`direct ${memberId}`);
  }

  #limitsFor({ memberId, guildId, isDirect, roleIds = [] }: Requester): AppliedLimits[] {
    const { settings, budgets } = this.#parts;
    const noExceptions = { grants: [], reset: undefined };
    const botWideLimits = this.#botWideLimits;
    if (memberId === undefined) return [botWideLimits];
    if (guildId === undefined || isDirect)
      return [
        botWideLimits,
        {
          holder: 'direct',
          scope: this.#directScope(memberId),
          limits: settings.direct,
          since: this.#startOf('direct'),
          ...noExceptions,
        },
      ];
    const budget = budgets.get(guildId);
    const scope = budgets.memberHash(guildId, memberId);
    const { limits, since } = this.memberLimits(guildId, memberId, roleIds);
    const member: AppliedLimits = {
      holder: 'member',
      scope,
      limits,
      since,
      grants: grantsTo(budget, scope),
      reset: budget.resets[scope],
    };
    return [botWideLimits, ...this.#serverLimits(guildId), member];
  }

  get #botWideLimits(): AppliedLimits {
    const [limits, since] = [this.#parts.settings.total, this.#startOf('total')];
    return { holder: 'total', scope: TOTAL, limits, since, grants: [], reset: undefined };
  }

  /** The operator's limits apply in addition to the server's own: grants or resets by its admins do not raise them. */
  #serverLimits(guildId: string): AppliedLimits[] {
    const budget = this.#parts.budgets.get(guildId);
    const { fallback, overriding } = this.operatorLimits(guildId);
    const { serverLimits: ownLimits } = budget;
    const scope = this.serverScope(guildId);
    const grants = grantsTo(budget, undefined);
    const adminAdjustments = { scope, grants, reset: budget.resets[scope] };
    const operatorAdjustments = {
      scope,
      grants: grants.filter(({ isOperators }) => isOperators),
      reset: budget.resets[operatorResetKey(scope)],
    };
    const [changedAt, changedByOperatorAt] = [lastChange(budget, ['server']), lastChange(budget, ['operator'])];
    const defaultSince = this.#startOf('server');
    const operators = overriding && {
      limits: overriding,
      since: budget.operatorLimits ? changedByOperatorAt : Math.max(changedByOperatorAt, defaultSince),
      ...operatorAdjustments,
    };
    if (ownLimits === undefined)
      return [
        {
          holder: 'server',
          ...(operators ?? { limits: fallback, since: Math.max(changedAt, defaultSince), ...adminAdjustments }),
        },
      ];
    const own: AppliedLimits = { holder: 'server', limits: ownLimits, since: changedAt, ...adminAdjustments };
    return operators ? [{ holder: 'operator', ...operators }, own] : [own];
  }
}

const nameOf = ({ guildId, memberId }: Requester): string => `${guildId} ${memberId}`;

const isServerHolder = (holder: Holder): boolean => holder === 'server' || holder === 'operator';

function orderIn(entry: LedgerEntry, previous?: LedgerEntry): CheckedOrder {
  const amount = amountOf(entry)?.amount;
  const counted = previous && amountOf(previous)?.amount;
  const added = amount === undefined || counted === undefined ? amount : difference(amount, counted);
  return { kind: entry.kind, amount: added, isCounted: previous !== undefined };
}

/** The key of a reset of the operator's limits for a server. Resets of the server's own limits use the scope itself. */
export const operatorResetKey = (scope: string): string => `operator ${scope}`;

const grantsTo = ({ grants }: ServerBudget, holder: string | undefined): Grant[] =>
  grants.filter(({ to }) => to === holder);
