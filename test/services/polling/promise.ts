import { expect } from 'vitest';

/**
 * The specification's fastest schedule as a sum: every 2 s for 30 s, then every 5 s, including the poll after the
 * submit.
 */
export function fastest(ageMs: number): number {
  let count = 0;
  for (let at = 0; at <= ageMs; at += at < 30_000 ? 2_000 : 5_000) count += 1;
  return count;
}

/**
 * The limit on all polls of one task, counted from its submit: never more than that schedule, and never closer than 2
 * s.
 */
export function expectKept(moments: readonly number[], history: unknown): void {
  for (const [place, at] of moments.entries()) {
    if (place + 1 > fastest(at) || at - (moments[place - 1] ?? Number.NEGATIVE_INFINITY) < 2_000) {
      expect.fail(`Asked at ${moments.slice(0, place + 1).join(', ')} ms: ${JSON.stringify(history)}`);
    }
  }
}
