import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { kindSpecs } from '../../../src/commands/index.ts';
import { openStore } from '../../../src/services/store/open-store.ts';
import { StoreError } from '../../../src/services/tasks/store-error.ts';
import { TASK_VERSION } from '../../../src/services/tasks/task.ts';
import { HOLD_STORE_PROGRAM, moduleUrls, startChild } from './child.ts';
import { createStoreFixture, createTemporaryFolder, makeTask, settled, sql } from './store-fixture.ts';

const permissions = (path: string): number => statSync(path).mode & 0o777;

async function storeErrorOf(work: Promise<unknown>): Promise<StoreError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StoreError);
  return error as StoreError;
}

describe('The files of the store', () => {
  const umask = process.umask();
  afterEach(() => process.umask(umask));

  it('The files of the store are readable only by their owner, in a separate folder, under any umask', async () => {
    process.umask(0);
    const { file, open } = createStoreFixture(join(createTemporaryFolder(), 'data', 'deeper', 'atelier.sqlite'));
    const store = await open();
    await store.put(makeTask());
    expect(permissions(dirname(file))).toBe(0o700);
    const names = readdirSync(dirname(file)).sort();
    expect(names).toEqual(
      ['-shm', '-wal', '.lock']
        .map((suffix) => `atelier.sqlite${suffix}`)
        .concat('atelier.sqlite')
        .sort(),
    );
    for (const name of names) expect([name, permissions(join(dirname(file), name))]).toEqual([name, 0o600]);
  });

  it('The files of the store lose access rights that were too wide, and never gain any', async () => {
    const { file, open } = createStoreFixture();
    await (await open()).close();
    for (const path of [file, `${file}.lock`]) chmodSync(path, 0o664);
    const store = await open();
    expect([permissions(file), permissions(`${file}.lock`)]).toEqual([0o600, 0o600]);
    await store.close();
    chmodSync(file, 0o400);
    await open().catch((error: unknown) => expect(error).toBeInstanceOf(StoreError));
    expect(permissions(file)).toBe(0o400);
  });

  it('The files of the store can be named relative to the working folder or by an absolute URL', async () => {
    const workingFolder = process.cwd();
    const { file, log, clock } = createStoreFixture();
    process.chdir(dirname(file));
    try {
      const store = await openStore(
        { url: 'sqlite://data/a b.sqlite', scheme: 'sqlite' },
        { specs: kindSpecs, log, clock },
      );
      await store.close();
    } finally {
      process.chdir(workingFolder);
    }
    expect(existsSync(join(dirname(file), 'data', 'a b.sqlite'))).toBe(true);
  });

  it('The store is refused if its path is a folder, or is in a place where no file can be created', async () => {
    const parent = createTemporaryFolder();
    mkdirSync(join(parent, 'taken'));
    writeFileSync(join(parent, 'file'), '');
    const [taken, inFile] = [join(parent, 'taken'), join(parent, 'file', 'atelier.sqlite')];
    for (const path of [taken, inFile, join(parent, 'file', 'folder', 'atelier.sqlite'), '/proc/x/y.sqlite']) {
      const error = await storeErrorOf(createStoreFixture(path).open());
      expect(error.kind).toBe('failed');
      expect(error.message).toMatch(`The store ${path} cannot be opened.`);
    }
    expect(existsSync(`${taken}.lock`)).toBe(false);
  });
});

describe('A store that is in use', () => {
  it('A store that is in use refuses a second bot in the same process under any of its paths, and stays with the first', async () => {
    const { file, open } = createStoreFixture();
    const first = await open();
    symlinkSync(file, `${file}.link`);
    for (const name of [file, `${file}.link`]) {
      const error = await storeErrorOf(createStoreFixture(name).open());
      expect(error.kind).toBe('in-use');
      expect(error.message).toContain(file);
    }
    // The refused bots must not have released the first one's lock, not even for other processes.
    await expect(startChild(HOLD_STORE_PROGRAM, `sqlite://${file}`, ...moduleUrls)).rejects.toThrow(
      'without being ready',
    );
    await first.put(makeTask());
    await first.close();
    await (await open()).close();
  });

  it('A store that is in use refuses a second process until the first has ended or was killed', {
    tags: ['breadth'],
  }, async () => {
    const { file, open } = createStoreFixture();
    const task = makeTask();
    const other = await startChild(HOLD_STORE_PROGRAM, `sqlite://${file}`, ...moduleUrls, JSON.stringify(task));
    expect((await storeErrorOf(open())).kind).toBe('in-use');
    await other.kill();
    const store = await open();
    expect((await store.live()).map(({ id }) => id)).toEqual([task.id]);
    await store.put(settled(task));
  });

  it('A store that is in use is locked before any of its rows are read', async () => {
    const { file, open } = createStoreFixture();
    const holder = new DatabaseSync(`${file}.lock`);
    holder.exec('BEGIN EXCLUSIVE');
    expect((await storeErrorOf(open())).kind).toBe('in-use');
    expect(existsSync(file)).toBe(false);
    holder.close();
  });
});

describe('A foreign store', () => {
  it.each([
    ['store', 1],
    ['task', TASK_VERSION],
  ])('A foreign store is refused and left unchanged if a newer Atelier wrote it (%s)', async (part, currentVersion) => {
    const { file, open } = createStoreFixture();
    const store = await open({ botVersion: '9.9.9' });
    await store.put(settled(makeTask()));
    await store.close();
    sql(
      file,
      `UPDATE atelier SET value = replace(value, '"${part}":${currentVersion}', '"${part}":${currentVersion + 1}') WHERE key = 'schema'`,
    );
    // Opening the file for writing would revert this and thus change the file.
    sql(file, 'PRAGMA journal_mode = DELETE');
    const bytesBefore = readFileSync(file);
    const error = await storeErrorOf(open());
    expect(error.kind).toBe('newer');
    expect(error.message).toContain('9.9.9');
    expect(error.message).toContain('Start that version again');
    expect(readFileSync(file).equals(bytesBefore)).toBe(true);
  });

  it('A foreign store is refused if it is the database of another program', async () => {
    const { file, open } = createStoreFixture();
    sql(file, 'CREATE TABLE songs (name TEXT)');
    expect((await storeErrorOf(open())).kind).toBe('unsupported');
    expect(sql(file, 'SELECT name FROM sqlite_master')).toEqual([{ name: 'songs' }]);
  });

  it('A store is marked with the version that wrote it', async () => {
    const { file, open } = createStoreFixture();
    await (await open({ botVersion: '0.1.0' })).close();
    const [row] = sql(file, "SELECT value FROM atelier WHERE namespace = 'meta'");
    expect(JSON.parse(String(row?.value)).value).toEqual({ store: 1, task: TASK_VERSION, by: '0.1.0' });
  });
});
