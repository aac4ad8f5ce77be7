import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

import { leave, onServers, onStores, type Site } from '../services/store/sites.ts';
import { makeTask, START, settled } from '../services/store/stage.ts';
import { shipped } from '../support/shipped.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Simulates that the packages for a store are not installed. */
const WITHOUT_PACKAGES = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(name, context, next) {
      if (!['@redis/client', 'pg'].includes(name)) return next(name, context);
      throw Object.assign(new Error('Cannot find package ' + name), { code: 'ERR_MODULE_NOT_FOUND' });
    },
  });
`)}`;

interface Asked {
  args?: string[];
  settings?: Record<string, string>;
  imports?: string[];
}

/** A shipped script as a separate process. */
function script(entry: string, { args = [], settings = {}, imports = [] }: Asked) {
  return new Promise<{ code: number; output: string }>((resolve) => {
    const env = { PATH: process.env.PATH ?? '', ...settings };
    const child = execFile(
      process.execPath,
      [...shipped(entry, ...imports), ...args],
      { cwd: root, env },
      (_error, out, problems) => {
        resolve({ code: child.exitCode ?? -1, output: out + problems });
      },
    );
  });
}

const migrate = (...args: string[]) => script('scripts/migrate-store.ts', { args });
const migrateBy = (from: string, to: string, ...args: string[]) =>
  script('scripts/migrate-store.ts', { args, settings: { MIGRATE_FROM: from, MIGRATE_TO: to } });
const doctor = (store: string, ...args: string[]) =>
  script('scripts/doctor.ts', { args, settings: { STORE_URL: store } });

async function fillStore(site: Site): Promise<void> {
  await leave(site, async (store) => {
    for (let at = 0; at < 30; at++) await store.put(settled(makeTask({ times: { created: START + at } })));
    await store.put(makeTask({ request: { prompt: 'what ann wrote' } }));
  });
}

