import { expect } from 'vitest';

/**
 * The number of polls that the specification's fastest schedule sends up to this age: every 2 s for 30 s, then
 * every 5 s, including the poll right after the submit.
 */
export function fastestPollCount(ageMs: number): number {
  let count = 0;
  for (let at = 0; at <= ageMs; at += at < 30_000 ? 2_000 : 5_000) count += 1;
  return count;
}

/**
 * Fails the test if a task was polled more often than in that schedule, or twice within 2 s. The moments are counted
 * from its submit.
 */
export function expectWithinPollLimit(moments: readonly number[], scenario: unknown): void {
  for (const [index, at] of moments.entries()) {
    if (index + 1 > fastestPollCount(at) || at - (moments[index - 1] ?? Number.NEGATIVE_INFINITY) < 2_000) {
      expect.fail(`Polled at ${moments.slice(0, index + 1).join(', ')} ms: ${JSON.stringify(scenario)}`);
    }
  }
}
