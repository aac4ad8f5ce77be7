import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Encrypter } from 'age-encryption';
import { describe, expect, it, onTestFinished } from 'vitest';
import { kindSpecs } from '../../../../src/commands/index.ts';
import { backUpStore } from '../../../../src/services/store/copy/back-up.ts';
import { type Backup, digestOfFacts, openBackup } from '../../../../src/services/store/copy/backup-file.ts';
import { type PartitionRow, sumsOf } from '../../../../src/services/store/copy/copier.ts';
import { restoreStore } from '../../../../src/services/store/copy/restore.ts';
import { examine } from '../../../../src/services/store/examination/examination.ts';
import { openStore } from '../../../../src/services/store/open-store.ts';
import { openWhole } from '../../../../src/services/store/rows/whole-store.ts';
import { StoreError } from '../../../../src/services/tasks/store-error.ts';
import type { Task } from '../../../../src/services/tasks/task.ts';
import { onStores, populateStore, type RawRow, type TestStore } from '../sites.ts';
import { createTemporaryFolder, DAY_MS, MINUTE_MS, makeTask, START, settled, sql } from '../store-fixture.ts';

const PASSPHRASE = 'four words unknown here';

const backUp = ({ url, scheme, log, clock }: TestStore, file: string, passphrase?: string) =>
  backUpStore({ url, scheme }, file, { log, clock, by: '1.2.3', passphrase });

async function checkFile(file: string, passphrase?: string) {
  const backup = await openBackup(file, passphrase);
  backup.close();
  return backup;
}

async function restoreFile({ url, scheme, log, clock }: TestStore, file: string, passphrase?: string) {
  const backup = await openBackup(file, passphrase);
  try {
    const parts = { log, clock, specs: kindSpecs, botVersion: '1.2.3' };
    return await restoreStore(backup, { url, scheme }, parts);
  } finally {
    backup.close();
  }
}

/** The power fails after the last row was read. */
const withoutEnd = (backup: Backup): Backup =>
  Object.create(backup, {
    rows: {
      async *value() {
        yield* backup.rows();
        throw new Error('no power');
      },
    },
  });

/** Makes the facts of a backup match its rows, as a newer version would have written them. */
async function writeFacts(file: string): Promise<void> {
  const rows = sql(file, 'SELECT partition, namespace, key, value AS text FROM atelier_rows');
  const sums = await sumsOf(rows as unknown as PartitionRow[]);
  const facts = JSON.stringify({ at: START, by: '9.9.9', partitions: 1, sums: sums.all() });
  sql(file, `UPDATE atelier_backup SET facts = '${facts}', digest = '${digestOfFacts(facts)}'`);
}

const newFile = (): string => join(createTemporaryFolder(), 'copy.backup');

/** Fills the store with finished tasks, because a restore changes none of those. */
async function fillStore(testStore: TestStore, count = 250): Promise<RawRow[]> {
  return populateStore(testStore, async (store) => {
    for (let index = 0; index < count; index++)
      await store.put(settled(makeTask({ times: { created: START + index }, text: '🦊 "quoted" \u0000 line\nbreak' })));
    await store.addDuration('imagine', { atLeastMs: 1, atMostMs: 2, at: START });
    await store.pseudonyms.put({ memberId: 'm1', pseudonym: 'atelier-1' });
  });
}

const withoutSchema = (rows: RawRow[]): RawRow[] => rows.filter(({ key }) => key !== 'schema');

