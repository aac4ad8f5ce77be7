import type { Schedule } from './schedule.ts';

/** The share of tasks whose end is not called back, from 0 to 1; without callbacks it is 1. */
export type MissedShare = (task: Parameters<Schedule['nextAt']>[0]) => number;

/** Few steps, since each model calculates a density for each of them. */
const SHARE_STEPS = 8;

/**
 * The share of a task's polls that is still worth making: a poll that a callback makes unnecessary is worth nothing, and the
 * best density of polls follows the square root of their worth.
 */
export const sparseShare = (missed: number): number => Math.round(SHARE_STEPS * Math.sqrt(missed)) / SHARE_STEPS;

/** However reliable callbacks are, some polls remain: a gap grows at most by this factor and to this length. */
const MAX_GAP_FACTOR = 8;
const MAX_GAP_MS = 60_000;

/** A gap of a schedule that does not know how long jobs take. */
export const sparseGap = (gapMs: number, missed: number): number =>
  Math.max(gapMs, Math.min(MAX_GAP_MS, gapMs / Math.max(1 / MAX_GAP_FACTOR, sparseShare(missed))));

export const sparseSchedule = (schedule: Schedule, missedShare: MissedShare): Schedule => ({
  nextAt: (task, now) => now + sparseGap(schedule.nextAt(task, now) - now, missedShare(task)),
});
