import { allowanceText, leftText, quantityText } from '../discord/limit-words.ts';
import { isZero, roundUp } from '../lib/decimals.ts';
import { countText, exactDollars } from '../lib/formats.ts';
import type { Say } from '../locales/index.ts';
import type { Allowance } from '../services/money/allowance.ts';
import type { Cost } from '../services/money/ledger.ts';
import type { Estimate } from '../services/tasks/estimate.ts';
import type { Task } from '../services/tasks/task.ts';

/** The amount as people read it: rounded up, so it is short and never too low. */
export const roundedDollars = (amount: string, say: Say): string => exactDollars(roundUp(amount), say);

/** Why a server asks before a request. */
export const confirmationReason = (limit: string, say: Say): string =>
  isZero(limit) ? say('proposal.aboveZero') : say('proposal.above', { limit: exactDollars(limit, say) });

/** What remains of a limit, and when it resets. `showsGrant`: also how much of it was granted. */
export function remainingText(allowance: Allowance, say: Say, { showsGrant = false } = {}): string {
  const { granted, resetsAt, unit } = allowance;
  const left = unit === 'tasks' ? countText(allowance.left, say) : leftText(allowance, say);
  const facts = { left, limit: allowanceText(allowance, say) };
  if (resetsAt === undefined) return say('left.concurrent', facts);
  const ofPeriod = { ...facts, resets: Math.ceil(resetsAt / 1000) };
  return showsGrant && granted !== undefined
    ? say('left.granted', { ...ofPeriod, granted: quantityText(unit, granted, say) })
    : say('left.ofPeriod', ofPeriod);
}

export function costOfTask({ estimate }: Task, cost: Cost | undefined, say: Say): string {
  if (!cost) return say('cost.unknown');
  const { amount, isEstimate } = cost;
  return isEstimate ? estimateText({ ...estimate, amount }, say) : roundedDollars(amount, say);
}

export function estimateText({ amount, isUpperBound, isLowerBound }: Omit<Estimate, 'source' | 'at'>, say: Say) {
  const bound = isLowerBound ? 'atLeast' : isUpperBound ? 'atMost' : 'about';
  return say(`cost.${bound}`, { amount: roundedDollars(amount, say) });
}
