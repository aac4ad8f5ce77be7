import { type Config, ConfigError, type ConfigProblem } from '../config.ts';
import { shareOfLimits } from '../services/spending/limits-share.ts';

/**
 * The settings for one partition of several: what is limited for the whole cluster is divided, so that the shares never sum above the limit. Throws where
 * a limit is smaller than the number of partitions.
 */
export function shareOfPartition(config: Config, count: number): Config {
  if (count === 1) return config;
  const problems: ConfigProblem[] = [];
  const { budgets } = config;
  const shared: Config = {
    ...config,
    budgets: {
      ...budgets,
      total: shareOfLimits(budgets.total, count, (problem) => problems.push({ variable: 'TOTAL_BUDGET', problem })),
    },
    // A port can be opened once.
    callbacks: { ...config.callbacks, port: undefined },
    // Messages in threads are read only by a bot that is one process.
    discord: { ...config.discord, messageContent: false },
  };
  if (problems.length > 0) throw new ConfigError(problems);
  return shared;
}
