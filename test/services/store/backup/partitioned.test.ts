import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kindSpecs } from '../../../../src/commands/index.ts';
import { backUpStore, checkBackup, openBackup, restoreStore } from '../../../../src/services/store/index.ts';
import { namespaceNames } from '../../../../src/services/store/namespaces.ts';
import { bucketOf, type Partition, partitionOf } from '../../../../src/services/tasks/homes.ts';
import { fillEveryNamespace } from '../every-namespace.ts';
import { leavePartitions, openCluster, rowsOf } from '../partitioned.ts';
import { onServers, onStores, type Site } from '../sites.ts';
import { folder } from '../stage.ts';

const PARTITIONS = 4;
/** Nothing was stored there. */
const UNUSED = 3;
const PASSPHRASE = 'four words unknown here';

const GUILDS = Array.from({ length: 12 }, (_, at) => `4000000000000000${10 + at}`);
const guildsOf = ({ number, count }: Partition): string[] =>
  GUILDS.filter((id) => partitionOf(bucketOf(id), count) === number);

const newFile = (): string => join(folder(), 'copy.backup');

async function taken({ url, scheme, log, clock }: Site): Promise<string> {
  const file = newFile();
  await backUpStore({ url, scheme }, file, { log, clock, by: '1.2.3', passphrase: PASSPHRASE });
  return file;
}

const partsFor = ({ log, clock }: Site) => ({ log, clock, specs: kindSpecs, botVersion: '1.2.3' });

async function restored(site: Site, file: string) {
  const backup = await openBackup(file, PASSPHRASE);
  try {
    return await restoreStore(backup, { url: site.url, scheme: site.scheme }, partsFor(site));
  } finally {
    await backup.close();
  }
}

/** The rows that are kept, by their partition. Of live tasks and what they reserved, a restore changes the content. */
const namesOf = async (site: Site): Promise<string[]> =>
  (await rowsOf(site, PARTITIONS))
    .filter(({ namespace }) => namespace !== 'proposals' && namespace !== 'sent')
    .map(({ partition, namespace, key }) => `${partition} ${namespace} ${key}`);

describe('A backup of a partitioned store', () =>
  onServers((stage) =>
    onStores(['sqlite'], (fileStage) => {
      it('A backup of a partitioned store that workers use is restored into as many partitions, and nothing is sent', async () => {
        const [from, to] = [await stage(), await stage()];
        await leavePartitions(from, PARTITIONS, async (store, partition) => {
          if (partition.number !== UNUSED) await fillEveryNamespace(store, partition, guildsOf(partition));
        });
        const cluster = await openCluster(from, PARTITIONS);
        const worker = await cluster.open(0);
        const file = await taken(from);
        await worker.close();

        const backup = await openBackup(file, PASSPHRASE);
        const { partitions, counts } = await checkBackup(backup);
        expect(partitions).toBe(PARTITIONS);
        expect([...counts.keys()].sort()).toEqual([...namespaceNames].sort());
        async function* cutShort() {
          yield* backup.rows();
          throw new Error('no power');
        }
        const { digest, header, close } = backup;
        const interrupted = restoreStore({ file, digest, header, rows: cutShort, close }, to, partsFor(to));
        await expect(interrupted).rejects.toThrow('no power');
        await backup.close();
        await expect(openCluster(to, PARTITIONS).then((opened) => opened.open(1))).rejects.toMatchObject({
          message: expect.stringContaining('npm run restore'),
        });

        const { live, unconfirmed, examination } = await restored(to, file);
        expect(live).toBeGreaterThan(0);
        expect(unconfirmed).toBeLessThanOrEqual(live);
        // The rows of the test have orders of tasks that have ended.
        expect(new Set(examination.findings.map(({ kind }) => kind))).toEqual(new Set(['order-astray']));
        expect(await namesOf(to)).toEqual(await namesOf(from));
        const again = await openCluster(to, PARTITIONS);
        expect(again.count).toBe(PARTITIONS);
        const store = await again.open(1);
        for (const task of await store.live()) expect(task.restored).toBeDefined();
        await store.close();
      });

      it('A backup of a partitioned store is not restored to a file, nor to a store with another number of partitions', async () => {
        const [from, file, other] = [await stage(), await fileStage(), await stage()];
        await leavePartitions(from, PARTITIONS, (store, partition) =>
          fillEveryNamespace(store, partition, guildsOf(partition)),
        );
        await leavePartitions(other, 2, async () => undefined);
        const copy = await taken(from);
        await expect(restored(file, copy)).rejects.toMatchObject({ kind: 'unsupported' });
        await expect(restored(other, copy)).rejects.toMatchObject({
          kind: 'unsupported',
          message: expect.stringContaining('4 partitions would be needed'),
        });
      });
    }),
  ));
