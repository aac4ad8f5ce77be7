import { z } from 'zod';
import { modelExperience } from '../../models/experience.ts';
import { type Notice, noticeRow } from '../../notices/notice.ts';
import { learnedCosts, MAX_VARIANTS } from '../../prices/learned-prices.ts';
import { MAX_UNDELETABLE, outcomeOf } from '../../tasks/own-data/part-erasures.ts';
import {
  type Duration,
  durationShape,
  type ErasureMark,
  erasureMark,
  MAX_DURATIONS_PER_KEY,
} from '../../tasks/task-store.ts';

// Merges the values that partitions have under the same key.

/** Receives the distinct values, in the order of their partitions. */
export type Merge = (values: readonly unknown[]) => unknown;

/** Unreadable values are ignored if any value can be read. */
const createMerge =
  <T>(schema: z.ZodType<T>, merge: (rows: readonly T[]) => T): Merge =>
  (values) => {
    const rows = values.flatMap((value) => schema.safeParse(value).data ?? []);
    return rows.length === 0 ? values[0] : merge(rows);
  };

const byTime = (one: { at: number }, other: { at: number }): number => one.at - other.at;

/** Contains each duration once, even if several partitions were given the same ones. */
export const mergeDurations = createMerge(z.object({ durations: z.array(durationShape) }), (rows) => {
  const all = new Map<string, Duration>();
  for (const one of rows.flatMap(({ durations }) => durations)) all.set(JSON.stringify(one), one);
  return { durations: [...all.values()].sort(byTime).slice(-MAX_DURATIONS_PER_KEY) };
});

/** A success in any partition outweighs a refusal. */
export const mergeExperience = createMerge(z.object({ id: z.string(), ...modelExperience.shape }), (rows) => {
  const delivered = [...new Set(rows.flatMap((row) => row.delivered))];
  const unfit = [...new Set(rows.flatMap((row) => row.unfit))].filter((kind) => !delivered.includes(kind));
  return { id: rows[0]?.id ?? '', delivered, unfit };
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
  return { kind: rows[0]?.kind ?? '', model: rows[0]?.model ?? '', variants };
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

/**
 * One erasure of a member. The partition in which it was requested has already counted what the others reported; what they have erased since is
 * little, and only its count is lost.
 */
export function mergedErasure(marks: readonly ErasureMark[]): ErasureMark {
  const requestingMark = marks.find((mark) => mark.asked !== undefined);
  const countedMarks = requestingMark ? [requestingMark] : marks;
  const sums = countedMarks.map((mark) => outcomeOf(mark, 0));
  const sum = (what: 'tasks' | 'messages' | 'stays'): number => sums.reduce((total, one) => total + one[what], 0);
  const [first] = marks;
  const { memberId = '', secret = '' } = requestingMark ?? first ?? {};
  const told = requestingMark ? requestingMark.told : first?.told;
  return {
    ...{ memberId, secret },
    until: Math.max(...marks.map(({ until }) => until)),
    ...{ tasks: sum('tasks'), messages: sum('messages'), stays: sum('stays') },
    left: sums.flatMap(({ left }) => left).slice(0, MAX_UNDELETABLE),
    ...(told !== undefined && { told }),
  };
}

export const mergeErasures = createMerge(erasureMark, mergedErasure);

const NO_RESULTS = { tasks: 0, messages: 0, stays: 0, left: [] };

/** The erasure as stored in one of several partitions: the one in which the member requested it, or one that received the request from there. */
export function divideErasure(mark: ErasureMark, { number, home, count }: Record<'number' | 'home' | 'count', number>) {
  const { memberId, until, secret } = mark;
  if (number !== home) return { memberId, until, secret, ...NO_RESULTS, askedBy: [home] };
  const otherPartitions = Array.from({ length: count }, (_, partition) => partition).filter(
    (partition) => partition !== home,
  );
  const asked = otherPartitions.map((partition) => ({ ...NO_RESULTS, running: 0, partition, state: 'asked' as const }));
  return { ...mark, asked };
}