for (const kind of ['sqlite', 'redis', 'postgres'] as const)
  describe('A backup', () =>
    onStores([kind], (createTestStore) =>
      onStores(['sqlite'], (createFileStore) => {
        it('A backup taken while a bot runs contains every row, and can be restored to another kind of store and back', async () => {
          const [source, intermediate, target] = [
            await createTestStore(),
            await createFileStore(),
            await createTestStore(),
          ];
          const rows = await fillStore(source);
          const store = await source.open();
          const [first, second] = [newFile(), newFile()];
          const written = await backUp(source, first);
          expect(written.rows).toBe(rows.length);
          await store.close();
          const { examination, unconfirmed } = await restoreFile(intermediate, first);
          expect([examination.contents?.tasks, unconfirmed]).toEqual([250, 0]);
          expect(withoutSchema(await intermediate.rows())).toEqual(withoutSchema(rows));
          await backUp(intermediate, second);
          await restoreFile(target, second);
          expect(withoutSchema(await target.rows())).toEqual(withoutSchema(rows));
          const bot = await target.open();
          expect((await bot.page({ of: { memberId: 'ann' }, max: 500 })).summaries).toHaveLength(250);
        });

        it('A restore changes nothing in a store that is in use or not empty, and says what to do', async () => {
          const [source, target] = [await createFileStore(), await createTestStore()];
          await fillStore(source, 3);
          const file = newFile();
          await backUp(source, file);
          const bot = await target.open();
          await expect(restoreFile(target, file)).rejects.toMatchObject({
            kind: 'in-use',
            message: expect.stringContaining('Stop it first'),
          });
          await bot.put(makeTask());
          await bot.close();
          const rowsBefore = await target.rows();
          await expect(restoreFile(target, file)).rejects.toMatchObject({
            kind: 'unsupported',
            message: expect.stringMatching(/not empty\. Set STORE_URL to a new store/),
          });
          expect(await target.rows()).toEqual(rowsBefore);
        });

        it('After an interrupted restore no bot starts and no backup is taken, and repeating the restore completes it', async () => {
          const [source, other, target] = [await createFileStore(), await createFileStore(), await createTestStore()];
          const rows = await fillStore(source);
          await fillStore(other, 2);
          const [file, otherFile] = [newFile(), newFile()];
          await backUp(source, file);
          await backUp(other, otherFile);
          const backup = await openBackup(otherFile, undefined);
          const parts = { log: target.log, clock: target.clock, specs: kindSpecs, botVersion: '1.2.3' };
          await expect(restoreStore(withoutEnd(backup), target, parts)).rejects.toThrow('no power');
          backup.close();
          await expect(target.open()).rejects.toMatchObject({
            kind: 'unsupported',
            message: expect.stringContaining('npm run restore'),
          });
          await expect(backUp(target, newFile())).rejects.toMatchObject({ kind: 'unsupported' });
          await restoreFile(target, file);
          expect(withoutSchema(await target.rows())).toEqual(withoutSchema(rows));
          await (await target.open()).close();
        });
      }),
    ));

describe('A backup of a store that changes in the meantime', () =>
  onStores(['sqlite', 'postgres'], (createTestStore) => {
    it('A backup of a store that changes in the meantime is a snapshot of one moment', async () => {
      const testStore = await createTestStore();
      await fillStore(testStore, 1_200);
      const finished = await testStore.keys('finished');
      const store = await testStore.open();
      const file = newFile();
      const changes: Promise<void>[] = [];
      const { url, scheme, log, clock } = testStore;
      await backUpStore({ url, scheme }, file, {
        log,
        clock,
        by: '1.2.3',
        // Tasks are added and removed while the rows are read.
        onProgress: (count) => {
          if (count % 300 !== 0) return;
          changes.push(store.put(makeTask({ times: { created: START + 10_000 + count } })));
          const key = finished.pop();
          if (key !== undefined) changes.push(store.get(key).then(async (task) => task && store.remove(task)));
        },
      });
      await Promise.all(changes);
      expect(changes.length).toBeGreaterThan(6);
      const { sums } = (await checkFile(file)).facts;
      expect([sums.finished?.count, sums.live]).toEqual([1_200, undefined]);
    });
  }));

