import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { onOneServer, onStores, populateStore, type TestStore } from '../services/store/sites.ts';
import { createTemporaryFolder, makeTask, START, settled } from '../services/store/store-fixture.ts';
import { runScriptHere } from '../support/run-script-here.ts';
import { shippedArgs } from '../support/shipped.ts';
import { itVariants } from '../support/variants.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A module that simulates that the packages for store servers are not installed. */
const WITHOUT_PACKAGES = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(name, context, next) {
      if (!['@redis/client', 'pg'].includes(name)) return next(name, context);
      throw Object.assign(new Error('Cannot find package ' + name), { code: 'ERR_MODULE_NOT_FOUND' });
    },
  });
`)}`;

interface ScriptOptions {
  args?: string[];
  settings?: Record<string, string>;
  imports?: string[];
}

/** Runs a shipped script as a separate process. */
function runScript(entry: string, { args = [], settings = {}, imports = [] }: ScriptOptions) {
  return new Promise<{ code: number; output: string }>((resolve) => {
    const env = { PATH: process.env.PATH ?? '', ...settings };
    const child = execFile(
      process.execPath,
      [...shippedArgs(entry, ...imports), ...args],
      { cwd: root, env },
      (_error, stdout, stderr) => {
        resolve({ code: child.exitCode ?? -1, output: stdout + stderr });
      },
    );
  });
}

const migrate = (...args: string[]) => runScriptHere('scripts/migrate-store.ts', { args });
const migrateFromEnvironment = (source: string, target: string, ...args: string[]) =>
  runScriptHere('scripts/migrate-store.ts', { args, settings: { MIGRATE_FROM: source, MIGRATE_TO: target } });
const doctor = (store: string, ...args: string[]) =>
  runScriptHere('scripts/doctor.ts', { args, settings: { STORE_URL: store } });

async function fillStore(testStore: TestStore): Promise<void> {
  await populateStore(testStore, async (store) => {
    for (let index = 0; index < 30; index++) await store.put(settled(makeTask({ times: { created: START + index } })));
    await store.put(makeTask({ request: { prompt: 'what ann wrote' } }));
  });
}

