import { bucketOf, partitionOf } from '../../tasks/homes.ts';
import { erasureMark } from '../../tasks/task-store.ts';
import type { Backend, Row } from '../backend.ts';
import { LEDGER_KEY, MOVE_KEY, PARTITIONS_KEY, SCHEMA_KEY, schemaIn } from '../marks.ts';
import { type NamespaceKey, namespaceKeys, namespaceNameOf, rowFormat, valueIn } from '../namespaces.ts';
import { expiryOf, rowsIn } from '../raw-rows.ts';
import { anonymousBuckets } from './anonymous-homes.ts';
import { divideLists, membersByPartition } from './divide-lists.ts';
import type { DividedRow, Division } from './division.ts';
import {
  divideErasure,
  type Merge,
  mergeCosts,
  mergeDurations,
  mergedErasure,
  mergeErasures,
  mergeExperience,
  mergeLedgerMarks,
  mergeNotices,
  mergePolling,
} from './merges.ts';
import { type BucketedNamespace, bucketOfTask, rowBuckets } from './row-homes.ts';

/** Always returns the same rows for the same store, each of them once. */
type Divide = (division: Division) => AsyncGenerator<DividedRow>;

/**
 * Each row goes to the partition that it belongs to, or else to partition 0. Only rows of the latter sort can have the same key in several
 * partitions, and then any of them will do.
 */
const byBucket = (name: BucketedNamespace): Divide =>
  async function* ({ sources, count }) {
    const namespace = namespaceNameOf(name);
    const anonymousBucketOf = name === 'ledger' && count > 1 ? await anonymousBuckets(sources) : undefined;
    const seen = new Set<string>();
    for (const backend of sources)
      for await (const [key, text] of rowsIn(backend, namespace)) {
        if (seen.has(key)) continue;
        if (sources.length > 1) seen.add(key);
        const bucket = rowBuckets[name]({ key, value: valueIn(text) }) ?? anonymousBucketOf?.(key) ?? 0;
        yield { partition: partitionOf(bucket, count), key, text };
      }
  };

