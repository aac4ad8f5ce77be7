import { isRecord } from '../../../lib/exact-json.ts';
import { WHOLE_BOT } from '../../money/budgets.ts';
import { hashedName } from '../../money/hashed-names.ts';
import { PAUSE_PARTITION } from '../../money/whole-bot.ts';
import { bucketOf, partitionOf } from '../../tasks/homes.ts';
import { bucketIn, isTaskId } from '../../tasks/task-id.ts';
import { type Backend, rowsIn } from '../backend.ts';
import { type NamespaceKey, namespaceKeys, namespaceNameOf, openNamespaces, valueIn } from '../namespaces.ts';
import { hashSecretMark } from '../rows/marks.ts';
import { taskIdIn } from '../rows/summary-index.ts';

// Buckets, partitions and homes are explained in `tasks/homes.ts`.

/** The bucket that a row belongs to; undefined if any partition may have it. */
export type BucketOfRow = (row: { key: string; value: unknown }) => number | undefined;

export const bucketOfTask = (id: string): number | undefined => (isTaskId(id) ? bucketIn(id) : undefined);

const stringIn = (value: unknown, name: string): string | undefined => {
  const field = isRecord(value) ? value[name] : undefined;
  return typeof field === 'string' ? field : undefined;
};

const bucketByTaskId: BucketOfRow = ({ key }) => bucketOfTask(key);
const bucketByIdField: BucketOfRow = ({ value }) => bucketOfTask(stringIn(value, 'id') ?? '');
const bucketByServer: BucketOfRow = ({ value }) => {
  const guildId = stringIn(value, 'guildId');
  return guildId === undefined ? undefined : bucketOf(guildId);
};

/** Whether the operator has paused the whole bot is read in the partition of this bucket, however many there are. */
const PAUSE_BUCKET = PAUSE_PARTITION;

/** Namespaces whose rows belong to one partition each: that of their task, or of their server. A new namespace of tasks or servers must be listed here. */
export const rowBuckets = {
  live: bucketByTaskId,
  finished: bucketByTaskId,
  sent: bucketByTaskId,
  index: ({ key }) => bucketOfTask(taskIdIn(key)),
  remotes: bucketByIdField,
  fingerprints: bucketByTaskId,
  proposals: bucketByIdField,
  drafts: bucketByIdField,
  /** Keys are `day:task id`. An entry that lost its member lost its task's id as well, and so has no bucket. */
  ledger: ({ key }) => bucketOfTask(key.slice(key.indexOf(':') + 1)),
  budgets: (row) => (stringIn(row.value, 'guildId') === WHOLE_BOT ? PAUSE_BUCKET : bucketByServer(row)),
  rules: bucketByServer,
  serverLogs: bucketByServer,
  setups: bucketByServer,
  preferences: (row) => {
    const memberId = stringIn(row.value, 'memberId');
    return memberId === undefined ? bucketByServer(row) : bucketOf(memberId);
  },
  presets: bucketByIdField,
  // A report's buttons are handled in the partition of its id.
  reports: (row) => bucketByIdField(row) ?? bucketByServer(row),
} as const satisfies Partial<Record<NamespaceKey, BucketOfRow>>;

export type BucketedNamespace = keyof typeof rowBuckets;

export const isBucketed = (name: NamespaceKey): name is BucketedNamespace => name in rowBuckets;

export interface Stray {
  namespace: string;
  key: string;
  /** The partition that has it, and the one in which it belongs. */
  partition: number;
  rightPartition: number;
}

export async function* findStrays(partitions: readonly Backend[]): AsyncGenerator<Stray> {
  for (const [partition, backend] of partitions.entries())
    for (const name of namespaceKeys.filter(isBucketed)) {
      const namespace = namespaceNameOf(name);
      for await (const { key, text } of rowsIn(backend, namespace)) {
        const bucket = rowBuckets[name]({ key, value: valueIn(text) });
        if (bucket === undefined) continue;
        const rightPartition = partitionOf(bucket, partitions.length);
        if (rightPartition !== partition) yield { namespace, key, partition, rightPartition };
      }
    }
}

/**
 * Finds a bucket for each ledger entry without a member. Such entries contain neither a server nor a task, but the hashed scopes that they
 * still count in may be stored. They go to the partition of that scope's server or member, if it is known; all others can go anywhere.
 */
export async function anonymousBuckets(backends: readonly Backend[]): Promise<(entryKey: string) => number> {
  const scopes = new Map<string, readonly unknown[]>();
  for (const backend of backends)
    for await (const { text } of rowsIn(backend, namespaceNameOf('allowances'))) {
      const keptRow = valueIn(text);
      if (isRecord(keptRow) && typeof keptRow.entry === 'string' && Array.isArray(keptRow.scopes))
        scopes.set(keptRow.entry, keptRow.scopes);
    }
  const buckets = scopes.size > 0 ? await scopeBuckets(backends) : new Map<unknown, number>();
  return (entryKey) => {
    const knownScope = scopes.get(entryKey)?.find((scope) => buckets.has(scope));
    return buckets.get(knownScope) ?? bucketOf(entryKey);
  };
}

/** The hashes that spending uses for the sums of servers, and of members without a server. */
async function scopeBuckets(backends: readonly Backend[]): Promise<Map<unknown, number>> {
  const names = new Map<string, string>();
  for (const backend of backends)
    for (const name of ['ledger', 'budgets'] as const)
      for await (const { text } of rowsIn(backend, namespaceNameOf(name))) {
        const row = valueIn(text);
        if (!isRecord(row)) continue;
        if (typeof row.guildId === 'string') names.set(`server ${row.guildId}`, row.guildId);
        if (typeof row.memberId === 'string') names.set(`direct ${row.memberId}`, row.memberId);
      }
  const [first] = backends;
  const { secret = '' } = (first && (await hashSecretMark(openNamespaces(first).meta).read())) ?? {};
  return new Map([...names].map(([name, home]) => [hashedName(name, secret), bucketOf(home)]));
}