describe('Tasks of a restored store', () =>
  onStores(['sqlite', 'redis', 'postgres'], (createTestStore) => {
    it('A run that had ended unexpectedly before the backup was made is not restored as one that was in progress', async () => {
      const source = await createTestStore();
      const run = { at: START, version: '1.2.3', seenAt: START };
      await populateStore(source, (store) => store.runs.put(run));
      source.clock.advance(2 * MINUTE_MS);
      const file = newFile();
      await backUp(source, file);
      const target = await createTestStore();
      await restoreFile(target, file);
      expect(await (await target.open()).runs.all()).toEqual([run]);
    });

    it('Tasks of a restored store that waited or were being sent have an unknown outcome, even in the ledger', async () => {
      const source = await createTestStore();
      const states = ['waiting', 'submitting', 'running', 'needs-input', 'unconfirmed'] as const;
      const run = { at: START, version: '1.2.3', seenAt: START };
      const tasks = new Map<string, Task>();
      await populateStore(source, async (store) => {
        for (const state of states) {
          const request = { prompt: state, ...(state === 'needs-input' && { words: 'a hat' }) };
          const task = makeTask({ state, request, ...(state === 'waiting' && { place: 3 }) });
          tasks.set(state, task);
          await store.put(task);
        }
        const orders = [{ kind: 'imagine' as const, request: { prompt: 'a fox' } }];
        await store.proposals.put({ id: 'p1', memberId: 'ann', orders, until: START + DAY_MS }, DAY_MS);
        await store.entries.setOpenSince('2026-01-01');
        await store.runs.put(run);
      });
      source.clock.advance(MINUTE_MS);
      const file = newFile();
      await backUp(source, file);
      const target = await createTestStore();
      target.clock.advance(MINUTE_MS);
      const { live, unconfirmed, leftOut, examination } = await restoreFile(target, file);
      expect([live, unconfirmed, leftOut]).toEqual([5, 3, 1]);
      expect(examination.contents).toEqual({ tasks: 5, setAside: [] });
      const store = await target.open();
      const tasksByPrompt = new Map((await store.live()).map((task) => [task.request.prompt ?? '', task]));
      expect(states.map((state) => tasksByPrompt.get(state)?.state)).toEqual([
        ...['unconfirmed', 'unconfirmed', 'running', 'needs-input', 'unconfirmed'],
      ]);
      const at = START + MINUTE_MS;
      expect(tasksByPrompt.get('waiting')).toMatchObject({
        restored: { at, wasWaiting: true },
        failure: { cause: 'unconfirmed' },
      });
      expect(tasksByPrompt.get('waiting')).not.toHaveProperty('place');
      expect(tasksByPrompt.get('submitting')?.restored).toEqual({ at });
      // Text that came with an order is not sent without the member's decision.
      expect(tasksByPrompt.get('needs-input')?.times.wordsLost).toBe(at);
      expect(await store.proposals.all()).toEqual([]);
      expect(await store.runs.all()).toEqual([{ ...run, seenAt: START + MINUTE_MS, isRestored: true }]);
      const standings = new Map<string, string | undefined>();
      for await (const { id, facts } of store.entries.readRange('2026-01-01', '2026-01-02'))
        standings.set(id, facts.at(-1)?.standing);
      const standing = (state: (typeof states)[number]) => standings.get(tasks.get(state)?.id ?? '');
      expect(states.map(standing)).toEqual(['unconfirmed', 'unconfirmed', 'reserved', 'reserved', 'unconfirmed']);
    });
  }));