describe('npm run migrate-store', () => {
  // What is moved to each kind of store is proven where it is copied.
  onOneServer((createStore) =>
    onStores(['sqlite'], (createFileStore) => {
      it('npm run migrate-store counts, moves and compares the entries, and prints neither passwords nor members’ text', async () => {
        const [source, target] = [await createFileStore(), await createStore()];
        await fillStore(source);
        const countRun = await migrate(source.url, target.url, '--dry-run');
        expect(countRun).toMatchObject({ code: 0, output: expect.stringMatching(/^finished +30 /m) });
        expect(await target.rows()).toEqual([]);

        const migration = await runScript('scripts/migrate-store.ts', { args: [source.url, target.url] });
        expect(migration.output).toMatch(/^finished +30 rows, checksum \w+; in TO the same$/m);
        expect(migration).toMatchObject({ code: 0, output: expect.stringContaining('Migration complete.') });
        const secondMigration = await migrate(source.url, target.url);
        expect(secondMigration.code).toBe(0);

        const store = await target.open();
        const refusedMigration = await runScript('scripts/migrate-store.ts', { args: [source.url, target.url] });
        expect(refusedMigration).toMatchObject({
          code: 75,
          output: expect.stringContaining('Another Atelier is using the store'),
        });
        await store.put(makeTask({ times: { created: START + 99 } }));
        await store.close();
        expect(await migrate(source.url, target.url)).toMatchObject({
          code: 1,
          output: expect.stringContaining('DIFFERENT'),
        });
        const everything = [countRun, migration, secondMigration, refusedMigration].map(({ output }) => output).join();
        expect(everything).not.toContain(new URL(target.url).password);
        expect(everything).not.toContain('what ann wrote');
      });
    }),
  );

  onStores(['sqlite'], (createStore) => {
    it('npm run migrate-store also reads its URLs from the environment, where process lists do not show passwords', {
      tags: ['breadth'],
    }, async () => {
      const [source, target] = [await createStore(), await createStore()];
      await fillStore(source);
      const migration = await migrateFromEnvironment(source.url, target.url);
      expect(migration).toMatchObject({ code: 0, output: expect.stringContaining('Migration complete.') });
      const withArguments = await migrateFromEnvironment(
        'sqlite://no/such/store',
        'sqlite://neither',
        source.url,
        target.url,
      );
      expect(withArguments.code).toBe(0);
    });
  });

  onStores(['sqlite'], (createStore) => {
    it('npm run migrate-store also reads its URLs from files', { tags: ['breadth'] }, async () => {
      const [source, target] = [await createStore(), await createStore()];
      await fillStore(source);
      const folder = mkdtempSync(join(tmpdir(), 'atelier-secrets-'));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const files = { MIGRATE_FROM_FILE: join(folder, 'from'), MIGRATE_TO_FILE: join(folder, 'to') };
      writeFileSync(files.MIGRATE_FROM_FILE, `${source.url}\n`);
      writeFileSync(files.MIGRATE_TO_FILE, `${target.url}\n`);
      const migration = await runScriptHere('scripts/migrate-store.ts', { settings: files });
      expect(migration).toMatchObject({ code: 0, output: expect.stringContaining('Migration complete.') });
      const invalidSettings = {
        MIGRATE_FROM_FILE: folder,
        MIGRATE_TO_FILE: files.MIGRATE_TO_FILE,
        MIGRATE_TO: target.url,
      };
      expect(await runScriptHere('scripts/migrate-store.ts', { settings: invalidSettings })).toEqual({
        code: 78,
        output:
          'MIGRATE_FROM_FILE should be the path of a regular file.\nMIGRATE_TO_FILE and MIGRATE_TO are both set: remove one of them.\n',
      });
    });
  });

  it('npm run migrate-store explains how to keep a password out of its arguments if one is given', {
    tags: ['breadth'],
  }, async () => {
    const secret = 'redis://:a-secret@127.0.0.1:1';
    const warning = 'MIGRATE_FROM and MIGRATE_TO instead';
    const refusedMigration = await migrate('sqlite://no/such/store', secret);
    expect([
      refusedMigration.code,
      refusedMigration.output.includes(warning),
      refusedMigration.output.includes('a-secret'),
    ]).toEqual([78, true, false]);
    for (const output of [
      (await migrateFromEnvironment('sqlite://no/such/store', secret)).output,
      (await migrate('sqlite://no/such/store', 'redis://127.0.0.1:1')).output,
    ])
      expect([output.includes('There is no store at'), output.includes(warning)]).toEqual([true, false]);
  });

  it('npm run migrate-store says without a stack trace that a store cannot be reached', async () => {
    const settings = { MIGRATE_FROM: 'postgres://a@127.0.0.1:1/b', MIGRATE_TO: 'sqlite://unused.sqlite' };
    const { code, output } = await runScript('scripts/migrate-store.ts', { settings });
    expect(code).toBe(75);
    expect(output).toContain('cannot be reached');
    expect(output).not.toContain('    at ');
  });

  it('npm run migrate-store prints its usage', { tags: ['breadth'] }, async () => {
    const { code, output } = await migrate('--help');
    expect([code, output.includes('MIGRATE_FROM'), output.includes('--dry-run')]).toEqual([0, true, true]);
  });

  it('npm run migrate-store explains an invalid argument in one sentence', { tags: ['breadth'] }, async () => {
    for (const args of [
      [],
      ['sqlite://a'],
      ['sqlite://a', 'mysql://b'],
      ['sqlite://:memory:', 'sqlite://b'],
      ['--no'],
    ]) {
      const { code, output } = await migrate(...args);
      expect([code, output.trim().split('\n').length]).toEqual([64, 1]);
    }
    expect(await migrate('sqlite://no/such/store', 'sqlite://neither')).toMatchObject({
      code: 78,
      output: expect.stringContaining('There is no store at'),
    });
  });
});

