import { quotient } from '../../lib/decimals.ts';
import type { Cap, CapsByPeriod, Limits } from './limits.ts';
import { periods } from './periods.ts';

/** Limits of which `count` together never exceed the whole. `onProblem` is told where a share would be nothing. */
export function shareOfLimits(whole: Limits, count: number, onProblem: (problem: string) => void): Limits {
  const number = (value: number): number => {
    if (value > 0 && value < count)
      onProblem(`should allow at least ${count} tasks, one for each partition of this store`);
    return Math.floor(value / count);
  };
  const cap = ({ amount, tasks }: Cap): Cap => ({
    ...(amount !== undefined && { amount: quotient(amount, count) }),
    ...(tasks !== undefined && { tasks: number(tasks) }),
  });
  const caps = (all: CapsByPeriod): CapsByPeriod =>
    Object.fromEntries(periods.flatMap((period) => (all[period] ? [[period, cap(all[period])]] : [])));
  const { atOnce, waiting, kinds } = whole;
  return {
    ...whole,
    ...caps(whole),
    ...(atOnce !== undefined && { atOnce: number(atOnce) }),
    ...(waiting !== undefined && { waiting: number(waiting) }),
    ...(kinds && {
      kinds: Object.fromEntries(Object.entries(kinds).map(([kind, all]) => [kind, caps(all)])),
    }),
  };
}
