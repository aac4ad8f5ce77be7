import { expect } from 'vitest';

/**
 * The specification's fastest schedule as a sum: every 2 s for 30 s, then every 5 s, including the poll after the
 * submit.
 */
export function fastestPollCount(ageMs: number): number {
  let count = 0;
  for (let at = 0; at <= ageMs; at += at < 30_000 ? 2_000 : 5_000) count += 1;
  return count;
}

/**
 * The limit on all polls of one task, counted from its submit: never more than that schedule, and never less
 * than 2 s apart.
 */
export function expectWithinPollLimit(moments: readonly number[], history: unknown): void {
  for (const [index, at] of moments.entries()) {
    if (index + 1 > fastestPollCount(at) || at - (moments[index - 1] ?? Number.NEGATIVE_INFINITY) < 2_000) {
      expect.fail(`Polled at ${moments.slice(0, index + 1).join(', ')} ms: ${JSON.stringify(history)}`);
    }
  }
}
