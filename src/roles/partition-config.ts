import { type Config, ConfigError, type ConfigProblem } from '../config.ts';
import { shareOfLimits } from '../services/spending/limits-share.ts';

/** More than this at once would let a bot with few partitions wait. */
const LEAST_CONNECTIONS = 2;

/**
 * The settings for one partition of several: what is limited for the whole cluster is divided, so that the shares never sum above the limit. Throws where
 * a limit is smaller than the number of partitions.
 */
export function shareOfPartition(config: Config, count: number): Config {
  if (count === 1) return config;
  const problems: ConfigProblem[] = [];
  const share = (whole: number, variable: string): number => {
    if (whole < count)
      problems.push({ variable, problem: `should be at least ${count}, the number of partitions of this store` });
    return Math.floor(whole / count);
  };
  const { gateway, poll, budgets, liveLimits } = config;
  const { jobsAtOnce } = gateway;
  const shared: Config = {
    ...config,
    gateway: {
      ...gateway,
      // Each is opened only when it is needed.
      connections: Math.max(LEAST_CONNECTIONS, Math.floor(gateway.connections / count)),
      jobsAtOnce: jobsAtOnce === undefined ? undefined : share(jobsAtOnce, 'GATEWAY_JOBS_AT_ONCE'),
    },
    poll: { ...poll, perSecond: share(poll.perSecond, 'GATEWAY_POLLS_PER_SECOND') },
    budgets: {
      ...budgets,
      total: shareOfLimits(budgets.total, count, (problem) => problems.push({ variable: 'TOTAL_BUDGET', problem })),
    },
    liveLimits: {
      ask: { ...liveLimits.ask, all: Math.max(1, Math.floor(liveLimits.ask.all / count)) },
      talk: { ...liveLimits.talk, all: Math.max(1, Math.floor(liveLimits.talk.all / count)) },
    },
  };
  if (problems.length > 0) throw new ConfigError(problems);
  return shared;
}
