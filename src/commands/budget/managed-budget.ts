import { mayManageServer } from '../../discord/interaction-facts.ts';
import { allowanceText, limitsWords } from '../../discord/limit-words.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import { listText } from '../../lib/formats.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { BudgetAuthor, MemberIds } from '../../services/money/budget-changes.ts';
import { WHOLE_BOT } from '../../services/money/budgets.ts';
import { type ServerBudget, withoutExpired } from '../../services/money/server-budget.ts';
import { maySeeAccount } from '../account-access.ts';
import type { Context } from '../feature.ts';

/** The options that several subcommands have. */
export const serverOption = { type: 'text', max: 30 } as const;
export const memberOption = { type: 'user' } as const;
export const MAX_LIMITS_LENGTH = 300;

const SERVER_ID = /^\d{17,20}$/;

/** The value that the operator enters instead of a server ID to address all servers. */
export const ALL_SERVERS = 'all';

/** The budget that a command concerns, and the rights of the member who uses the command. */
export class ManagedBudget {
  readonly guildId: string;
  /** Whether the member can change the operator's limits: true for the operator and for admins of the operator's own servers. */
  readonly isOperator: boolean;
  readonly #context: Context;

  constructor(guildId: string, isOperator: boolean, context: Context) {
    this.guildId = guildId;
    this.isOperator = isOperator;
    this.#context = context;
  }

  get current(): ServerBudget {
    return this.#context.services.money.budgets.get(this.guildId);
  }

  /** The limits that the member cannot change, because the operator has set them; undefined if there are none. */
  get fixedLimits(): string | undefined {
    const { overriding } = this.#context.services.money.spending.limits.ofOperator(this.guildId);
    return this.isOperator || overriding === undefined ? undefined : this.operatorLimitsNow();
  }

  /** The operator's limits for the server with what was granted, as they apply now in addition to its own. */
  operatorLimitsNow(): string {
    const { services, say } = this.#context;
    const { spending } = services.money;
    const allowances = spending.serverAllowances(this.guildId).filter(({ holder }) => holder === 'operator');
    const limits = spending.limits.ofOperator(this.guildId).overriding ?? {};
    if (allowances.every(({ granted }) => granted === undefined)) return limitsWords(limits, say);
    const { waiting } = limits;
    const texts = allowances.map((one) => allowanceText(one, say));
    return listText(waiting === undefined ? texts : [...texts, limitsWords({ waiting }, say)], say);
  }

  memberIds(memberId: string): MemberIds {
    return { hash: this.#context.services.money.budgets.memberHash(this.guildId, memberId), memberId };
  }

  async change(transition: (budget: ServerBudget, author: BudgetAuthor) => ServerBudget): Promise<void> {
    const { services, facts } = this.#context;
    const { clock } = services;
    const { budgets, spending } = services.money;
    await budgets.change(this.guildId, (budget) => {
      const at = clock.now();
      const author = {
        by: facts.userId,
        at,
        ...(facts.guildId !== this.guildId && { isFromElsewhere: true as const }),
      };
      return transition(withoutExpired(budget, spending.countingStart, at), author);
    });
  }

  reply(...lines: readonly string[]): MessagePlan {
    const { facts, say } = this.#context;
    const isHere = this.guildId === facts.guildId || this.guildId === WHOLE_BOT;
    return { content: [...(isHere ? [] : [say('budget.titleOther', { server: this.guildId })]), ...lines].join('\n') };
  }
}

/** Returns the budget of the server where the command was used, or of another one that the operator names. */
export async function managedBudget(server: string | undefined, context: Context): Promise<ManagedBudget> {
  const { facts, services } = context;
  const isOperator = await maySeeAccount(context);
  if (server === undefined || server === facts.guildId) {
    if (facts.guildId === undefined) throw new Refusal('refusals.budgetNoServer');
    if (!isOperator && !mayManageServer(facts)) throw new Refusal('refusals.budgetNotYours');
    return new ManagedBudget(facts.guildId, isOperator, context);
  }
  if (!isOperator) throw new Refusal('refusals.budgetOtherServer');
  if (isAllServers(server)) throw new Refusal('refusals.budgetAllServers');
  if (!SERVER_ID.test(server) || !(await services.discord.reads.isInServer(server)))
    throw new Refusal('refusals.budgetUnknownServer', { server });
  return new ManagedBudget(server, isOperator, context);
}

const isAllServers = (server: string): boolean => server.trim().toLowerCase() === ALL_SERVERS;

/** Returns what a pause concerns: one server, or all of them. */
export async function pausableBudget(server: string | undefined, context: Context): Promise<ManagedBudget> {
  if (server === undefined || !isAllServers(server)) return managedBudget(server, context);
  if (!(await maySeeAccount(context))) throw new Refusal('refusals.budgetOtherServer');
  return new ManagedBudget(WHOLE_BOT, true, context);
}
