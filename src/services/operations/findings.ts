import { causeOf, type Findings } from '../store/notice.ts';

/** After its start, a bot may not have found yet what the one before it knew. */
const SETTLING_MS = 2 * 60_000;

export type WatchedOccurrence = Findings['occurrences'][number];

/** One occurrence for each cause, the latest in the list. Each partition has tasks of its own that are not saved. */
export function mergeByCause(occurrences: readonly WatchedOccurrence[]): WatchedOccurrence[] {
  const merged = new Map<string, WatchedOccurrence>();
  for (const one of occurrences) {
    const known = merged.get(causeOf(one));
    const since = Math.min(known?.since ?? Infinity, one.since ?? Infinity);
    const unsaved = Number(known?.facts?.unsaved ?? 0) + Number(one.facts?.unsaved ?? 0);
    merged.set(causeOf(one), {
      ...one,
      ...(one.topic === 'store' && { facts: { ...one.facts, unsaved } }),
      ...(since < Infinity && { since }),
    });
  }
  return [...merged.values()];
}

/** For each kind of task, whether the account had credit for the latest one in any partition. */
export function latestCredit(all: readonly Findings['credit'][]): Map<string, { isAvailable: boolean; at: number }> {
  const latest = new Map<string, { isAvailable: boolean; at: number }>();
  for (const credit of all)
    for (const [kind, one] of Object.entries(credit)) if (one.at > (latest.get(kind)?.at ?? 0)) latest.set(kind, one);
  return latest;
}

/** Whether trouble that none of these bots knows is over. Undefined is one that has not said yet what it knows. */
export const areSettled = (all: readonly (Findings | undefined)[], now: number): boolean =>
  all.every((one) => one !== undefined && now - one.startedAt >= SETTLING_MS);
