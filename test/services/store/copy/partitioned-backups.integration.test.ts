import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kindSpecs } from '../../../../src/commands/index.ts';
import { backUpStore } from '../../../../src/services/store/copy/back-up.ts';
import { openBackup } from '../../../../src/services/store/copy/backup-file.ts';
import { restoreStore } from '../../../../src/services/store/copy/restore.ts';
import { namespaceNames } from '../../../../src/services/store/namespaces.ts';
import { bucketOf, type Partition, partitionOf } from '../../../../src/services/tasks/homes.ts';
import { fillEveryNamespace } from '../every-namespace.ts';
import { openCluster, populatePartitions, rowsOf } from '../partitioned.ts';
import { onServers, onStores, type TestStore } from '../sites.ts';
import { createTemporaryFolder } from '../store-fixture.ts';

const PARTITION_COUNT = 4;
/** A partition in which nothing was stored. */
const UNUSED_PARTITION = 3;

const GUILDS = Array.from({ length: 12 }, (_, index) => `4000000000000000${10 + index}`);
const guildsOf = ({ number, count }: Partition): string[] =>
  GUILDS.filter((id) => partitionOf(bucketOf(id), count) === number);

const newFile = (): string => join(createTemporaryFolder(), 'copy.backup');

async function backUp({ url, scheme, log, clock }: TestStore): Promise<string> {
  const file = newFile();
  await backUpStore({ url, scheme }, file, { log, clock, by: '1.2.3' });
  return file;
}

const partsFor = ({ log, clock }: TestStore) => ({ log, clock, specs: kindSpecs, botVersion: '1.2.3' });

async function restoreFile(testStore: TestStore, file: string) {
  const backup = await openBackup(file, undefined);
  try {
    return await restoreStore(backup, { url: testStore.url, scheme: testStore.scheme }, partsFor(testStore));
  } finally {
    backup.close();
  }
}

/** The keys of the rows, with their partitions. Contents are left out, because a restore changes live tasks and reservations. */
const rowKeysOf = async (testStore: TestStore): Promise<string[]> =>
  (await rowsOf(testStore, PARTITION_COUNT))
    .filter(({ namespace }) => namespace !== 'proposals' && namespace !== 'sent')
    .map(({ partition, namespace, key }) => `${partition} ${namespace} ${key}`);

describe('A backup of a partitioned store', () =>
  onServers((createTestStore) =>
    onStores(['sqlite'], (createFileStore) => {
      it('A backup of a partitioned store that workers use is restored into as many partitions, and nothing is sent', async () => {
        const [source, target] = [await createTestStore(), await createTestStore()];
        await populatePartitions(source, PARTITION_COUNT, async (store, partition) => {
          if (partition.number !== UNUSED_PARTITION) await fillEveryNamespace(store, partition, guildsOf(partition));
        });
        const cluster = await openCluster(source, PARTITION_COUNT);
        const worker = await cluster.open(0);
        const file = await backUp(source);
        await worker.close();

        const backup = await openBackup(file, undefined);
        expect(backup.facts.partitions).toBe(PARTITION_COUNT);
        expect(Object.keys(backup.facts.sums)).toEqual([...namespaceNames].sort());
        async function* failingRows() {
          yield* backup.rows();
          throw new Error('no power');
        }
        const failing = Object.create(backup, { rows: { value: failingRows } });
        await expect(restoreStore(failing, target, partsFor(target))).rejects.toThrow('no power');
        backup.close();
        await expect(openCluster(target, PARTITION_COUNT).then((opened) => opened.open(1))).rejects.toMatchObject({
          message: expect.stringContaining('npm run restore'),
        });

        const { live, unconfirmed, examination } = await restoreFile(target, file);
        expect(live).toBeGreaterThan(0);
        expect(unconfirmed).toBeLessThanOrEqual(live);
        // The test's rows include sent orders of tasks that have ended.
        expect(new Set(examination.findings.map(({ kind }) => kind))).toEqual(new Set(['orphaned-order']));
        expect(await rowKeysOf(target)).toEqual(await rowKeysOf(source));
        const restoredCluster = await openCluster(target, PARTITION_COUNT);
        expect(restoredCluster.count).toBe(PARTITION_COUNT);
        const store = await restoredCluster.open(1);
        for (const task of await store.live()) expect(task.restored).toBeDefined();
        await store.close();
      });

      it('A backup of a partitioned store is not restored to a file, nor to a store with another number of partitions', async () => {
        const [source, fileStore, other] = [await createTestStore(), await createFileStore(), await createTestStore()];
        await populatePartitions(source, PARTITION_COUNT, (store, partition) =>
          fillEveryNamespace(store, partition, guildsOf(partition)),
        );
        await populatePartitions(other, 2, async () => undefined);
        const copy = await backUp(source);
        await expect(restoreFile(fileStore, copy)).rejects.toMatchObject({ kind: 'unsupported' });
        await expect(restoreFile(other, copy)).rejects.toMatchObject({
          kind: 'unsupported',
          message: expect.stringContaining('4 partitions would be needed'),
        });
      });
    }),
  ));
