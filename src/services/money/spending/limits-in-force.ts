import type { Holder } from '../allowance.ts';
import type { Budgets } from '../budgets.ts';
import { type Limits, limitedPeriodsOf, type Requester } from '../limits.ts';
import type { LimitStarts } from '../limits-text.ts';
import type { Period } from '../periods.ts';
import {
  type Grant,
  type LimitSource,
  lastChange,
  memberLimitsIn,
  operatorResetKey,
  type ServerBudget,
  type StartedLimits,
} from '../server-budget.ts';
import { type AppliedLimits, TOTAL } from './remaining.ts';

/** The operator's limits: of the whole bot, of each server, of each member in a server, and of each member in direct messages. */
export interface SpendingSettings extends Readonly<Record<Exclude<Holder, 'operator'>, Limits>> {
  /** In which days, weeks and months begin. */
  timeZone: string;
  /** Servers whose admins are trusted with the account: no limit of the operator applies on top of their own unless set for that server. */
  trustedGuildIds: readonly string[];
}

/** The limits that the operator and the admins of servers have set, and to whom each applies. */
export class LimitsInForce {
  readonly #settings: SpendingSettings;
  readonly #budgets: Budgets;
  #starts: LimitStarts | undefined;

  constructor(settings: SpendingSettings, budgets: Budgets) {
    this.#settings = settings;
    this.#budgets = budgets;
  }

  /** To be called before anything is counted: a limit counts from when the bot first started with it. */
  setStarts(starts: LimitStarts): void {
    this.#starts = starts;
  }

  serverScope(guildId: string): string {
    return this.#budgets.hashOf(`server ${guildId}`);
  }

  /** The limits of members if no admin has set any. */
  get memberDefault(): Limits {
    return this.#settings.member;
  }

  ofMember(guildId: string, memberId: string, roleIds: readonly string[]): StartedLimits & { source: LimitSource } {
    const [budget, member] = [this.#budgets.get(guildId), this.#budgets.memberHash(guildId, memberId)];
    const found = memberLimitsIn(budget, member, roleIds);
    if (found) return found;
    const since = Math.max(lastChange(budget, [member, ...roleIds, 'members']), this.#startOf('member'));
    return { limits: this.#settings.member, since, source: 'default' };
  }

  /** The operator's limits for a server: those that apply if it has none of its own, and those that apply in addition to its own. */
  ofOperator(guildId: string): { fallback: Limits; overriding: Limits | undefined } {
    const isTrusted = this.#settings.trustedGuildIds.includes(guildId);
    const overriding = this.#budgets.get(guildId).operatorLimits ?? (isTrusted ? undefined : this.#settings.server);
    return { fallback: this.#settings.server, overriding };
  }

  countedPeriods(additional: readonly Limits[] = []): ReadonlySet<Period> {
    const { total, server, member, direct } = this.#settings;
    return new Set(limitedPeriodsOf([total, server, member, direct, ...this.#budgets.limits(), ...additional]));
  }

  #startOf(holder: keyof LimitStarts): number {
    return this.#starts?.[holder].at ?? 0;
  }

  directScope(memberId: string): string {
    return this.#budgets.hashOf(`direct ${memberId}`);
  }

  appliedTo({ memberId, guildId, isDirect, roleIds = [] }: Requester): AppliedLimits[] {
    const ofBot = this.#operatorsAlone('total', TOTAL);
    if (memberId === undefined) return [ofBot];
    if (guildId === undefined || isDirect) return [ofBot, this.#operatorsAlone('direct', this.directScope(memberId))];
    const budget = this.#budgets.get(guildId);
    const scope = this.#budgets.memberHash(guildId, memberId);
    const { limits, since } = this.ofMember(guildId, memberId, roleIds);
    const member: AppliedLimits = {
      holder: 'member',
      scope,
      limits,
      since,
      grants: grantsTo(budget, scope),
      reset: budget.resets[scope],
    };
    return [ofBot, ...this.ofServer(guildId), member];
  }

  #operatorsAlone(holder: 'total' | 'direct', scope: string): AppliedLimits {
    const [limits, since] = [this.#settings[holder], this.#startOf(holder)];
    return { holder, scope, limits, since, grants: [], reset: undefined };
  }

  /** The operator's limits apply in addition to the server's own: grants or resets by its admins do not raise them. */
  ofServer(guildId: string): AppliedLimits[] {
    const budget = this.#budgets.get(guildId);
    const { fallback, overriding } = this.ofOperator(guildId);
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
          holder: 'operator',
          ...(operators ?? { limits: fallback, since: Math.max(changedAt, defaultSince), ...adminAdjustments }),
        },
      ];
    const own: AppliedLimits = { holder: 'server', limits: ownLimits, since: changedAt, ...adminAdjustments };
    return operators ? [{ holder: 'operator', ...operators }, own] : [own];
  }
}

const grantsTo = ({ grants }: ServerBudget, holder: string | undefined): Grant[] =>
  grants.filter(({ to }) => to === holder);
