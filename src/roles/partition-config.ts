import type { Config } from '../config.ts';

/** The settings for one partition of several. */
export function configForPartition(config: Config, count: number): Config {
  if (count === 1) return config;
  const { total } = config.budgets;
  // Each partition counts only its own queue, so it gets its share of the limit.
  const waiting = total.waiting === undefined ? {} : { waiting: Math.max(1, Math.floor(total.waiting / count)) };
  return {
    ...config,
    budgets: { ...config.budgets, total: { ...total, ...waiting } },
  };
}