/** For small namespaces, which are read into memory as a whole. If partitions have different values under a key, these are merged. */
async function mergedRows({ sources }: Division, name: NamespaceKey, merge: Merge): Promise<Row[]> {
  const texts = new Map<string, string[]>();
  for (const backend of sources)
    for await (const [key, text] of rowsIn(backend, namespaceNameOf(name))) {
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
  const expires = latestExpiry === undefined ? {} : { expires: latestExpiry };
  return rowFormat.stringify({ value: merge(texts.map(valueIn)), ...expires });
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

/** The scopes of an entry that lost its member go to the partition of the entry. */
const divideAllowances: Divide = async function* ({ sources, count }) {
  const bucketOfEntry = count > 1 ? await anonymousBuckets(sources) : undefined;
  for (const row of await mergedRows({ sources, count }, 'allowances', firstValue)) {
    const bucket = bucketOfEntry?.(row.key.replace(/^of /, '')) ?? 0;
    yield { partition: partitionOf(bucket, count), ...row };
  }
};

/**
 * The pseudonym of a member goes to the partitions in which the member has tasks. If there are several, that of the member's own partition is kept, or else the
 * first.
 */
const dividePseudonyms: Divide = async function* ({ sources, count }) {
  const rows = new Map<string, { text: string; isHome: boolean }>();
  for (const [index, backend] of sources.entries())
    for await (const [key, text] of rowsIn(backend, namespaceNameOf('pseudonyms'))) {
      const isHome = partitionOf(bucketOf(memberIn(key)), sources.length) === index;
      if (isHome || !rows.has(key)) rows.set(key, { text, isHome });
    }
  const members = rows.size > 0 && count > 1 ? await membersByPartition({ sources, count }) : undefined;
  for (const [key, { text }] of rows) {
    const home = partitionOf(bucketOf(memberIn(key)), count);
    for (const partition of new Set([home, ...(members?.get(memberIn(key)) ?? [])])) yield { partition, key, text };
  }
};

const memberIn = (key: string): string => key.replace(/^of /, '');

/** The partition of the member's direct messages coordinates the others, as if the member had requested the erasure there. */
const divideErasures: Divide = async function* (division) {
  const { count } = division;
  for (const { key, text } of await mergedRows(division, 'erasures', mergeErasures)) {
    const mark = erasureMark.safeParse(valueIn(text)).data;
    if (!mark) yield { partition: 0, key, text };
    else {
      const merged = mergedErasure([mark]);
      const home = partitionOf(bucketOf(mark.memberId), count);
      for (const number of partitionNumbers(count)) {
        const value = count === 1 ? merged : divideErasure(merged, { number, home, count });
        yield { partition: number, key, text: rowText(value) };
      }
    }
  }
};

const rowText = (value: unknown): string => rowFormat.stringify({ value });

/** Every row is kept, even if two partitions set rows aside at the same moment. */
const divideQuarantine: Divide = async function* ({ sources, count }) {
  const seen = new Map<string, string>();
  for (const [index, backend] of sources.entries())
    for await (const [key, text] of rowsIn(backend, namespaceNameOf('quarantine'))) {
      if (seen.get(key) === text) continue;
      const ownKey = seen.has(key) ? `${key}:${index}` : key;
      seen.set(key, text);
      const [, taskId = ''] = key.split(':');
      yield { partition: partitionOf(bucketOfTask(taskId) ?? 0, count), key: ownKey, text };
    }
};

/** For marks that every partition has. The oldest schema counts for the whole store. */
const divideMeta: Divide = async function* (division) {
  const { count } = division;
  const rows = await mergedRows(division, 'meta', firstValue);
  const texts = await Promise.all(division.sources.map((backend) => rowTextsIn(backend)));
  for (const { key, text } of rows) {
    if (key === MOVE_KEY || key === PARTITIONS_KEY) continue;
    const ownTexts = [...new Set(texts.flatMap((one) => one.get(key) ?? []))];
    const value =
      key === SCHEMA_KEY
        ? oldestSchemaText(ownTexts)
        : key === LEDGER_KEY
          ? mergedText(ownTexts, mergeLedgerMarks)
          : text;
    for (const partition of partitionNumbers(count)) yield { partition, key, text: value };
  }
  if (count > 1) yield { partition: 0, key: PARTITIONS_KEY, text: rowText({ count }) };
};

async function rowTextsIn(backend: Backend): Promise<Map<string, string>> {
  return new Map(await Array.fromAsync(rowsIn(backend, namespaceNameOf('meta'))));
}

function oldestSchemaText(texts: readonly string[]): string {
  const versionOf = (text: string): number => {
    const { store = 0, task = 0 } = schemaIn(text) ?? {};
    return store * 1_000_000 + task;
  };
  return texts.toSorted((a, b) => versionOf(a) - versionOf(b))[0] ?? '';
}

/** How the rows of each namespace are divided among partitions. */
const divisions: Readonly<Record<NamespaceKey, Divide>> = {
  live: byBucket('live'),
  finished: byBucket('finished'),
  sent: byBucket('sent'),
  index: divideLists,
  ledger: byBucket('ledger'),
  remotes: byBucket('remotes'),
  fingerprints: byBucket('fingerprints'),
  durations: inAllPartitions('durations', mergeDurations),
  models: inAllPartitions('models', mergeExperience),
  costs: inAllPartitions('costs', mergeCosts),
  asking: inAllPartitions('asking', mergePolling),
  // They expire within a quarter of an hour, and their rows do not say which partition handles their buttons.
  follows: inFirstPartition('follows', firstValue),
  allowances: divideAllowances,
  budgets: byBucket('budgets'),
  rules: byBucket('rules'),
  reports: byBucket('reports'),
  serverLogs: byBucket('serverLogs'),
  proposals: byBucket('proposals'),
  drafts: byBucket('drafts'),
  pseudonyms: dividePseudonyms,
  notices: inFirstPartition('notices', mergeNotices),
  runs: inFirstPartition('runs', firstValue),
  quarantine: divideQuarantine,
  erasures: divideErasures,
  meta: divideMeta,
};

const divisionsByName = new Map(namespaceKeys.map((key) => [namespaceNameOf(key), divisions[key]]));

/** Yields the rows of a namespace as they will be in the other store. With the same number of partitions each row stays where it is. */
export async function* divide(division: Division, namespace: string): AsyncGenerator<DividedRow> {
  const { sources, count } = division;
  const divideRows = divisionsByName.get(namespace);
  if (!divideRows) throw new Error(`It is not defined how the namespace ${namespace} is divided.`);
  if (sources.length !== count) return yield* divideRows(division);
  for (const [partition, backend] of sources.entries())
    for await (const [key, text] of rowsIn(backend, namespace))
      if (namespace !== namespaceNameOf('meta') || key !== MOVE_KEY) yield { partition, key, text };
}
