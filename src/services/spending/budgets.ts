import { KeyedLock } from '../../lib/keyed-lock.ts';
import type { Limits } from './limits.ts';
import { type BudgetChange, EMPTY_BUDGET, type ServerBudget, withoutMember } from './server-budget.ts';

export interface BudgetStore {
  all(): Promise<ReadonlyMap<string, ServerBudget>>;
  put(guildId: string, budget: ServerBudget): Promise<void>;
}

/** Stands for the whole bot in place of a server's id. Only its pause has a meaning. */
export const WHOLE_BOT = 'everywhere';

interface BudgetsParts {
  store: BudgetStore;
  hashOf(name: string): string;
  /** Whether the operator has paused the whole bot in another partition. */
  isPausedElsewhere?: () => boolean;
}

type Listener = (guildId: string, after: ServerBudget) => Promise<void>;

/** The budgets of all servers, in memory because every request reads them. A change is stored first. */
export class Budgets {
  readonly #parts: BudgetsParts;
  readonly #known = new Map<string, ServerBudget>();
  readonly #lock = new KeyedLock();
  readonly #listeners: Listener[] = [];

  constructor(parts: BudgetsParts) {
    this.#parts = parts;
  }

  async open(): Promise<void> {
    for (const [guildId, budget] of await this.#parts.store.all()) this.#known.set(guildId, budget);
  }

  of(guildId: string): ServerBudget {
    return this.#known.get(guildId) ?? EMPTY_BUDGET;
  }

  get isAllPaused(): boolean {
    return this.of(WHOLE_BOT).isPaused || this.#parts.isPausedElsewhere?.() === true;
  }

  /** Everything that any server limits. */
  limits(): Limits[] {
    return [...this.#known.values()].flatMap(limitsIn);
  }

  /** Called with a change before it is stored. */
  beforeChange(listener: Listener): void {
    this.#listeners.push(listener);
  }

  change(guildId: string, transition: (budget: ServerBudget) => ServerBudget): Promise<ServerBudget> {
    return this.#lock.run(guildId, async () => {
      const before = this.of(guildId);
      const after = transition(before);
      if (after === before) return before;
      for (const listener of this.#listeners) await listener(guildId, after);
      await this.#parts.store.put(guildId, after);
      this.#known.set(guildId, after);
      return after;
    });
  }

  about(memberId: string): object[] {
    return budgetsAbout(memberId, this.#known, this.#parts.hashOf);
  }

  /** Names a member in a server's budget, even after their data was erased. */
  memberHash(guildId: string, memberId: string): string {
    return memberHash(guildId, memberId, this.#parts.hashOf);
  }

  /** Their limits and blocks stay, under the hash alone. */
  async forgetId(memberId: string): Promise<void> {
    const named = JSON.stringify(memberId);
    const mentions = [...this.#known].filter(([, budget]) => JSON.stringify(budget).includes(named));
    for (const [guildId] of mentions) await this.change(guildId, (budget) => withoutMember(budget, memberId));
  }
}

type HashOf = BudgetsParts['hashOf'];

const memberHash = (guildId: string, memberId: string, hashOf: HashOf): string =>
  hashOf(`member ${guildId} ${memberId}`);

/** Everything that the budgets contain about a member, by server. */
export function budgetsAbout(memberId: string, budgets: ReadonlyMap<string, ServerBudget>, hashOf: HashOf): object[] {
  return [...budgets].flatMap(([guildId, { members, blocks, grants, history }]) => {
    const hash = memberHash(guildId, memberId, hashOf);
    const found = {
      limits: members[hash]?.limits,
      block: blocks[hash],
      grants: grants.filter(({ to }) => to === hash),
      changes: history
        .filter(({ by, on }) => by === memberId || on === hash)
        .map((line) => withoutOthers(line, memberId)),
    };
    const isAny = found.limits ?? found.block ?? found.grants[0] ?? found.changes[0];
    return isAny === undefined ? [] : [{ guildId, ...found }];
  });
}

/** An export names no one else. */
const withoutOthers = ({ by, memberId: subject, ...line }: BudgetChange, memberId: string): BudgetChange => ({
  ...line,
  ...(by === memberId && { by }),
  ...(subject === memberId && { memberId }),
});

export const limitsIn = ({ serverLimits, operatorLimits, memberLimits, roles, members }: ServerBudget): Limits[] =>
  [
    ...[serverLimits, operatorLimits, memberLimits],
    ...Object.values(roles).map(({ limits }) => limits),
    ...Object.values(members).map(({ limits }) => limits),
  ].filter((limits) => limits !== undefined);
