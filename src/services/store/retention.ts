import type { TaskLine } from '../tasks/task-line.ts';

const DAY_MS = 24 * 3_600_000;

/** A year, and a month to notice in: buttons under old pictures go on working, and the store does not grow for ever. */
export const RETENTION_MS = 400 * DAY_MS;

export function isPast(settledAt: number | undefined, now: number): boolean {
  return settledAt !== undefined && now >= settledAt + RETENTION_MS;
}

export const isPastLine = ({ settledAt }: TaskLine, now: number): boolean => isPast(settledAt, now);
