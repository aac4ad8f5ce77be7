import type { GatewayError } from './errors.ts';

/** Longer than this nobody waits inside one call: the caller is told the delay and plans with it. */
const LONGEST_WAIT_MS = 5_000;
const FIRST_WAIT_MS = 250;

/** How long to wait before a read is tried again; undefined: not at all. `attempt` counts from 1. */
export function waitBeforeRetry(error: GatewayError, attempt: number, random: () => number): number | undefined {
  // What was too large once is too large again.
  if (error.code === 'too_large') return undefined;
  switch (error.kind) {
    case 'rate-limited':
    case 'unavailable':
    case 'unreachable':
    case 'malformed': {
      // Full jitter: many clients that failed together do not come back together.
      const backoff = random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
      const wait = Math.max(error.retryAfterMs ?? 0, backoff);
      return wait <= LONGEST_WAIT_MS ? wait : undefined;
    }
    default:
      return undefined;
  }
}

/** `Retry-After` in seconds or as a date (RFC 9110, 10.2.3). */
export function retryAfterOf(header: string | string[] | undefined, now: number): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim();
  if (!text) return undefined;
  if (/^\d{1,9}(?:\.\d+)?$/.test(text)) return Number(text) * 1000;
  // Date.parse makes a date of nearly anything that holds a number; a real one ends like this.
  const date = text.endsWith('GMT') ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
