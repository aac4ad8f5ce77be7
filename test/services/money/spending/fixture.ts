import { type BudgetStore, Budgets } from '../../../../src/services/money/budgets.ts';
import type { Limits } from '../../../../src/services/money/limits.ts';
import { Spending } from '../../../../src/services/money/spending.ts';

interface SpendingOptions {
  settings: Record<'total' | 'server' | 'member' | 'direct', Limits>;
  clock: { now(): number };
  budgets?: Budgets;
  wholeBot?: ConstructorParameters<typeof Spending>[3];
  trustedGuildIds?: readonly string[];
  hashOf?(name: string): string;
  settingsSince?: number;
}

export const emptyStore: BudgetStore = { all: async () => [], get: async () => undefined, put: async () => undefined };

/** Creates the limit checks of a bot. Without `budgets`, no admin has set any limits. */
export function createSpending({
  settings,
  clock,
  hashOf = (name) => name,
  trustedGuildIds = [],
  wholeBot,
  settingsSince = 0,
  ...options
}: SpendingOptions): Spending {
  const { budgets = new Budgets(emptyStore, hashOf) } = options;
  const spending = new Spending({ ...settings, trustedGuildIds, timeZone: 'UTC' }, budgets, clock, wholeBot);
  const start = { text: '', at: settingsSince };
  spending.limits.setStarts({ total: start, server: start, member: start, direct: start });
  return spending;
}
