import type { Observation } from '../../../../src/services/orders/polling/histogram.ts';

/** The inverse of the normal distribution: the value below which this share lies (Tukey's lambda is close enough). */
function normalQuantile(share: number): number {
  return (share ** 0.135 - (1 - share) ** 0.135) / 0.1975;
}

/** An evenly spread sample of a log-normal distribution: its quantiles, in milliseconds. */
export function logNormal(count: number, medianMs: number, sigma: number): number[] {
  return Array.from(
    { length: count },
    (_, index) => medianMs * Math.exp(sigma * normalQuantile((index + 0.5) / count)),
  );
}

/** Observations of jobs that ended between two polls that were this far apart. */
export function observationsOf(durations: readonly number[], gapMs = 2_000): Observation[] {
  return durations.map((ms, index) => {
    const atLeastMs = Math.max(0, ms - gapMs * ((index * 0.618) % 1));
    return { atLeastMs, atMostMs: atLeastMs + gapMs, weight: 1 };
  });
}
