import { bucketOf, partitionOf } from '../../tasks/homes.ts';
import { erasureMark } from '../../tasks/task-store.ts';
import type { Backend, Row } from '../backend.ts';
import { LEDGER_KEY, MOVE_KEY, PARTITIONS_KEY, SCHEMA_KEY, schemaIn } from '../marks.ts';
import { type NamespaceKey, namespaceKeys, namespaceNameOf, rowFormat, valueIn } from '../namespaces.ts';
import { expiryOf, rowsIn } from '../raw-rows.ts';
import { anonymousHomes } from './anonymous-homes.ts';
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
import { bucketOfTask, type HomedNamespace, rowHomes } from './row-homes.ts';

/** Always the same rows from the same store, each once. */
type Divide = (division: Division) => AsyncGenerator<DividedRow>;

/** Each row goes where it belongs; one that belongs nowhere, to partition 0. Partitions have the same key only of those, and then the first is as good as another. */
const byHome = (name: HomedNamespace): Divide =>
  async function* ({ from, count }) {
    const namespace = namespaceNameOf(name);
    const anonymous = name === 'ledger' && count > 1 ? await anonymousHomes(from) : undefined;
    const seen = new Set<string>();
    for (const backend of from)
      for await (const [key, text] of rowsIn(backend, namespace)) {
        if (seen.has(key)) continue;
        if (from.length > 1) seen.add(key);
        const bucket = rowHomes[name]({ key, value: valueIn(text) }) ?? anonymous?.(key) ?? 0;
        yield { partition: partitionOf(bucket, count), key, text };
      }
  };

/** Small namespaces, read at once; where partitions have different values under a key, they are merged. */
async function mergedRows({ from }: Division, name: NamespaceKey, merge: Merge): Promise<Row[]> {
  const texts = new Map<string, string[]>();
  for (const backend of from)
    for await (const [key, text] of rowsIn(backend, namespaceNameOf(name))) {
      const known = texts.get(key) ?? [];
      if (!known.includes(text)) texts.set(key, [...known, text]);
    }
  return [...texts].map(([key, all]) => ({ key, text: mergedText(all, merge) }));
}

function mergedText(texts: readonly string[], merge: Merge): string {
  const [first = ''] = texts;
  if (texts.length === 1) return first;
  const ends = texts.map(expiryOf);
  const last = ends.reduce((one, other) =>
    one === undefined || other === undefined ? undefined : Math.max(one, other),
  );
  const expires = last === undefined ? {} : { expires: last };
  return rowFormat.stringify({ value: merge(texts.map(valueIn)), ...expires });
}

const all = (count: number): number[] => Array.from({ length: count }, (_, partition) => partition);

/** What is true of the whole bot: each partition learns it, and goes on learning alone. */
const everywhere = (name: NamespaceKey, merge: Merge): Divide =>
  async function* (division) {
    for (const row of await mergedRows(division, name, merge))
      for (const partition of all(division.count)) yield { partition, ...row };
  };

/** What only partition 0 tells the operator. */
const inFirst = (name: NamespaceKey, merge: Merge): Divide =>
  async function* (division) {
    for (const row of await mergedRows(division, name, merge)) yield { partition: 0, ...row };
  };

const theFirst: Merge = ([value]) => value;

/** Entries that lost their member, with the sums that they still count in. */
const divideAllowances: Divide = async function* ({ from, count }) {
  const homeOf = count > 1 ? await anonymousHomes(from) : undefined;
  for (const row of await mergedRows({ from, count }, 'allowances', theFirst)) {
    const bucket = homeOf?.(row.key.replace(/^of /, '')) ?? 0;
    yield { partition: partitionOf(bucket, count), ...row };
  }
};

/** A name that is sent for a member goes where the member has tasks. Of several, that of the member's own partition stays, else the first. */
const dividePseudonyms: Divide = async function* ({ from, count }) {
  const rows = new Map<string, { text: string; isHome: boolean }>();
  for (const [at, backend] of from.entries())
    for await (const [key, text] of rowsIn(backend, namespaceNameOf('pseudonyms'))) {
      const isHome = partitionOf(bucketOf(memberIn(key)), from.length) === at;
      if (isHome || !rows.has(key)) rows.set(key, { text, isHome });
    }
  const members = rows.size > 0 && count > 1 ? await membersByPartition({ from, count }) : undefined;
  for (const [key, { text }] of rows) {
    const home = partitionOf(bucketOf(memberIn(key)), count);
    for (const partition of new Set([home, ...(members?.get(memberIn(key)) ?? [])])) yield { partition, key, text };
  }
};

