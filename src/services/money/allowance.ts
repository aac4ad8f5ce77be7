import { compare, isZero } from '../../lib/decimals.ts';
import type { Period } from './periods.ts';

/** Whose limits apply to a request. `operator`: the operator's limits for a server, which apply alone if it has none of its own. */
export type Holder = 'total' | 'server' | 'operator' | 'member' | 'direct';

export interface Allowance {
  holder: Holder;
  /** Undefined for the limit of concurrent tasks, which never resets. */
  period: Period | undefined;
  kind: string | undefined;
  unit: 'amount' | 'tasks';
  limit: string;
  left: string;
  /** How much of the limit was granted on top of what was set; undefined if nothing was. */
  granted?: string;
  resetsAt: number | undefined;
}

/** The member's own limit of money with the smallest remaining share, or else the other limit with the smallest one. */
export function tightestAllowance(allowances: readonly Allowance[]): Allowance | undefined {
  const memberAllowances = allowances.filter(({ holder }) => holder === 'member' || holder === 'direct');
  const shareOf = ({ left, limit }: Allowance): number => (Number(limit) === 0 ? 0 : Number(left) / Number(limit));
  const sorted = memberAllowances.toSorted((one, other) => shareOf(one) - shareOf(other));
  return sorted.find(({ unit }) => unit === 'amount') ?? sorted[0];
}

/** If nothing is left, a request of unknown price is refused as well. */
export function isExceeded({ unit, left }: Allowance, price: string | undefined): boolean {
  if (unit === 'tasks') return left === '0';
  return isZero(left) || (price !== undefined && compare(left, price) < 0);
}
