import type { Period } from './periods.ts';

/** Whose limits an order has to keep. `operator`: the operator's limits for a server. */
export type Holder = 'total' | 'server' | 'operator' | 'member' | 'direct';

/** One limit, what was used of it, and when it begins anew. */
export interface Allowance {
  holder: Holder;
  /** Undefined: tasks at once, which no time resets. */
  period: Period | undefined;
  kind: string | undefined;
  of: 'amount' | 'tasks';
  limit: string;
  left: string;
  resetsAt: number | undefined;
}

/** A member's own limit of which the smallest share is left. */
export function tightest(allowances: readonly Allowance[]): Allowance | undefined {
  const own = allowances.filter(({ holder }) => holder === 'member' || holder === 'direct');
  const shareOf = ({ left, limit }: Allowance): number => (Number(limit) === 0 ? 0 : Number(left) / Number(limit));
  return own.toSorted((one, other) => shareOf(one) - shareOf(other))[0];
}