const memberIn = (key: string): string => key.replace(/^of /, '');

/** The partition where a member writes to the bot asks the others, as if the member had asked there. */
const divideErasures: Divide = async function* (division) {
  const { count } = division;
  for (const { key, text } of await mergedRows(division, 'erasures', mergeErasures)) {
    const mark = erasureMark.safeParse(valueIn(text)).data;
    if (!mark) yield { partition: 0, key, text };
    else {
      const whole = mergedErasure([mark]);
      const home = partitionOf(bucketOf(mark.memberId), count);
      for (const number of all(count)) {
        const value = count === 1 ? whole : divideErasure(whole, { number, home, count });
        yield { partition: number, key, text: stringOf(value) };
      }
    }
  }
};

const stringOf = (value: unknown): string => rowFormat.stringify({ value });

/** Each row is kept, also where two partitions set rows aside at the same moment. */
const divideQuarantine: Divide = async function* ({ from, count }) {
  const seen = new Map<string, string>();
  for (const [at, backend] of from.entries())
    for await (const [key, text] of rowsIn(backend, namespaceNameOf('quarantine'))) {
      if (seen.get(key) === text) continue;
      const ownKey = seen.has(key) ? `${key}:${at}` : key;
      seen.set(key, text);
      const [, taskId = ''] = key.split(':');
      yield { partition: partitionOf(bucketOfTask(taskId) ?? 0, count), key: ownKey, text };
    }
};

/** What is true of each partition. The oldest schema is that of the whole. */
const divideMeta: Divide = async function* (division) {
  const { count } = division;
  const rows = await mergedRows(division, 'meta', theFirst);
  const texts = await Promise.all(division.from.map((backend) => rowTextsIn(backend)));
  for (const { key, text } of rows) {
    if (key === MOVE_KEY || key === PARTITIONS_KEY) continue;
    const own = [...new Set(texts.flatMap((one) => one.get(key) ?? []))];
    const value = key === SCHEMA_KEY ? oldest(own) : key === LEDGER_KEY ? mergedText(own, mergeLedgerMarks) : text;
    for (const partition of all(count)) yield { partition, key, text: value };
  }
  if (count > 1) yield { partition: 0, key: PARTITIONS_KEY, text: stringOf({ count }) };
};

async function rowTextsIn(backend: Backend): Promise<Map<string, string>> {
  return new Map(await Array.fromAsync(rowsIn(backend, namespaceNameOf('meta'))));
}

function oldest(texts: readonly string[]): string {
  const versionOf = (text: string): number => {
    const { store = 0, task = 0 } = schemaIn(text) ?? {};
    return store * 1_000_000 + task;
  };
  return texts.toSorted((a, b) => versionOf(a) - versionOf(b))[0] ?? '';
}

/** How the rows of each namespace are divided among partitions. */
const divisions: Readonly<Record<NamespaceKey, Divide>> = {
  live: byHome('live'),
  finished: byHome('finished'),
  sent: byHome('sent'),
  index: divideLists,
  ledger: byHome('ledger'),
  remotes: byHome('remotes'),
  fingerprints: byHome('fingerprints'),
  durations: everywhere('durations', mergeDurations),
  models: everywhere('models', mergeExperience),
  costs: everywhere('costs', mergeCosts),
  asking: everywhere('asking', mergePolling),
  // They end within a quarter of an hour, and nothing says where their buttons are answered.
  follows: inFirst('follows', theFirst),
  allowances: divideAllowances,
  budgets: byHome('budgets'),
  rules: byHome('rules'),
  reports: byHome('reports'),
  serverLogs: byHome('serverLogs'),
  proposals: byHome('proposals'),
  pseudonyms: dividePseudonyms,
  notices: inFirst('notices', mergeNotices),
  runs: inFirst('runs', theFirst),
  quarantine: divideQuarantine,
  erasures: divideErasures,
  meta: divideMeta,
};

const byName = new Map(namespaceKeys.map((key) => [namespaceNameOf(key), divisions[key]]));

/** The rows of a namespace as the other store has them. With the same number of partitions each row stays where it is. */
export async function* divide(division: Division, namespace: string): AsyncGenerator<DividedRow> {
  const { from, count } = division;
  const own = byName.get(namespace);
  if (!own) throw new Error(`Nothing says how the namespace ${namespace} is divided.`);
  if (from.length !== count) return yield* own(division);
  for (const [partition, backend] of from.entries())
    for await (const [key, text] of rowsIn(backend, namespace))
      if (namespace !== namespaceNameOf('meta') || key !== MOVE_KEY) yield { partition, key, text };
}
