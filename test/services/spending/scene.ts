import { type BudgetStore, Budgets } from '../../../src/services/spending/budgets.ts';
import type { Limits } from '../../../src/services/spending/limits.ts';
import { Calendar } from '../../../src/services/spending/periods.ts';
import { Spending } from '../../../src/services/spending/spending.ts';
import type { WholeBot } from '../../../src/services/spending/whole-bot.ts';

interface Scene {
  settings: Record<'total' | 'server' | 'member' | 'direct', Limits>;
  clock: { now(): number };
  budgets?: Budgets;
  wholeBot?: () => WholeBot;
  trustedGuildIds?: readonly string[];
  hashOf?(name: string): string;
}

const nothingStored: BudgetStore = { all: async () => new Map(), put: async () => undefined };

/** The limits as a bot checks them; without budgets no admin has set any. */
export function spendingOf({
  settings,
  clock,
  hashOf = (name) => name,
  trustedGuildIds = [],
  wholeBot,
  ...scene
}: Scene): Spending {
  const { budgets = new Budgets({ store: nothingStored, hashOf }) } = scene;
  return new Spending({
    ...{ budgets, clock, hashOf },
    settings: { ...settings, trustedGuildIds },
    calendar: new Calendar('UTC'),
    ...(wholeBot && { wholeBot }),
  });
}
