import { isRecord } from '../../../lib/exact-json.ts';
import { bucketOf, partitionOf } from '../../tasks/homes.ts';
import { bucketIn, isTaskId } from '../../tasks/task-id.ts';
import type { Backend } from '../backend.ts';
import { type NamespaceKey, namespaceKeys, namespaceNameOf, valueIn } from '../namespaces.ts';
import { rowsIn } from '../raw-rows.ts';

/** The bucket that a row belongs to; undefined if any partition may have it. */
type BucketOfRow = (row: { key: string; value: unknown }) => number | undefined;

export const bucketOfTask = (id: string): number | undefined => (isTaskId(id) ? bucketIn(id) : undefined);

const textIn = (value: unknown, name: string): string | undefined => {
  const field = isRecord(value) ? value[name] : undefined;
  return typeof field === 'string' ? field : undefined;
};

const ofTask: BucketOfRow = ({ key }) => bucketOfTask(key);
const ofNamedTask: BucketOfRow = ({ value }) => bucketOfTask(textIn(value, 'id') ?? '');
const ofServer: BucketOfRow = ({ value }) => {
  const guildId = textIn(value, 'guildId');
  return guildId === undefined ? undefined : bucketOf(guildId);
};

/** Namespaces whose rows belong to one partition each: that of their task, or of their server. */
export const rowHomes = {
  live: ofTask,
  finished: ofTask,
  sent: ofTask,
  remotes: ofNamedTask,
  fingerprints: ofTask,
  proposals: ofTask,
  /** An entry that lost its member lost its task's id as well. */
  ledger: ({ key }) => bucketOfTask(key.slice(key.indexOf(':') + 1)),
  budgets: ofServer,
  rules: ofServer,
  serverLogs: ofServer,
  // Its buttons are answered in the partition of its id.
  reports: (row) => ofNamedTask(row) ?? ofServer(row),
} as const satisfies Partial<Record<NamespaceKey, BucketOfRow>>;

export type HomedNamespace = keyof typeof rowHomes;

const homed = namespaceKeys.filter((name): name is HomedNamespace => name in rowHomes);

/** A row in a partition in which it does not belong. */
export interface Stray {
  namespace: string;
  key: string;
  /** The partition that has it, and the one in which it belongs. */
  at: number;
  home: number;
}

export async function* findStrays(partitions: readonly Backend[]): AsyncGenerator<Stray> {
  for (const [at, backend] of partitions.entries())
    for (const name of homed) {
      const namespace = namespaceNameOf(name);
      for await (const [key, text] of rowsIn(backend, namespace)) {
        const bucket = rowHomes[name]({ key, value: valueIn(text) });
        if (bucket === undefined) continue;
        const home = partitionOf(bucket, partitions.length);
        if (home !== at) yield { namespace, key, at, home };
      }
    }
}
