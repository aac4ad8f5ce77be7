import { z } from 'zod';
import { learnedCosts, MAX_VARIANTS } from '../../money/learned-prices.ts';
import { type Duration, erasureMark, MAX_DURATIONS_PER_KEY } from '../../orders/task-store.ts';
import { type Notice, noticeRow } from '../notice.ts';
import { durationsRow, experienceRow } from '../rows/tables.ts';

// Merges the values that partitions have under the same key.

/** Receives the distinct values, in the order of their partitions. */
export type Merge = (values: readonly unknown[]) => unknown;

/** Unreadable values are ignored if any value can be read. */
const createMerge =
  <T>(schema: z.ZodType<T>, merge: (rows: readonly [T, ...T[]]) => T): Merge =>
  (values) => {
    const [first, ...others] = values.flatMap((value) => schema.safeParse(value).data ?? []);
    return first === undefined ? values[0] : merge([first, ...others]);
  };

const byTime = (one: { at: number }, other: { at: number }): number => one.at - other.at;

/** Contains each duration once, even if several partitions were given the same ones. */
export const mergeDurations = createMerge(durationsRow, (rows) => {
  const all = new Map<string, Duration>();
  for (const one of rows.flatMap(({ durations }) => durations)) all.set(JSON.stringify(one), one);
  return { ...rows[0], durations: [...all.values()].sort(byTime).slice(-MAX_DURATIONS_PER_KEY) };
});

/** A success in any partition outweighs a refusal. */
export const mergeExperience = createMerge(experienceRow, (rows) => {
  const delivered = [...new Set(rows.flatMap((row) => row.delivered))];
  const unfit = [...new Set(rows.flatMap((row) => row.unfit))].filter((kind) => !delivered.includes(kind));
  return { id: rows[0].id, delivered, unfit };
});

/**
 * For each variant, takes the costs of the partition that has most of them, or the latest ones: several partitions may have been given the same
 * costs, which must not count twice.
 */
export const mergeCosts = createMerge(learnedCosts, (rows) => {
  const best = new Map<string, z.output<typeof learnedCosts>['variants'][number]>();
  for (const one of rows.flatMap(({ variants }) => variants)) {
    const previous = best.get(one.variant);
    const surplus = one.amounts.length - (previous?.amounts.length ?? 0);
    if (!previous || surplus > 0 || (surplus === 0 && one.at > previous.at)) best.set(one.variant, one);
  }
  const variants = [...best.values()].sort(byTime).slice(-MAX_VARIANTS);
  return { ...rows[0], variants };
});

/** The time at which any partition last polled the gateway. */
export const mergePolling = createMerge(z.object({ at: z.number() }), (rows) => ({
  at: Math.max(...rows.map(({ at }) => at)),
}));

/** The first day for which any partition may still have open entries. */
export const mergeLedgerMarks = createMerge(z.object({ openSince: z.string() }), (rows) => ({
  openSince: rows.map(({ openSince }) => openSince).sort()[0] ?? '',
}));

/** One notice that is current while it is current in any partition, and that updates all of its messages. */
export const mergeNotices = createMerge(noticeRow, (rows) => {
  const openNotices = rows.filter(({ endedAt }) => endedAt === undefined);
  const latestNotice = (openNotices.length > 0 ? openNotices : rows).reduce((one, other) =>
    other.since > one.since ? other : one,
  );
  const messages = new Map<string, Notice['messages'][number]>();
  for (const message of rows.flatMap((row) => row.messages)) messages.set(message.id, message);
  return {
    ...latestNotice,
    since: Math.min(...rows.map(({ since }) => since)),
    count: Math.max(...rows.map(({ count }) => count)),
    messages: [...messages.values()],
    isShown: false,
  };
});

/** One erasure of a member. The partition in which it was requested has counted what the others reported. */
export const mergeErasures = createMerge(erasureMark, (marks) => ({
  ...(marks.find(({ asked }) => asked !== undefined) ?? marks[0]),
  until: Math.max(...marks.map(({ until }) => until)),
}));
