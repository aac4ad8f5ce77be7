import type { RateLimited } from '../../sandbox/discord/buckets.ts';
import type { RecordedRequest } from '../../sandbox/discord/request-log.ts';

interface Known {
  readonly requests: readonly Pick<RecordedRequest, 'id' | 'at' | 'status'>[];
  /** When each life of the bot began. */
  readonly starts: readonly number[];
}

/**
 * Whether the bot that met a limit had not been told that nothing was left. Discord tells it with every answer, so that the last one before
 * counts alone: its request came from a predecessor, or it was lost.
 */
export function wasUntold({ at, after }: RateLimited, { requests, starts }: Known): boolean {
  const before = requests.find(({ id }) => id === after);
  const bornAt = starts.findLast((start) => start <= at) ?? Number.NEGATIVE_INFINITY;
  return before !== undefined && (before.at < bornAt || before.status === 0);
}
