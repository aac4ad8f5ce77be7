import { isRecord } from '../../../lib/exact-json.ts';
import { bucketOf, partitionOf } from '../../tasks/homes.ts';
import { bucketIn, isTaskId } from '../../tasks/task-id.ts';
import type { Backend } from '../backend.ts';
import { type NamespaceKey, namespaceKeys, namespaceNameOf, valueIn } from '../namespaces.ts';
import { rowsIn } from '../raw-rows.ts';
import { taskIdIn } from '../summary-index.ts';

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

/** Namespaces whose rows belong to one partition each: that of their task, or of their server. */
export const rowBuckets = {
  live: bucketByTaskId,
  finished: bucketByTaskId,
  sent: bucketByTaskId,
  index: ({ key }) => bucketOfTask(taskIdIn(key)),
  remotes: bucketByIdField,
  fingerprints: bucketByTaskId,
  proposals: bucketByIdField,
  drafts: bucketByIdField,
  /** An entry that lost its member lost its task's id as well, and so has no bucket. */
  ledger: ({ key }) => bucketOfTask(key.slice(key.indexOf(':') + 1)),
  budgets: bucketByServer,
  rules: bucketByServer,
  serverLogs: bucketByServer,
  // A report's buttons are handled in the partition of its id.
  reports: (row) => bucketByIdField(row) ?? bucketByServer(row),
} as const satisfies Partial<Record<NamespaceKey, BucketOfRow>>;

export type BucketedNamespace = keyof typeof rowBuckets;

const bucketedNamespaces = namespaceKeys.filter((name): name is BucketedNamespace => name in rowBuckets);

/** A row in a partition in which it does not belong. */
export interface Stray {
  namespace: string;
  key: string;
  /** The partition that has it, and the one in which it belongs. */
  partition: number;
  rightPartition: number;
}

export async function* findStrays(partitions: readonly Backend[]): AsyncGenerator<Stray> {
  for (const [partition, backend] of partitions.entries())
    for (const name of bucketedNamespaces) {
      const namespace = namespaceNameOf(name);
      for await (const [key, text] of rowsIn(backend, namespace)) {
        const bucket = rowBuckets[name]({ key, value: valueIn(text) });
        if (bucket === undefined) continue;
        const rightPartition = partitionOf(bucket, partitions.length);
        if (rightPartition !== partition) yield { namespace, key, partition, rightPartition };
      }
    }
}
