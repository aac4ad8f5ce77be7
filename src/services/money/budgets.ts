import { KeyedLock } from '../../lib/keyed-lock.ts';
import type { StoredRows } from '../../lib/stored-rows.ts';
import type { Limits } from './limits.ts';
import { type BudgetChange, budgetWithoutMember, EMPTY_BUDGET, type ServerBudget } from './server-budget.ts';
import type { WholeBot } from './whole-bot.ts';

type BudgetRow = ServerBudget & { guildId: string };
export type BudgetStore = Pick<StoredRows<BudgetRow, { guildId: string }>, 'all' | 'get' | 'put'>;

/** Stands for the whole bot in place of a server's id. Only its pause has an effect. */
export const WHOLE_BOT = 'everywhere';

export interface HistoryEntry extends BudgetChange {
  /** Whether the operator paused or resumed the bot on all servers. */
  isEverywhere?: true;
}

type Listener = (guildId: string, after: ServerBudget) => Promise<void>;

/** The budgets of all servers, in memory because every request reads them. A change is stored first. */
export class Budgets {
  readonly #store: BudgetStore;
  /** Hashes the names of sums, so that a name that remains after an erasure reveals neither member nor server. */
  readonly hashOf: HashOf;
  /** Undefined if there are no other partitions. */
  readonly #wholeBot: WholeBot | undefined;
  /** Reads the budget of the whole bot; undefined if this partition has it. */
  readonly #readWholeBot: (() => Promise<ServerBudget | undefined>) | undefined;
  readonly #budgets = new Map<string, ServerBudget>();
  readonly #lock = new KeyedLock();
  readonly #listeners: Listener[] = [];

  constructor(
    store: BudgetStore,
    hashOf: HashOf,
    wholeBot?: WholeBot,
    readWholeBot?: () => Promise<ServerBudget | undefined>,
  ) {
    this.#store = store;
    this.hashOf = hashOf;
    this.#wholeBot = wholeBot;
    this.#readWholeBot = readWholeBot;
  }

  async open(): Promise<void> {
    for (const { guildId, ...budget } of await this.#store.all()) this.#budgets.set(guildId, budget);
  }

  get(guildId: string): ServerBudget {
    return this.#budgets.get(guildId) ?? EMPTY_BUDGET;
  }

  /** The changes of a server's budget, and the pauses of the whole bot. Those that were made on another server name no one. */
  async historyOf(guildId: string): Promise<HistoryEntry[]> {
    const wholeBot = this.#readWholeBot ? await this.#readWholeBot() : this.get(WHOLE_BOT);
    const pauses = (wholeBot ?? EMPTY_BUDGET).history.map(
      ({ at, what }): HistoryEntry => ({ at, what, isEverywhere: true }),
    );
    const changes = this.get(guildId).history.map((one) => (one.isFromElsewhere ? { ...one, by: undefined } : one));
    return [...changes, ...pauses].toSorted((one, other) => one.at - other.at);
  }

  get isWholeBotPaused(): boolean {
    return this.get(WHOLE_BOT).isPaused || this.#wholeBot?.isPausedElsewhere === true;
  }

  /** The servers whose admins do not know yet that their limits could not be read. */
  get untoldServers(): string[] {
    return [...this.#budgets].flatMap(([guildId, { unreadable }]) => (unreadable === 'untold' ? [guildId] : []));
  }

  markTold(guildId: string): Promise<ServerBudget> {
    return this.change(guildId, (known) => (known.unreadable ? { ...known, unreadable: 'told' } : known));
  }

  limits(): Limits[] {
    return [...this.#budgets.values()].flatMap(limitsIn);
  }

  /** Called with a change before it is stored. */
  beforeChange(listener: Listener): void {
    this.#listeners.push(listener);
  }

  change(guildId: string, transition: (budget: ServerBudget) => ServerBudget): Promise<ServerBudget> {
    return this.#lock.run(guildId, async () => {
      const previous = this.get(guildId);
      const updated = transition(previous);
      if (updated === previous) return previous;
      for (const listener of this.#listeners) await listener(guildId, updated);
      await this.#store.put({ guildId, ...updated });
      this.#budgets.set(guildId, updated);
      return updated;
    });
  }

  /** Identifies a member in a server's budget, even after their data was erased. */
  memberHash(guildId: string, memberId: string): string {
    return memberHash(guildId, memberId, this.hashOf);
  }

  /** Erases a member's id. Their limits and blocks stay, under the hash alone. */
  async eraseId(memberId: string): Promise<void> {
    const quotedId = JSON.stringify(memberId);
    const mentioningBudgets = [...this.#budgets].filter(([, budget]) => JSON.stringify(budget).includes(quotedId));
    for (const [guildId] of mentioningBudgets)
      await this.change(guildId, (budget) => budgetWithoutMember(budget, memberId));
  }
}

export type HashOf = (name: string) => string;

const memberHash = (guildId: string, memberId: string, hashOf: HashOf): string =>
  hashOf(`member ${guildId} ${memberId}`);

export function budgetsAbout(memberId: string, budgets: readonly BudgetRow[], hashOf: HashOf): object[] {
  return budgets.flatMap(({ guildId, members, blocks, grants, history }) => {
    const hash = memberHash(guildId, memberId, hashOf);
    const findings = {
      limits: members[hash]?.limits,
      block: blocks[hash],
      grants: grants.filter(({ to }) => to === hash),
      changes: history
        .filter(({ by, on }) => by === memberId || on === hash)
        .map((entry) => withoutOthers(entry, memberId)),
    };
    const firstFinding = findings.limits ?? findings.block ?? findings.grants[0] ?? findings.changes[0];
    return firstFinding === undefined ? [] : [{ guildId, ...findings }];
  });
}

/** Leaves out the ids of other members, because an export must not identify them. */
const withoutOthers = ({ by, memberId: subject, ...entry }: BudgetChange, memberId: string): BudgetChange => ({
  ...entry,
  ...(by === memberId && { by }),
  ...(subject === memberId && { memberId }),
});

export const limitsIn = ({ serverLimits, operatorLimits, memberLimits, roles, members }: ServerBudget): Limits[] =>
  [
    ...[serverLimits, operatorLimits, memberLimits],
    ...Object.values(roles).map(({ limits }) => limits),
    ...Object.values(members).map(({ limits }) => limits),
  ].filter((limits) => limits !== undefined);
