import type { JobKind } from './job.ts';
import { logNormal, type Random, seedFrom } from './random.ts';

/** Median durations, similar to those of real gateways. */
const MEDIAN_MS: Record<JobKind, number> = {
  image: 20_000,
  imagine: 40_000,
  describe: 6_000,
  shorten: 4_000,
  blend: 40_000,
  upload: 0,
  upscale: 8_000,
  vary: 35_000,
  reroll: 40_000,
  zoom: 35_000,
  pan: 35_000,
  inpaint: 30_000,
  edits: 35_000,
  'imgx-video': 90_000,
  video: 100_000,
  image2video: 100_000,
  music: 80_000,
  lyrics: 8_000,
};

const FACTOR_SIGMA = 0.3;
/** The limits of the random factor; longer waits are injected as faults. */
const MAX_FACTOR = 4;
const MIN_FACTOR = 0.3;
const QUEUE_SHARE = 0.06;

export interface Duration {
  readonly queued: number;
  readonly running: number;
}

export function durationOf(kind: JobKind, model: string, random: Random): Duration {
  // Each model is always slower or faster than the median by the same factor.
  const modelFactor = 0.75 + (seedFrom('pace of', model) % 1000) / 2000;
  const randomFactor = Math.min(MAX_FACTOR, Math.max(MIN_FACTOR, logNormal(random, 1, FACTOR_SIGMA)));
  const totalMs = MEDIAN_MS[kind] * modelFactor * randomFactor;
  return { queued: totalMs * QUEUE_SHARE, running: totalMs * (1 - QUEUE_SHARE) };
}
