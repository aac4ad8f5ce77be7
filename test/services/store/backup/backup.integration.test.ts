import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { kindSpecs } from '../../../../src/commands/index.ts';
import { writeBackup } from '../../../../src/services/store/backup/backup-writer.ts';
import { backUpStore, checkBackup, openBackup, restoreStore } from '../../../../src/services/store/index.ts';
import type { Task } from '../../../../src/services/tasks/task.ts';
import { onStores, populateStore, type RawRow, type TestStore } from '../sites.ts';
import { createTemporaryFolder, DAY_MS, MINUTE_MS, makeTask, START, settled } from '../store-fixture.ts';

const PASSPHRASE = 'four words unknown here';

const backUp = ({ url, scheme, log, clock }: TestStore, file: string, passphrase?: string) =>
  backUpStore({ url, scheme }, file, { log, clock, by: '1.2.3', passphrase });

async function checkFile(file: string, passphrase?: string) {
  const backup = await openBackup(file, passphrase);
  try {
    return await checkBackup(backup);
  } finally {
    await backup.close();
  }
}

async function restoreFile({ url, scheme, log, clock }: TestStore, file: string, passphrase?: string) {
  const backup = await openBackup(file, passphrase);
  try {
    const parts = { log, clock, specs: kindSpecs, botVersion: '1.2.3' };
    return await restoreStore(backup, { url, scheme }, parts);
  } finally {
    await backup.close();
  }
}

const newFile = (): string => join(createTemporaryFolder(), 'copy.backup');

/** Fills the store with finished tasks, because a restore changes none of those. */
async function fillStore(testStore: TestStore, count = 250): Promise<RawRow[]> {
  return populateStore(testStore, async (store) => {
    for (let index = 0; index < count; index++)
      await store.put(settled(makeTask({ times: { created: START + index }, text: '🦊 "quoted" \u0000 line\nbreak' })));
    await store.addDuration('imagine', { atLeastMs: 1, atMostMs: 2, at: START });
    await store.pseudonyms.put('m1', 'atelier-1');
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
          async function* failingRows() {
            yield* backup.rows();
            throw new Error('no power');
          }
          const parts = { log: target.log, clock: target.clock, specs: kindSpecs, botVersion: '1.2.3' };
          const { digest, header, close } = backup;
          const failingBackup = { file: otherFile, digest, header, rows: failingRows, close };
          await expect(restoreStore(failingBackup, target, parts)).rejects.toThrow('no power');
          await backup.close();
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
        ...{ log, clock, by: '1.2.3' },
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
      const { counts } = await checkFile(file);
      expect([counts.get('finished'), counts.get('live')]).toEqual([1_200, undefined]);
    });
  }));

