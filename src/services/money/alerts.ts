import { compare, isZero, product } from '../../lib/decimals.ts';
import type { PlainLog } from '../../lib/log.ts';
import { trackUntilDone } from '../../lib/track-until-done.ts';
import type { Allowance } from './allowance.ts';
import type { Budgets } from './budgets.ts';
import type { ServerBudget } from './server-budget.ts';
import type { Spending } from './spending.ts';

/** Percent of a limit. */
type Share = 80 | 100;

export interface BudgetAlert {
  guildId: string;
  channelId: string | undefined;
  reached: readonly { share: Share; allowance: Allowance }[];
}

/** Notifies once in each period that most of a server's budget has been used, and once that nothing is left. */
export function createAlerts(
  spending: Spending,
  budgets: Budgets,
  send: (alert: BudgetAlert) => Promise<void>,
  log: PlainLog,
) {
  const pending = new Set<Promise<unknown>>();

  /** Undefined for the limit of concurrent tasks, which is not a budget. */
  const nameOf = ({ holder, unit, kind = '', period }: Allowance): string | undefined =>
    period && `${holder} ${unit} ${kind} ${spending.spans[period].key}`;

  function findUnannounced({ told }: ServerBudget, guildId: string, exceeded?: Allowance): BudgetAlert['reached'] {
    return spending.serverAllowances(guildId).flatMap((allowance) => {
      const name = nameOf(allowance);
      const isExceeded = exceeded !== undefined && name === nameOf(exceeded);
      // A single expensive request does not use up a limit of which most is left.
      const used = reachedShare(allowance);
      const share = used !== undefined && isExceeded ? 100 : used;
      if (share === undefined || name === undefined || (told[name] ?? 0) >= share) return [];
      return [{ share, allowance }];
    });
  }

  /** Alerts of earlier periods are no longer needed. */
  function withAnnounced({ told }: ServerBudget, reached: BudgetAlert['reached']): ServerBudget['told'] {
    const current = Object.values(spending.spans).map(({ key }) => key);
    const kept = Object.entries(told).filter(([name]) => current.some((key) => name.endsWith(key)));
    const announced = reached.map(({ share, allowance }) => [nameOf(allowance) ?? '', share] as const);
    return Object.fromEntries([...kept, ...announced]);
  }

  /** Stores the alert before sending it. After a crash in between, it is missing, but it is never sent twice. */
  async function notify(guildId: string, exceeded?: Allowance): Promise<void> {
    let reached: BudgetAlert['reached'] = [];
    const { alertsChannelId: channelId } = await budgets.change(guildId, (budget) => {
      reached = findUnannounced(budget, guildId, exceeded);
      return reached.length === 0 ? budget : { ...budget, told: withAnnounced(budget, reached) };
    });
    if (reached.length > 0) await send({ guildId, channelId, reached });
  }

  return {
    /** Called whenever a server's sums have changed. `exceeded`: the limit because of which an order was just refused. */
    check(guildId: string, exceeded?: Allowance): void {
      if (findUnannounced(budgets.get(guildId), guildId, exceeded).length === 0) return;
      const work = notify(guildId, exceeded).catch((error: unknown) =>
        log.warn({ err: error }, 'A budget alert could not be sent, or not be recorded.'),
      );
      void trackUntilDone(work, pending);
    },

    finish: () => Promise.all(pending),
  };
}

/** Returns the share of a limit that was reached, if any. A limit of zero never counts, because it is meant to allow nothing. */
export function reachedShare({ limit, left }: Allowance): Share | undefined {
  if (isZero(limit)) return undefined;
  if (isZero(left)) return 100;
  return compare(left, product(limit, '0.2')) <= 0 ? 80 : undefined;
}
