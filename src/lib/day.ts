export const DAY_MS = 24 * 3_600_000;
/** Beyond it a year has more than four digits, and days no longer sort as text. */
const LAST_DAY = Date.UTC(9999, 11, 31);

/** `YYYY-MM-DD`, in UTC as everywhere in reports. Also of a time that makes no sense, for a stored row may hold one. */
export const dayOf = (at: number): string => new Date(Math.min(Math.max(at, 0), LAST_DAY)).toISOString().slice(0, 10);
