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
