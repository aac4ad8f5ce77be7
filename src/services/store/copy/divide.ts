import { z } from 'zod';
import { learnedCosts, MAX_VARIANTS } from '../../money/learned-prices.ts';
import { toAskedPartition, totalOutcome } from '../../orders/part-erasures.ts';
import { type Duration, erasureMark, MAX_DURATIONS_PER_KEY } from '../../orders/task-store.ts';
import { bucketOf, partitionOf } from '../../tasks/homes.ts';
import { type Backend, type Row, rowsIn } from '../backend.ts';
import { type NamespaceKey, namespaceKeys, namespaceNameOf, rowFormat, valueIn } from '../namespaces.ts';
import { type Notice, noticeRow } from '../notice.ts';
import { MOVE_KEY, PARTITIONS_KEY } from '../rows/marks.ts';
import { expiryOf } from '../rows/raw-rows.ts';
import { nameIn } from '../rows/rows.ts';
import { durationsRow, experienceRow } from '../rows/tables.ts';
import type { PartitionRow } from './copier.ts';
import {
  anonymousBuckets,
  type BucketedNamespace,
  type BucketOfRow,
  bucketOfTask,
  isBucketed,
  rowBuckets,
} from './row-homes.ts';

// Merges the values that partitions have under the same key.

/** Receives the distinct values, in the order of their partitions. */
type Merge = (values: readonly unknown[]) => unknown;

/** Unreadable values are ignored if any value can be read. */
const createMerge =
  <T>(schema: z.ZodType<T>, merge: (rows: readonly [T, ...T[]]) => T): Merge =>
  (values) => {
    const [first, ...others] = values.flatMap((value) => schema.safeParse(value).data ?? []);
    return first === undefined ? values[0] : merge([first, ...others]);
  };

const byTime = (one: { at: number }, other: { at: number }): number => one.at - other.at;

/** Contains each duration once, even if several partitions were given the same ones. */
const mergeDurations = createMerge(durationsRow, (rows) => {
  const all = new Map<string, Duration>();
  for (const one of rows.flatMap(({ durations }) => durations)) all.set(JSON.stringify(one), one);
  return { ...rows[0], durations: [...all.values()].sort(byTime).slice(-MAX_DURATIONS_PER_KEY) };
});

/** A success in any partition outweighs a refusal. */
const mergeExperience = createMerge(experienceRow, (rows) => {
  const delivered = [...new Set(rows.flatMap((row) => row.delivered))];
  const unfit = [...new Set(rows.flatMap((row) => row.unfit))].filter((kind) => !delivered.includes(kind));
  return { id: rows[0].id, delivered, unfit };
});

/**
 * For each variant, takes the costs of the partition that has most of them, or the latest ones: several partitions may have been given the same
 * costs, which must not count twice.
 */
