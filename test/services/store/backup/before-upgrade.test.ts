import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { kindSpecs } from '../../../../src/commands/index.ts';
import { checkBackup, openBackup, openStore } from '../../../../src/services/store/index.ts';
import { TASK_VERSION } from '../../../../src/services/tasks/task.ts';
import { leave, onServers, onStores, type Site } from '../sites.ts';
import { folder, makeTask, stage as openStage, START, settled, sql } from '../stage.ts';

/** A store as an older version left it. */
const age = (site: Site, version = TASK_VERSION - 1): Promise<void> =>
  site.rewrite(({ key, text }) =>
    key === 'schema'
      ? text.replace(/"task":\d+/, `"task":${version}`)
      : text.replaceAll(/"version":\d+/g, `"version":${version}`),
  );

const schemaOf = async (site: Site): Promise<string | undefined> =>
  (await site.rows('meta')).find(({ key }) => key === 'schema')?.text;

async function olderSite(stage: () => Promise<Site>): Promise<Site> {
  const site = await stage();
  await leave(site, (store) => store.put(settled(makeTask())));
  await age(site);
  return site;
}

describe('A store whose schema an upgrade changes', () => {
  onStores(['sqlite'], (stage) => {
    const backupsOf = ({ url }: Site): string[] =>
      readdirSync(join(url.replace('sqlite://', ''), '..')).filter((name) => name.endsWith('.backup'));

    it('A store whose schema an upgrade changes is first backed up next to its file, and each backup is kept', async () => {
      const site = await olderSite(stage);
      const before = await site.rows();
      await (await site.open({ botVersion: '2.0.0' })).close();
      expect(await schemaOf(site)).toContain(`"task":${TASK_VERSION}`);
      const name = `atelier.sqlite.schema-1.${TASK_VERSION - 1}`;
      expect(backupsOf(site)).toEqual([`${name}.backup`]);
      const backup = await openBackup(join(site.url.replace('sqlite://', ''), '..', `${name}.backup`), undefined);
      onTestFinished(() => backup.close());
      expect(await checkBackup(backup)).toMatchObject({ rows: before.length, schema: { task: TASK_VERSION - 1 } });
      expect(site.logged.join()).toContain('a backup of it was taken before');
      await (await site.open({ botVersion: '2.0.0' })).close();
      expect(backupsOf(site)).toHaveLength(1);
      await age(site);
      await (await site.open({ botVersion: '2.0.0' })).close();
      expect(backupsOf(site).toSorted()).toEqual([`${name}-2.backup`, `${name}.backup`]);
    });

    it('The backup before an upgrade is encrypted with BACKUP_PASSPHRASE', async () => {
      const { url, scheme, log, clock, ...site } = await olderSite(stage);
      const parts = { specs: kindSpecs, log, clock, botVersion: '2.0.0', backupPassphrase: 'four words unknown here' };
      await (await openStore({ url, scheme }, parts)).close();
      const [name = ''] = backupsOf({ ...site, url, scheme, log, clock });
      await expect(openBackup(join(url.replace('sqlite://', ''), '..', name), undefined)).rejects.toThrow(
        'is encrypted',
      );
    });

    it.skipIf(process.getuid?.() !== 0)(
      'Without room for the backup the bot does not start, and nothing is changed (left out without the rights to mount a disk)',
      async () => {
        const disk = join(folder(), 'disk');
        mkdirSync(disk);
        execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', disk]);
        onTestFinished(() => void execFileSync('umount', [disk]));
        const { file, open } = openStage(join(disk, 'atelier.sqlite'));
        const store = await open();
        for (let at = 0; at < 10; at++)
          await store.put(
            settled(makeTask({ times: { created: START + at }, text: randomBytes(15_000).toString('base64') })),
          );
        await store.close();
        sql(
          file,
          `UPDATE atelier SET value = replace(value, '"task":${TASK_VERSION}', '"task":1') WHERE key = 'schema'`,
        );
        // Room for opening the store, but not for its backup.
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

  onServers((stage) => {
    it('A store on a server whose schema an upgrade changes waits for --migrate, and says how to back it up', async () => {
      const site = await olderSite(stage);
      const before = await site.rows();
      await expect(site.open({ botVersion: '2.0.0' })).rejects.toMatchObject({
        kind: 'older',
        message: expect.stringMatching(/npm run backup -- <file>.*npm start -- --migrate/),
      });
      expect(await site.rows()).toEqual(before);
      const { url, scheme, log, clock } = site;
      const store = await openStore(
        { url, scheme },
        { specs: kindSpecs, log, clock, botVersion: '2.0.0', mayMigrate: true },
      );
      expect(await schemaOf(site)).toContain(`"task":${TASK_VERSION}`);
      await store.close();
      await (await site.open({ botVersion: '2.0.0' })).close();
    });
  });
});
