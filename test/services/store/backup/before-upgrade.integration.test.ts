import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { kindSpecs } from '../../../../src/commands/index.ts';
import { checkBackup, openBackup, openStore } from '../../../../src/services/store/index.ts';
import { TASK_VERSION } from '../../../../src/services/tasks/task.ts';
import { onServers, onStores, populateStore, type TestStore } from '../sites.ts';
import {
  createTemporaryFolder,
  makeTask,
  createStoreFixture as openFixture,
  START,
  settled,
  sql,
} from '../store-fixture.ts';

/** Rewrites a store as an older version would have left it. */
const rewriteAsOlder = (testStore: TestStore, version = TASK_VERSION - 1): Promise<void> =>
  testStore.rewrite(({ key, text }) =>
    key === 'schema'
      ? text.replace(/"task":\d+/, `"task":${version}`)
      : text.replaceAll(/"version":\d+/g, `"version":${version}`),
  );

const schemaOf = async (testStore: TestStore): Promise<string | undefined> =>
  (await testStore.rows('meta')).find(({ key }) => key === 'schema')?.text;

async function createOlderStore(createTestStore: () => Promise<TestStore>): Promise<TestStore> {
  const testStore = await createTestStore();
  await populateStore(testStore, (store) => store.put(settled(makeTask())));
  await rewriteAsOlder(testStore);
  return testStore;
}

describe('A store whose schema an upgrade changes', () => {
  onStores(['sqlite'], (createTestStore) => {
    const backupsOf = ({ url }: TestStore): string[] =>
      readdirSync(join(url.replace('sqlite://', ''), '..')).filter((name) => name.endsWith('.backup'));

    it('A store whose schema an upgrade changes is first backed up next to its file, and each backup is kept', async () => {
      const testStore = await createOlderStore(createTestStore);
      const rowsBefore = await testStore.rows();
      await (await testStore.open({ botVersion: '2.0.0' })).close();
      expect(await schemaOf(testStore)).toContain(`"task":${TASK_VERSION}`);
      const name = `atelier.sqlite.schema-1.${TASK_VERSION - 1}`;
      expect(backupsOf(testStore)).toEqual([`${name}.backup`]);
      const backup = await openBackup(join(testStore.url.replace('sqlite://', ''), '..', `${name}.backup`), undefined);
      onTestFinished(() => backup.close());
      expect(await checkBackup(backup)).toMatchObject({ rows: rowsBefore.length, schema: { task: TASK_VERSION - 1 } });
      expect(testStore.logged.join()).toContain('a backup was taken first');
      await (await testStore.open({ botVersion: '2.0.0' })).close();
      expect(backupsOf(testStore)).toHaveLength(1);
      await rewriteAsOlder(testStore);
      await (await testStore.open({ botVersion: '2.0.0' })).close();
      expect(backupsOf(testStore).toSorted()).toEqual([`${name}-2.backup`, `${name}.backup`]);
    });

    it('The backup before an upgrade is encrypted with BACKUP_PASSPHRASE', async () => {
      const { url, scheme, log, clock, ...testStore } = await createOlderStore(createTestStore);
      const parts = { specs: kindSpecs, log, clock, botVersion: '2.0.0', backupPassphrase: 'four words unknown here' };
      await (await openStore({ url, scheme }, parts)).close();
      const [name = ''] = backupsOf({ ...testStore, url, scheme, log, clock });
      await expect(openBackup(join(url.replace('sqlite://', ''), '..', name), undefined)).rejects.toThrow(
        'is encrypted',
      );
    });

    it.skipIf(process.getuid?.() !== 0)(
      'Without disk space for the backup, the bot does not start, and nothing is changed (skipped without permission to mount a disk)',
      async () => {
        const disk = join(createTemporaryFolder(), 'disk');
        mkdirSync(disk);
        execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', disk]);
        onTestFinished(() => void execFileSync('umount', [disk]));
        const { file, open } = openFixture(join(disk, 'atelier.sqlite'));
        const store = await open();
        for (let index = 0; index < 10; index++)
          await store.put(
            settled(makeTask({ times: { created: START + index }, text: randomBytes(15_000).toString('base64') })),
          );
        await store.close();
        sql(
          file,
          `UPDATE atelier SET value = replace(value, '"task":${TASK_VERSION}', '"task":1') WHERE key = 'schema'`,
        );
        // Leaves enough space to open the store, but not to back it up.
        const { bavail, bsize } = statfsSync(disk);
        writeFileSync(join(disk, 'ballast'), Buffer.alloc(bavail * bsize - 100 * 1024));
        await expect(open()).rejects.toMatchObject({
          kind: 'full',
          message: expect.stringMatching(
            /the backup before its upgrade failed\. Nothing was changed\. The disk is full/,
          ),
        });
        expect(sql(file, "SELECT value FROM atelier WHERE key = 'schema'")[0]?.value).toContain('"task":1');
        expect(readdirSync(disk).filter((name) => name.includes('.backup'))).toEqual([]);
      },
    );
  });

  onServers((createTestStore) => {
    it('A store on a server whose schema an upgrade changes is only opened with --migrate, and the error says how to back it up', async () => {
      const testStore = await createOlderStore(createTestStore);
      const rowsBefore = await testStore.rows();
      await expect(testStore.open({ botVersion: '2.0.0' })).rejects.toMatchObject({
        kind: 'older',
        message: expect.stringMatching(/npm run backup -- <file>.*npm start -- --migrate/),
      });
      expect(await testStore.rows()).toEqual(rowsBefore);
      const { url, scheme, log, clock } = testStore;
      const store = await openStore(
        { url, scheme },
        { specs: kindSpecs, log, clock, botVersion: '2.0.0', mayMigrate: true },
      );
      expect(await schemaOf(testStore)).toContain(`"task":${TASK_VERSION}`);
      await store.close();
      await (await testStore.open({ botVersion: '2.0.0' })).close();
    });
  });
});