describe('Tasks of a restored store', () =>
  onStores(['sqlite', 'redis', 'postgres'], (createTestStore) => {
    it('Tasks of a restored store that waited or were being sent have an unknown outcome, even in the ledger', async () => {
      const source = await createTestStore();
      const states = ['waiting', 'submitting', 'running', 'needs-input', 'unconfirmed'] as const;
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
      });
      const file = newFile();
      await backUp(source, file);
      const target = await createTestStore();
      target.clock.advance(MINUTE_MS);
      const { live, unconfirmed, leftOut, examination } = await restoreFile(target, file);
      expect([live, unconfirmed, leftOut]).toEqual([5, 2, 1]);
      expect(examination.contents).toEqual({ tasks: 5, setAside: 0 });
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
      expect(await store.proposals.findByMember('ann')).toEqual([]);
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

    it('A backup file is readable only by its owner, and the digest of its content matches the one at its end and the reported one', async () => {
      const { file, digest } = await makeBackup();
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const bytes = readFileSync(file);
      expect(createHash('sha256').update(bytes.subarray(0, -32)).digest('hex')).toBe(digest);
      expect(bytes.subarray(-32).toString('hex')).toBe(digest);
      expect((await checkFile(file)).digest).toBe(digest);
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

    it.each([undefined, PASSPHRASE])(
      'A backup file that was truncated or changed anywhere is rejected (passphrase: %s)',
      async (passphrase) => {
        const { file } = await makeBackup(passphrase);
        const original = readFileSync(file);
        const header = original.indexOf('\n') + 1;
        const offsets = [
          header,
          header + 20,
          Math.floor(original.length / 2),
          original.length - 40,
          original.length - 1,
        ];
        for (const offset of offsets) {
          writeFileSync(file, original);
          truncateSync(file, offset);
          await expect(checkFile(file, passphrase), `cut at ${offset}`).rejects.toMatchObject({ kind: 'corrupt' });
          const changed = Buffer.from(original);
          changed[offset] = (changed[offset] ?? 0) ^ 1;
          writeFileSync(file, changed);
          await expect(checkFile(file, passphrase), `changed at ${offset}`).rejects.toMatchObject({ kind: 'corrupt' });
        }
        const target = await createTestStore();
        await expect(restoreFile(target, file, passphrase)).rejects.toMatchObject({ kind: 'corrupt' });
        expect(existsSync(target.url.replace('sqlite://', ''))).toBe(false);
      },
    );

    it('Dropped, repeated or swapped chunks of an encrypted backup are detected even if the digest is correct', async () => {
      const { file } = await makeBackup(PASSPHRASE);
      const testStore = await createTestStore();
      await populateStore(testStore, async (store) => {
        for (let index = 0; index < 60; index++)
          await store.put(makeTask({ times: { created: START + index }, text: randomBytes(4_000).toString('base64') }));
      });
      const largeFile = `${file}.large`;
      await backUp(testStore, largeFile, PASSPHRASE);
      const original = readFileSync(largeFile);
      const header = original.subarray(0, original.indexOf('\n') + 1);
      const chunks: Buffer[] = [];
      const size = 64 * 1024 + 16;
      for (let offset = header.length; offset < original.length - 32; offset += size)
        chunks.push(original.subarray(offset, Math.min(offset + size, original.length - 32)));
      const [first, second, ...rest] = chunks;
      if (!first || !second || rest.length === 0) throw new Error('The backup is too small for this test.');
      for (const forged of [chunks.slice(0, -1), [first, first, second, ...rest], [second, first, ...rest]]) {
        const body = Buffer.concat([header, ...forged]);
        writeFileSync(largeFile, Buffer.concat([body, createHash('sha256').update(body).digest()]));
        await expect(checkFile(largeFile, PASSPHRASE)).rejects.toMatchObject({ kind: 'denied' });
      }
    });

    it('An encrypted backup file reveals no row, needs its passphrase, and a wrong passphrase is reported', async () => {
      const { file } = await makeBackup(PASSPHRASE);
      expect(readFileSync(file).includes('finished')).toBe(false);
      expect(await checkFile(file, PASSPHRASE)).toMatchObject({ isEncrypted: true });
      await expect(checkFile(file)).rejects.toMatchObject({
        kind: 'denied',
        message: expect.stringContaining('is encrypted. Set BACKUP_PASSPHRASE'),
      });
      await expect(checkFile(file, 'another passphrase')).rejects.toMatchObject({
        kind: 'denied',
        message: expect.stringContaining('The passphrase is wrong'),
      });
    });

    it.each([
      ['no content', '', 'unsupported'],
      ['another file', 'SQLite format 3\n and more', 'unsupported'],
      ['a long line', 'x'.repeat(10_000), 'unsupported'],
      ['only a header', '{"atelier-backup":1,"at":1,"by":"1"}\n', 'corrupt'],
      ['a newer format', '{"atelier-backup":3}\n', 'newer'],
      [
        'a costly key derivation',
        `{"atelier-backup":1,"at":1,"by":"1","encryption":{"cipher":"aes-256-gcm","kdf":"scrypt","N":1073741824,"r":8,"p":1,"salt":"${'0'.repeat(64)}"}}\n`,
        'corrupt',
      ],
    ])('A backup file with %s is refused in bounded time and memory', async (_what, content, kind) => {
      const file = newFile();
      writeFileSync(file, content);
      await expect(checkFile(file, PASSPHRASE)).rejects.toMatchObject({ kind });
    });

    it('A backup from a newer version is refused', async () => {
      const testStore = await createTestStore();
      await fillStore(testStore, 1);
      await testStore.rewrite(({ key, text }) =>
        key === 'schema' ? text.replace(/"task":\d+/, '"task":999') : undefined,
      );
      await expect(backUp(testStore, newFile())).rejects.toMatchObject({ kind: 'newer' });
      const file = newFile();
      const rows = (await testStore.rows()).map(({ namespace, key, text }) => ({ namespace, key, text }));
      await writeBackup(file, rows, { by: '9.9.9', now: START });
      const newerError = { kind: 'newer', message: expect.stringContaining('newer Atelier') };
      await expect(checkFile(file)).rejects.toMatchObject(newerError);
      const unknownFile = newFile();
      const unknownRow = { namespace: 'dreams', key: 'a', text: '{"value":1}' };
      await writeBackup(unknownFile, [...rows.filter(({ key }) => key !== 'schema'), unknownRow], {
        by: '9.9.9',
        now: START,
      });
      await expect(checkFile(unknownFile)).rejects.toMatchObject(newerError);
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
      await expect(backUp(testStore, join(createTemporaryFolder(), 'no', 'copy.backup'))).rejects.toThrow(
        'does not exist. Create it first.',
      );
    });
  }));