describe('A backup file', () =>
  onStores(['sqlite'], (createTestStore) => {
    const makeBackup = async (passphrase?: string) => {
      const testStore = await createTestStore();
      await fillStore(testStore, 100);
      const file = newFile();
      const { digest } = await backUp(testStore, file, passphrase);
      return { testStore, file, digest };
    };

    it('A backup file is readable only by its owner, and its digest is the reported one', async () => {
      const { file, digest } = await makeBackup();
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(createHash('sha256').update(readFileSync(file)).digest('hex')).toBe(digest);
      expect((await checkFile(file)).digest).toBe(digest);
      expect(readdirSync(dirname(file))).toEqual(['copy.backup']);
    });

    it('A backup file is a database of SQLite in a single file, on which neither a bot nor the doctor nor a migration starts', async () => {
      const { testStore, file } = await makeBackup();
      const finished = sql(file, "SELECT key, value FROM atelier_rows WHERE namespace = 'finished' ORDER BY key");
      expect(finished.map(({ key }) => key)).toEqual(await testStore.keys('finished'));
      const { clock, log } = testStore;
      const parts = { clock, log, specs: kindSpecs };
      const address = { url: `sqlite://${file}`, scheme: 'sqlite' };
      const bytesBefore = readFileSync(file);
      for (const use of [
        openStore(address, parts),
        examine(address, { ...parts, repair: true }),
        openWhole(address, { ...parts, create: true }),
        backUpStore(address, newFile(), { ...parts, by: '1.2.3' }),
      ])
        await expect(use).rejects.toMatchObject({
          kind: 'unsupported',
          message: expect.stringContaining(`fill it with \`npm run restore -- ${file}\``),
        });
      expect(readFileSync(file)).toEqual(bytesBefore);
      expect(readdirSync(dirname(file))).toEqual(['copy.backup']);
    });

    it('A backup file is never overwritten', async () => {
      const { testStore, file } = await makeBackup();
      const bytesBefore = readFileSync(file);
      await expect(backUp(testStore, file)).rejects.toMatchObject({
        message: expect.stringContaining('already exists'),
      });
      expect(readFileSync(file)).toEqual(bytesBefore);
    });

    it('A backup file that was cut anywhere, or in which a row was changed, is refused before a store is created', {
      tags: ['breadth'],
    }, async () => {
      const { file } = await makeBackup();
      const original = readFileSync(file);
      for (const end of [20, 4_096, Math.floor(original.length / 2), original.length - 4_096, original.length - 1]) {
        writeFileSync(file, original.subarray(0, end));
        await expect(checkFile(file), `cut at ${end}`).rejects.toMatchObject({ kind: 'corrupt' });
      }
      const target = await createTestStore();
      await expect(restoreFile(target, file)).rejects.toMatchObject({ kind: 'corrupt' });
      expect(existsSync(target.url.replace('sqlite://', ''))).toBe(false);
      const rowsOf = async () => {
        const backup = await openBackup(file, undefined);
        onTestFinished(() => backup.close());
        return Array.fromAsync(backup.rows());
      };
      writeFileSync(file, original);
      const rows = await rowsOf();
      let refusedCount = 0;
      for (let offset = 0; offset < original.length; offset += 997) {
        const changed = Buffer.from(original);
        changed[offset] = (changed[offset] ?? 0) ^ 1;
        writeFileSync(file, changed);
        // SQLite ignores some bytes.
        const outcome = await rowsOf().catch((error: unknown) => error);
        if (outcome instanceof StoreError) refusedCount += 1;
        else expect(outcome, `changed at ${offset}`).toEqual(rows);
      }
      expect(refusedCount).toBeGreaterThan(original.length / 997 / 2);
      for (const change of [
        'DELETE FROM atelier_rows WHERE rowid = 7',
        "DELETE FROM atelier_rows WHERE key = 'schema'",
        'INSERT INTO atelier_rows SELECT * FROM atelier_rows WHERE rowid = 7',
        'UPDATE atelier_rows SET partition = 1 WHERE rowid = 7',
        "UPDATE atelier_rows SET namespace = 'live' WHERE rowid = 7",
        "UPDATE atelier_backup SET facts = replace(facts, '1.2.3', '1.2.4')",
        'DELETE FROM atelier_backup',
      ]) {
        writeFileSync(file, original);
        sql(file, change);
        await expect(checkFile(file), change).rejects.toMatchObject({ kind: 'corrupt' });
      }
    });

    it('An encrypted backup file reveals no row, and its key costs what the program age asks for', {
      tags: ['breadth'],
    }, async () => {
      const { file } = await makeBackup(PASSPHRASE);
      const encrypted = readFileSync(file);
      expect(encrypted.toString('latin1')).toMatch(/^age-encryption\.org\/v1\n-> scrypt \S{22} 18\n/);
      expect(encrypted.includes('finished')).toBe(false);
    });

    it('An encrypted backup file is refused without its passphrase, and if it was cut or changed', async () => {
      const { file } = await makeBackup();
      const encrypter = new Encrypter();
      encrypter.setPassphrase(PASSPHRASE);
      // Files of other programs may have other costs.
      encrypter.setScryptWorkFactor(10);
      const encrypted = await encrypter.encrypt(readFileSync(file));
      writeFileSync(file, encrypted);
      expect(await checkFile(file, PASSPHRASE)).toMatchObject({ isEncrypted: true });
      await expect(checkFile(file)).rejects.toMatchObject({
        kind: 'denied',
        message: expect.stringContaining('is encrypted. Set BACKUP_PASSPHRASE'),
      });
      await expect(checkFile(file, 'another passphrase')).rejects.toMatchObject({
        kind: 'denied',
        message: expect.stringContaining('The passphrase is wrong'),
      });
      const changed = Uint8Array.from(encrypted, (byte, offset) => (offset === 70_000 ? byte ^ 1 : byte));
      // Cut at the end of a chunk too, because a chunk says whether it is the last one.
      const firstChunkEnd = Buffer.from(encrypted).indexOf('\n---') + 49 + 16 + 64 * 1_024 + 16;
      for (const content of [changed, encrypted.subarray(0, 70_000), encrypted.subarray(0, firstChunkEnd)]) {
        writeFileSync(file, content);
        await expect(checkFile(file, PASSPHRASE)).rejects.toMatchObject({ kind: 'corrupt' });
      }
    });

    it.each([
      ['no content', '', 'corrupt'],
      ['less than its first line', 'SQLite', 'corrupt'],
      ['another file', 'SQLite format 3\n and more', 'unsupported'],
      ['a long line', 'x'.repeat(10_000), 'unsupported'],
      ['only the start of a database', 'SQLite format 3\0', 'corrupt'],
      ['only the start of an encrypted file', 'age-encryption.org/v1\n', 'denied'],
      [
        'a costly key derivation',
        `age-encryption.org/v1\n-> scrypt ${'A'.repeat(22)} 30\n${'A'.repeat(43)}\n--- ${'A'.repeat(43)}\n`,
        'denied',
      ],
    ])('A backup file with %s is refused in bounded time and memory', async (_what, content, kind) => {
      const file = newFile();
      writeFileSync(file, content);
      await expect(checkFile(file, PASSPHRASE)).rejects.toMatchObject({ kind });
    });

    it('A backup file is not the database of another program, nor that of a bot', async () => {
      const testStore = await createTestStore();
      await fillStore(testStore, 1);
      await expect(checkFile(testStore.url.replace('sqlite://', ''))).rejects.toMatchObject({ kind: 'unsupported' });
    });

    it('A backup from a newer version is refused', async () => {
      const { testStore, file } = await makeBackup();
      const newerError = { kind: 'newer', message: expect.stringContaining('newer Atelier') };
      await testStore.rewrite(({ key, text }) =>
        key === 'schema' ? text.replace(/"task":\d+/, '"task":999') : undefined,
      );
      await expect(backUp(testStore, newFile())).rejects.toMatchObject(newerError);
      const original = readFileSync(file);
      for (const change of [
        `UPDATE atelier_rows SET value = '{"value":{"store":1,"task":999}}' WHERE key = 'schema'`,
        `INSERT INTO atelier_rows VALUES (0, 'dreams', 'a', '{"value":1}')`,
        'PRAGMA user_version = 2',
      ]) {
        writeFileSync(file, original);
        sql(file, change);
        await writeFacts(file);
        await expect(checkFile(file), change).rejects.toMatchObject(newerError);
      }
    });

    it.skipIf(process.getuid?.() !== 0)(
      'A backup for which the disk is too small leaves nothing behind (skipped without permission to mount one)',
      async () => {
        const testStore = await createTestStore();
        await populateStore(testStore, async (store) => {
          for (let index = 0; index < 200; index++)
            await store.put(
              makeTask({
                times: { created: START + index },
                text: randomBytes(4_000).toString('base64'),
              }),
            );
        });
        const disk = join(createTemporaryFolder(), 'disk');
        mkdirSync(disk);
        execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk]);
        onTestFinished(() => void execFileSync('umount', [disk]));
        await expect(backUp(testStore, join(disk, 'copy.backup'))).rejects.toMatchObject({
          kind: 'full',
          message: expect.stringContaining('The disk is full, so no backup was written'),
        });
        expect(readdirSync(disk)).toEqual([]);
      },
    );

    it('A backup to a missing folder fails with an error that says so', async () => {
      const testStore = await createTestStore();
      await fillStore(testStore, 1);
      await expect(backUp(testStore, join(createTemporaryFolder(), 'no', 'copy.backup'))).rejects.toMatchObject({
        kind: 'unsupported',
        message: expect.stringContaining('does not exist. Create it first.'),
      });
    });
  }));