const mergeCosts = createMerge(learnedCosts, (rows) => {
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
const mergePolling = createMerge(z.object({ at: z.number() }), (rows) => ({
  at: Math.max(...rows.map(({ at }) => at)),
}));

/** The first day for which any partition may still have open entries. */
const mergeLedgerMarks = createMerge(z.object({ openSince: z.string() }), (rows) => ({
  openSince: rows.map(({ openSince }) => openSince).sort()[0] ?? '',
}));

/** One notice that is current while it is current in any partition, and that updates all of its messages. */
const mergeNotices = createMerge(noticeRow, (rows) => {
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
const mergeErasures = createMerge(erasureMark, (marks) => ({
  ...(marks.find(({ asked }) => asked !== undefined) ?? marks[0]),
  until: Math.max(...marks.map(({ until }) => until)),
}));

/** The partitions of a store, and the number of partitions of another store that is filled from them. All rows are in the right partitions. */
interface Division {
  sources: readonly Backend[];
  count: number;
}

/** A row of the other store. */
type DividedRow = Omit<PartitionRow, 'namespace'>;

/** Always returns the same rows for the same store, each of them once. */
type Divide = (division: Division) => AsyncGenerator<DividedRow>;

/** Each row goes to the partition of its bucket, or else to partition 0. If several partitions have the same key, the first one counts. */
const byBucket = (name: NamespaceKey, bucketsIn: (division: Division) => BucketOfRow | Promise<BucketOfRow>): Divide =>
  async function* (division) {
    const bucketOfRow = await bucketsIn(division);
    const seen = new Set<string>();
    for (const backend of division.sources)
      for await (const { key, text } of rowsIn(backend, namespaceNameOf(name))) {
        if (seen.has(key)) continue;
        if (division.sources.length > 1) seen.add(key);
        yield { partition: partitionOf(bucketOfRow({ key, value: valueIn(text) }) ?? 0, division.count), key, text };
      }
  };

/** For small namespaces, which are read into memory as a whole. If partitions have different values under a key, these are merged. */
async function mergedRows({ sources }: Division, name: NamespaceKey, merge: Merge): Promise<Row[]> {
  const texts = new Map<string, string[]>();
  for (const backend of sources)
    for await (const { key, text } of rowsIn(backend, namespaceNameOf(name))) {
      const knownTexts = texts.get(key) ?? [];
      if (!knownTexts.includes(text)) texts.set(key, [...knownTexts, text]);
    }
  return [...texts].map(([key, all]) => ({ key, text: mergedText(all, merge) }));
}

function mergedText(texts: readonly string[], merge: Merge): string {
  const [first = ''] = texts;
  if (texts.length === 1) return first;
  const expiries = texts.map(expiryOf);
  const latestExpiry = expiries.reduce((one, other) =>
    one === undefined || other === undefined ? undefined : Math.max(one, other),
  );
  return rowFormat.stringify({ value: merge(texts.map(valueIn)), expires: latestExpiry });
}

const partitionNumbers = (count: number): number[] => Array.from({ length: count }, (_, partition) => partition);

/** For what the bot has learned: every partition gets a copy, and continues to learn separately. */
const inAllPartitions = (name: NamespaceKey, merge: Merge): Divide =>
  async function* (division) {
    for (const row of await mergedRows(division, name, merge))
      for (const partition of partitionNumbers(division.count)) yield { partition, ...row };
  };

/** For notices that only partition 0 sends to the operator. */
const inFirstPartition = (name: NamespaceKey, merge: Merge): Divide =>
  async function* (division) {
    for (const row of await mergedRows(division, name, merge)) yield { partition: 0, ...row };
  };

const firstValue: Merge = ([value]) => value;

/**
 * The partition of the member's direct messages continues the erasure as if the member had requested it there: it sends the others their requests. What was erased so far
 * remains counted.
 */
const divideErasures: Divide = async function* (division) {
  const { count } = division;
  for (const row of await mergedRows(division, 'erasures', mergeErasures)) {
    const { data: mark } = erasureMark.safeParse(valueIn(row.text));
    if (!mark) {
      yield { partition: 0, ...row };
      continue;
    }
    const home = partitionOf(bucketOf(mark.memberId), count);
    const { memberId, until, secret, told } = mark;
    const { running: _, ...progress } = totalOutcome(mark, 0);
    const ownMark = { memberId, until, secret, told, ...progress };
    const others = partitionNumbers(count).filter((number) => number !== home);
    const asked = others.map((number) => toAskedPartition(number, ownMark));
    const value = count === 1 ? ownMark : { ...ownMark, asked };
    yield { partition: home, key: row.key, text: rowFormat.stringify({ value }) };
  }
};

/** Every row is kept, even if two partitions set rows aside at the same moment. */
const divideQuarantine: Divide = async function* ({ sources, count }) {
  const seen = new Map<string, string>();
  for (const [index, backend] of sources.entries())
    for await (const { key, text } of rowsIn(backend, namespaceNameOf('quarantine'))) {
      if (seen.get(key) === text) continue;
      const ownKey = seen.has(key) ? `${key}:${index}` : key;
      seen.set(key, text);
      const [, taskId = ''] = key.split(':');
      yield { partition: partitionOf(bucketOfTask(nameIn(taskId)) ?? 0, count), key: ownKey, text };
    }
};

/** For marks that every partition has. */
const divideMeta: Divide = async function* (division) {
  const { count } = division;
  for (const row of await mergedRows(division, 'meta', mergeLedgerMarks))
    if (row.key !== MOVE_KEY && row.key !== PARTITIONS_KEY)
      for (const partition of partitionNumbers(count)) yield { partition, ...row };
  if (count > 1) yield { partition: 0, key: PARTITIONS_KEY, text: rowFormat.stringify({ value: { count } }) };
};

/** How the rows of the namespaces are divided among partitions whose rows do not all have a bucket. */
const divisions: Readonly<Record<Exclude<NamespaceKey, BucketedNamespace> | 'ledger', Divide>> = {
  ledger: byBucket('ledger', async ({ sources }) => {
    const bucketOfAnonymous = await anonymousBuckets(sources);
    return (row) => rowBuckets.ledger(row) ?? bucketOfAnonymous(row.key);
  }),
  durations: inAllPartitions('durations', mergeDurations),
  models: inAllPartitions('models', mergeExperience),
  costs: inAllPartitions('costs', mergeCosts),
  asking: inAllPartitions('asking', mergePolling),
  // They expire within a quarter of an hour, and their rows do not say which partition handles their buttons.
  follows: inFirstPartition('follows', firstValue),
  // The scopes of an entry that lost its member go to the partition of the entry.
  allowances: byBucket('allowances', async ({ sources }) => {
    const bucketOfAnonymous = await anonymousBuckets(sources);
    return ({ key }) => bucketOfAnonymous(nameIn(key));
  }),
  // A partition looks in the others for the pseudonym of a member that is new to it.
  pseudonyms: byBucket(
    'pseudonyms',
    () =>
      ({ key }) =>
        bucketOf(nameIn(key)),
  ),
  notices: inFirstPartition('notices', mergeNotices),
  runs: async function* () {
    // A cluster records no starts, so those before it would be taken for recent.
  },
  quarantine: divideQuarantine,
  erasures: divideErasures,
  meta: divideMeta,
};

const divisionsByName = new Map(
  namespaceKeys.map((key) => [
    namespaceNameOf(key),
    isBucketed(key) && key !== 'ledger' ? byBucket(key, () => rowBuckets[key]) : divisions[key],
  ]),
);

/** Yields the rows of a namespace as they will be in the other store, which has another number of partitions. */
export function divide(division: Division, namespace: string): AsyncGenerator<DividedRow> {
  const divideRows = divisionsByName.get(namespace);
  if (!divideRows) throw new Error(`It is not defined how the namespace ${namespace} is divided.`);
  return divideRows(division);
}
