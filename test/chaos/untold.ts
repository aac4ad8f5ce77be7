import type { RateLimitHit } from '../../sandbox/discord/buckets.ts';
import type { RecordedRequest } from '../../sandbox/discord/request-log.ts';

interface Known {
  readonly requests: readonly Pick<RecordedRequest, 'id' | 'at' | 'status'>[];
  /** When each process of the bot was started. */
  readonly starts: readonly number[];
}

/**
 * Whether the bot that hit a limit had not been told that nothing was left. Every response from Discord reports the remaining number, so only the
 * last response counts: it was lost, or it went to an earlier process.
 */
export function wasUntold({ at, after }: RateLimitHit, { requests, starts }: Known): boolean {
  const before = requests.find(({ id }) => id === after);
  const bornAt = starts.findLast((start) => start <= at) ?? Number.NEGATIVE_INFINITY;
  return before !== undefined && (before.at < bornAt || before.status === 0);
}
