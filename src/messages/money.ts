import { roundUp, withCents } from '../lib/decimals.ts';
import { kindNameIn, type Say } from '../locales/index.ts';
import type { Allowance } from '../services/money/allowance.ts';
import type { Cost } from '../services/money/ledger.ts';
import { allowanceText, grouped, leftText } from '../services/money/limits-text.ts';
import type { Estimate } from '../services/tasks/estimate.ts';
import type { Task } from '../services/tasks/task.ts';

/** The amount with every digit, as the gateway reported it. */
export const exactDollars = (amount: string): string => `$${withCents(amount)}`;

/** The amount as people read it: rounded up, so it is short and never too low. */
export const roundedDollars = (amount: string): string => `$${withCents(roundUp(amount))}`;

/** What remains of a limit, and when it resets. */
export function remainingText(allowance: Allowance, say: Say): string {
  const { resetsAt, unit } = allowance;
  const left = unit === 'tasks' ? grouped(allowance.left) : leftText(allowance);
  const facts = { left, limit: allowanceText(allowance, kindNameIn(say)) };
  if (resetsAt === undefined) return say('left.concurrent', facts);
  return say('left.ofPeriod', { ...facts, resets: Math.ceil(resetsAt / 1000) });
}

export function costOfTask({ estimate }: Task, cost: Cost | undefined, say: Say): string {
  if (!cost) return say('cost.unknown');
  const { amount, isEstimate } = cost;
  return isEstimate ? estimateText({ ...estimate, amount }, say) : roundedDollars(amount);
}

export function estimateText(
  { amount, isUpperBound, isLowerBound }: Omit<Estimate, 'source' | 'at'>,
  say: Say,
): string {
  const bound = isLowerBound ? 'atLeast' : isUpperBound ? 'atMost' : 'about';
  return say(`cost.${bound}`, { amount: roundedDollars(amount) });
}