// What the doctor finds in each kind of store is proven where it is examined.
describe('npm run doctor with a database server', () =>
  onOneServer((createStore) => {
    it('npm run doctor with a database server finds and repairs faults, and does not disturb a running bot', async () => {
      const testStore = await createStore();
      expect(await doctor(testStore.url)).toMatchObject({
        code: 78,
        output: expect.stringContaining('There is no Atelier store in'),
      });
      await fillStore(testStore);
      const [row] = await testStore.rows('finished');
      if (row) await testStore.write({ ...row, namespace: 'live' });
      const dryRun = await doctor(testStore.url, '--dry-run');
      expect(dryRun).toMatchObject({
        code: 1,
        output: expect.stringContaining('live and as finished: 1, not repaired'),
      });
      expect(dryRun.output).not.toContain(new URL(testStore.url).password);
      expect(await doctor(testStore.url)).toMatchObject({ code: 0, output: expect.stringContaining('1, repaired') });
      expect(await doctor(testStore.url)).toMatchObject({
        code: 0,
        output: expect.stringContaining('no problems found'),
      });
      const store = await testStore.open();
      expect(await runScript('scripts/doctor.ts', { settings: { STORE_URL: testStore.url } })).toMatchObject({
        code: 75,
        output: expect.stringContaining('Another Atelier'),
      });
      await store.close();
    });
  }));

describe('npm run backup', () =>
  onStores(['sqlite'], (createStore) => {
    it('npm run backup encrypts the rows of a store, and npm run restore fills another store with them', async () => {
      const testStore = await createStore();
      await fillStore(testStore);
      const file = join(createTemporaryFolder(), 'atelier.backup');
      const settings = { STORE_URL: testStore.url, BACKUP_PASSPHRASE: 'four words unknown here' };
      const backup = await runScript('scripts/backup.ts', { args: [file], settings });
      expect(backup).toMatchObject({ code: 0, output: expect.stringContaining('encrypted.') });
      expect(readFileSync(file, 'latin1')).not.toContain('what ann wrote');

      const url = `sqlite://${join(createTemporaryFolder(), 'restored.sqlite')}`;
      const restore = await runScript('scripts/restore.ts', {
        args: [file],
        settings: { ...settings, STORE_URL: url },
      });
      expect(restore).toMatchObject({ code: 0, output: expect.stringContaining('no problems found') });
      expect(restore.output).toContain('Tasks under way: 1.');
      expect(backup.output + restore.output).not.toMatch(/what ann wrote|four words/);
    });
  }));

itVariants([
  ['/no/such/file', 'There is no file /no/such/file.'],
  ['scripts', `${join(root, 'scripts')} is a folder. Specify a file that npm run backup wrote.`],
])('npm run restore exits with 66 and says why if it cannot read %s', async (file, sentence) => {
  expect(await runScript('scripts/restore.ts', { args: [file] })).toEqual({ code: 66, output: `${sentence}\n` });
});

describe('A store whose packages are not installed', () => {
  itVariants([
    ['redis://:a-secret@127.0.0.1:1', 'npm install --no-save --include=dev @redis/client@'],
    ['postgresql://me:a-secret@127.0.0.1:1/db', 'npm install --no-save --include=dev pg@'],
  ])(
    'If the packages of a store are not installed, the bot exits with 78 and prints the command to install them: %s',
    async (url, installCommand) => {
      const settings = {
        DISCORD_TOKEN: 'a.b.c',
        GATEWAY_BASE_URL: 'http://127.0.0.1:1',
        GATEWAY_API_KEY: 'sk-x',
        STORE_URL: url,
      };
      const { code, output } = await runScript('src/index.ts', { settings, imports: [WITHOUT_PACKAGES] });
      expect([code, output]).toEqual([78, expect.stringContaining(installCommand)]);
      expect(output).not.toContain('a-secret');
    },
  );
});
