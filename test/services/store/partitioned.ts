import { onTestFinished } from 'vitest';
import { kindSpecs } from '../../../src/commands/index.ts';
import { nameHolder } from '../../../src/services/store/holder.ts';
import { namespaceNames } from '../../../src/services/store/namespaces.ts';
import { openPartitions, type Partitions } from '../../../src/services/store/partitions.ts';
import { writeRows } from '../../../src/services/store/rows/raw-rows.ts';
import { openWhole } from '../../../src/services/store/rows/whole-store.ts';
import type { StoredTasks } from '../../../src/services/store/stored-tasks.ts';
import type { Partition } from '../../../src/services/tasks/homes.ts';
import { bucketWithin } from '../../../src/services/tasks/homes.ts';
import { createTaskId } from '../../../src/services/tasks/task-id.ts';
import { LONG_LEASE_MS, type TestStore } from './sites.ts';
import { eagerClock } from './standing.ts';
import { START } from './store-fixture.ts';

/** Opens the store as the workers of a cluster do. */
export async function openCluster({ url, scheme, log, clock }: TestStore, partitions: number): Promise<Partitions> {
  const lease = { leaseMs: LONG_LEASE_MS, leaseClock: eagerClock };
  const parts = { specs: kindSpecs, log, clock, partitions, holder: nameHolder(), ...lease };
  const cluster = await openPartitions({ url, scheme }, parts);
  onTestFinished(() => cluster.close());
  return cluster;
}

/** Fills every partition through a worker's store, which is closed afterwards. */
export async function populatePartitions(
  testStore: TestStore,
  count: number,
  work: (store: StoredTasks, partition: Partition) => Promise<void>,
): Promise<void> {
  const cluster = await openCluster(testStore, count);
  for (let number = 0; number < count; number++) {
    const store = await cluster.open(number);
    await work(store, { number, count });
    await store.close();
  }
  await cluster.close();
}

export interface PartitionRow {
  partition: number;
  namespace: string;
  key: string;
  text: string;
}

/** Every row of every partition, except the marks of a move or a restore. */
export async function rowsOf(testStore: TestStore, count: number): Promise<PartitionRow[]> {
  const { url, scheme, log, clock } = testStore;
  const store = await openWhole({ url, scheme }, { log, clock, leaseMs: LONG_LEASE_MS, create: false, count });
  const rows: PartitionRow[] = [];
  try {
    for (const [partition, { backend }] of (store?.partitions ?? []).entries())
      for await (const row of backend.everyRow(namespaceNames))
        if (row.namespace !== 'meta' || row.key !== 'moving') rows.push({ partition, ...row });
  } finally {
    await store?.close();
  }
  return rows.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

const nameOf = ({ partition, namespace, key }: PartitionRow): string => `${partition} ${namespace} ${key}`;

/** Writes rows directly, without the checks of a worker. */
export async function writeTo({ url, scheme, log, clock }: TestStore, ...rows: readonly PartitionRow[]): Promise<void> {
  const store = await openWhole({ url, scheme }, { log, clock, leaseMs: LONG_LEASE_MS, create: false });
  try {
    for (const { partition, ...row } of rows) {
      const backend = store?.partitions[partition]?.backend;
      if (!backend) throw new Error(`There is no partition ${partition}.`);
      await writeRows(backend, [row]);
    }
  } finally {
    await store?.close();
  }
}

/** The id of a task that belongs to a server and is in this partition. */
export const idIn = (partition: Partition, home = 'den', at = START): string =>
  createTaskId(at, bucketWithin(home, partition));
