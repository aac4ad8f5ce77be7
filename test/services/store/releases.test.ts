import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { kindSpecs } from '../../../src/commands/index.ts';
import { checkBackup, openBackup, openStore, restoreStore, schemaName } from '../../../src/services/store/index.ts';
import { presentSchema } from '../../../src/services/store/marks.ts';
import { storeInfo, writeOldStore } from '../../support/old-store.ts';
import { createStoreFixture, createTemporaryFolder, type StoreFixture } from './store-fixture.ts';

const upgradingDoc = readFileSync('docs/upgrading.md', 'utf8');
const releases = [...upgradingDoc.matchAll(/^\| (\d+\.\d+\.\d+) \| (\d+\.\d+) \|$/gm)].map(
  ([, version = '', schema = '']) => [version, schema] as const,
);

/** The store of this release is kept row by row; later releases have a backup that they wrote, `releases/<version>.backup`. */
const FIRST_RELEASE = '0.1.0';
const backupOf = (version: string): string => fileURLToPath(new URL(`releases/${version}.backup`, import.meta.url));

const locationOf = (file: string) => ({ url: `sqlite://${file}`, scheme: 'sqlite' });

async function restore(backupFile: string, { clock, log }: StoreFixture): Promise<string> {
  const backup = await openBackup(backupFile, undefined);
  onTestFinished(() => backup.close());
  await checkBackup(backup);
  const file = join(createTemporaryFolder(), 'restored.sqlite');
  await restoreStore(backup, locationOf(file), { clock, log, specs: kindSpecs, botVersion: '9.9.9' });
  return file;
}

async function countRows(file: string, { clock, log }: StoreFixture) {
  const store = await openStore(locationOf(file), { clock, log, specs: kindSpecs, botVersion: '9.9.9' });
  const live = (await store.live()).length;
  let entries = 0;
  for await (const _ of store.entries.readRange('', '9999-12-31')) entries += 1;
  await store.close();
  return { live, entries };
}

describe('The store of a release', () => {
  it('docs/upgrading.md names the first release and the current schema', () => {
    expect(releases.map(([version]) => version)).toContain(FIRST_RELEASE);
    expect(upgradingDoc).toContain(`| ${schemaName(presentSchema)} |`);
  });

  it.each(releases)(
    'The store of release %s, with schema %s, is upgraded, and so is its backup',
    async (version, schema) => {
      const fixture = createStoreFixture();
      fixture.clock.advance(storeInfo.at - fixture.clock.now());
      if (version !== FIRST_RELEASE) {
        const backup = await openBackup(backupOf(version), undefined);
        onTestFinished(() => backup.close());
        expect(schemaName((await checkBackup(backup)).schema)).toBe(schema);
        expect((await countRows(await restore(backupOf(version), fixture), fixture)).live).toBeGreaterThan(0);
        return;
      }
      writeOldStore(fixture.file);
      const upgradedCounts = await countRows(fixture.file, fixture);
      expect(upgradedCounts.live).toBeGreaterThan(20);
      const backupFile = `${fixture.file}.schema-${schema}.backup`;
      expect(existsSync(backupFile)).toBe(true);
      expect(await countRows(await restore(backupFile, fixture), fixture)).toEqual(upgradedCounts);
    },
  );
});
