import { z } from 'zod';
import type { BudgetStore } from '../spending/budgets.ts';
import { serverBudget } from '../spending/server-budget.ts';
import type { Namespace } from './namespaces.ts';
import { parseWith, type Quarantine, Rows } from './rows.ts';
import { rowKey } from './side-rows.ts';

export const budgetRows = (namespace: Namespace, quarantine: Quarantine) =>
  new Rows(namespace, quarantine, parseWith(serverBudget.extend({ guildId: z.string() })));

/** The spending decisions of admins, one row per server. */
export const storedBudgets = (namespace: Namespace, quarantine: Quarantine): BudgetStore => ({
  async all() {
    const { good, setAside } = await budgetRows(namespace, quarantine).readAll();
    await setAside();
    return new Map([...good.values()].map(({ guildId, ...budget }) => [guildId, budget]));
  },
  put: (guildId, budget) => namespace.put(rowKey(guildId), { guildId, ...budget }),
});