describe('npm run migrate-store', () => {
  onServers((stage) =>
    onStores(['sqlite'], (fileStage) => {
      it('npm run migrate-store counts, moves and compares the entries, and prints neither passwords nor members’ text', async () => {
        const [from, to] = [await fileStage(), await stage()];
        await fillStore(from);
        const counted = await migrate(from.url, to.url, '--dry-run');
        expect(counted).toMatchObject({ code: 0, output: expect.stringMatching(/^finished +30 /m) });
        expect(await to.rows()).toEqual([]);

        const moved = await migrate(from.url, to.url);
        expect(moved.output).toMatch(/^finished +30 +30 .* same$/m);
        expect(moved).toMatchObject({ code: 0, output: expect.stringContaining('Migration complete.') });
        const again = await migrate(from.url, to.url);
        expect(again.code).toBe(0);

        const store = await to.open();
        const busy = await migrate(from.url, to.url);
        expect(busy).toMatchObject({ code: 75, output: expect.stringContaining('Another Atelier is using the store') });
        await store.put(makeTask({ times: { created: START + 99 } }));
        await store.close();
        expect(await migrate(from.url, to.url)).toMatchObject({
          code: 1,
          output: expect.stringContaining('DIFFERENT'),
        });
        const everything = [counted, moved, again, busy].map(({ output }) => output).join();
        expect(everything).not.toContain(new URL(to.url).password);
        expect(everything).not.toContain('what ann wrote');
      });
    }),
  );

  onStores(['sqlite'], (stage) => {
    it('npm run migrate-store also reads its URLs from the environment, where process lists do not show passwords', async () => {
      const [from, to] = [await stage(), await stage()];
      await fillStore(from);
      const moved = await migrateBy(from.url, to.url);
      expect(moved).toMatchObject({ code: 0, output: expect.stringContaining('Migration complete.') });
      const there = await migrateBy('sqlite://no/such/store', 'sqlite://neither', from.url, to.url);
      expect(there.code).toBe(0);
    });
  });

  onStores(['sqlite'], (stage) => {
    it('npm run migrate-store also reads its URLs from files', async () => {
      const [from, to] = [await stage(), await stage()];
      await fillStore(from);
      const folder = mkdtempSync(join(tmpdir(), 'atelier-secrets-'));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const files = { MIGRATE_FROM_FILE: join(folder, 'from'), MIGRATE_TO_FILE: join(folder, 'to') };
      writeFileSync(files.MIGRATE_FROM_FILE, `${from.url}\n`);
      writeFileSync(files.MIGRATE_TO_FILE, `${to.url}\n`);
      const moved = await script('scripts/migrate-store.ts', { settings: files });
      expect(moved).toMatchObject({ code: 0, output: expect.stringContaining('Migration complete.') });
      const wrong = { MIGRATE_FROM_FILE: folder, MIGRATE_TO_FILE: files.MIGRATE_TO_FILE, MIGRATE_TO: to.url };
      expect(await script('scripts/migrate-store.ts', { settings: wrong })).toEqual({
        code: 78,
        output:
          'MIGRATE_FROM_FILE should be the path of a regular file.\nMIGRATE_TO_FILE and MIGRATE_TO are both set: remove one of them.\n',
      });
    });
  });

  it('npm run migrate-store explains how to keep a password out of its arguments if one is given', async () => {
    const secret = 'redis://:a-secret@127.0.0.1:1';
    const warning = 'MIGRATE_FROM and MIGRATE_TO instead';
    const shown = await migrate('sqlite://no/such/store', secret);
    expect([shown.code, shown.output.includes(warning), shown.output.includes('a-secret')]).toEqual([78, true, false]);
    for (const output of [
      (await migrateBy('sqlite://no/such/store', secret)).output,
      (await migrate('sqlite://no/such/store', 'redis://127.0.0.1:1')).output,
    ])
      expect([output.includes('There is no store at'), output.includes(warning)]).toEqual([true, false]);
  });

  it('npm run migrate-store prints its usage', async () => {
    const { code, output } = await migrate('--help');
    expect([code, output.includes('MIGRATE_FROM'), output.includes('--dry-run')]).toEqual([0, true, true]);
  });

  it('npm run migrate-store names a wrong argument in one sentence', async () => {
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

describe('npm run doctor with a database server', () =>
  onServers((stage) => {
    it('npm run doctor with a database server finds and repairs faults, and does not disturb a running bot', async () => {
      const site = await stage();
      expect(await doctor(site.url)).toMatchObject({
        code: 0,
        output: expect.stringContaining('nothing is stored yet'),
      });
      await fillStore(site);
      const [row] = await site.rows('finished');
      if (row) await site.write({ ...row, namespace: 'live' });
      const dryRun = await doctor(site.url, '--dry-run');
      expect(dryRun).toMatchObject({
        code: 1,
        output: expect.stringContaining('live and as finished: 1, not repaired'),
      });
      expect(dryRun.output).not.toContain(new URL(site.url).password);
      expect(await doctor(site.url)).toMatchObject({ code: 0, output: expect.stringContaining('1, repaired') });
      expect(await doctor(site.url)).toMatchObject({ code: 0, output: expect.stringContaining('no problems found') });
      const store = await site.open();
      expect(await doctor(site.url)).toMatchObject({ code: 75, output: expect.stringContaining('Another Atelier') });
      await store.close();
    });
  }));

describe('A store whose packages are not installed', () => {
  it.each([
    ['redis://:a-secret@127.0.0.1:1', 'npm install --no-save --include=dev @redis/client@'],
    ['postgresql://me:a-secret@127.0.0.1:1/db', 'npm install --no-save --include=dev pg@'],
  ])(
    'If the packages of a store are not installed, the bot ends with 78 and the command to install them: %s',
    async (url, line) => {
      const settings = {
        ...{ DISCORD_TOKEN: 'a.b.c', GATEWAY_BASE_URL: 'http://127.0.0.1:1', GATEWAY_API_KEY: 'sk-x' },
        STORE_URL: url,
      };
      const { code, output } = await script('src/index.ts', { settings, imports: [WITHOUT_PACKAGES] });
      expect([code, output]).toEqual([78, expect.stringContaining(line)]);
      expect(output).not.toContain('a-secret');
    },
  );
});
