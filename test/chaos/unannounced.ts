import type { RateLimitHit } from '../../sandbox/discord/buckets.ts';
import type { RecordedRequest } from '../../sandbox/discord/request-log.ts';

interface BotHistory {
  readonly requests: readonly Pick<RecordedRequest, 'id' | 'at' | 'status'>[];
  /** When each process of the bot was started. */
  readonly starts: readonly number[];
}

/**
 * Whether the bot hit a limit without having been informed that no requests were left. Every response from Discord reports the
 * remaining number, so the bot is only excused if the last response was lost or went to an earlier process.
 */
export function wasUnannounced({ at, after }: RateLimitHit, { requests, starts }: BotHistory): boolean {
  const previous = requests.find(({ id }) => id === after);
  const startedAt = starts.findLast((start) => start <= at) ?? Number.NEGATIVE_INFINITY;
  return previous !== undefined && (previous.at < startedAt || previous.status === 0);
}
