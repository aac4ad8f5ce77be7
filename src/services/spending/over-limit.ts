import { roundUp, withCents } from '../../lib/decimals.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Allowance } from './allowance.ts';
import { allowanceText, leftText } from './limits-text.ts';

/** The refusal of a request that would exceed this limit. */
export function refusalFor(allowance: Allowance, price: string | undefined): Refusal {
  const { holder, period, resetsAt, kind } = allowance;
  const limitText = allowanceText({ ...allowance, kind: undefined });
  const limit = kind === undefined ? limitText : [limitText, kind];
  if (period === undefined || resetsAt === undefined) return new Refusal(`refusals.concurrent.${holder}`, { limit });
  return new Refusal(`refusals.overBudget.${holder}`, {
    limit,
    left: leftText(allowance),
    price: price === undefined ? 'unknown' : `≈ $${withCents(roundUp(price))}`,
    resets: Math.ceil(resetsAt / 1000),
  });
}
