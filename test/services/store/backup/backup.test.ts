import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { kindSpecs } from '../../../../src/commands/index.ts';
import { writeBackup } from '../../../../src/services/store/backup/backup-writer.ts';
import { backUpStore, checkBackup, openBackup, restoreStore } from '../../../../src/services/store/index.ts';
import type { Task } from '../../../../src/services/tasks/task.ts';
import { leave, onStores, type Site, type SiteRow } from '../sites.ts';
import { DAY_MS, folder, MINUTE_MS, makeTask, START, settled } from '../stage.ts';

const PASSPHRASE = 'four words unknown here';

const taken = ({ url, scheme, log, clock }: Site, file: string, passphrase?: string) =>
  backUpStore({ url, scheme }, file, { log, clock, by: '1.2.3', passphrase });

async function checked(file: string, passphrase?: string) {
  const backup = await openBackup(file, passphrase);
  try {
    return await checkBackup(backup);
  } finally {
    await backup.close();
  }
}

async function restored({ url, scheme, log, clock }: Site, file: string, passphrase?: string) {
  const backup = await openBackup(file, passphrase);
  try {
    const parts = { log, clock, specs: kindSpecs, botVersion: '1.2.3' };
    return await restoreStore(backup, { url, scheme }, parts);
  } finally {
    await backup.close();
  }
}

const newFile = (): string => join(folder(), 'copy.backup');

/** Finished tasks, so that a restore changes none of them. */
async function filled(site: Site, count = 250): Promise<SiteRow[]> {
  return leave(site, async (store) => {
    for (let at = 0; at < count; at++)
      await store.put(settled(makeTask({ times: { created: START + at }, text: '🦊 "quoted" \u0000 line\nbreak' })));
    await store.addDuration('imagine', { atLeastMs: 1, atMostMs: 2, at: START });
    await store.pseudonyms.put('m1', 'atelier-1');
  });
}

const withoutSchema = (rows: SiteRow[]): SiteRow[] => rows.filter(({ key }) => key !== 'schema');

for (const kind of ['sqlite', 'redis', 'postgres'] as const)
  describe('A backup', () =>
    onStores([kind], (stage) =>
      onStores(['sqlite'], (fileStage) => {
        it('A backup taken while a bot runs contains every row, and can be restored to another kind of store and back', async () => {
          const [from, between, to] = [await stage(), await fileStage(), await stage()];
          const rows = await filled(from);
          const store = await from.open();
          const [first, second] = [newFile(), newFile()];
          const written = await taken(from, first);
          expect(written.rows).toBe(rows.length);
          await store.close();
          const { examination, unconfirmed } = await restored(between, first);
          expect([examination.holds?.tasks, unconfirmed]).toEqual([250, 0]);
          expect(withoutSchema(await between.rows())).toEqual(withoutSchema(rows));
          await taken(between, second);
          await restored(to, second);
          expect(withoutSchema(await to.rows())).toEqual(withoutSchema(rows));
          const bot = await to.open();
          expect((await bot.page({ of: { memberId: 'ann' }, max: 500 })).summaries).toHaveLength(250);
        });

        it('A restore changes nothing in a store that is in use or not empty, and says what to do', async () => {
          const [from, to] = [await fileStage(), await stage()];
          await filled(from, 3);
          const file = newFile();
          await taken(from, file);
          const bot = await to.open();
          await expect(restored(to, file)).rejects.toMatchObject({
            kind: 'in-use',
            message: expect.stringContaining('Stop it first'),
          });
          await bot.put(makeTask());
          await bot.close();
          const before = await to.rows();
          await expect(restored(to, file)).rejects.toMatchObject({
            kind: 'unsupported',
            message: expect.stringMatching(/not empty\. Set STORE_URL to a new store/),
          });
          expect(await to.rows()).toEqual(before);
        });

        it('After an interrupted restore no bot starts and no backup is taken, and a repeat completes it', async () => {
          const [from, other, to] = [await fileStage(), await fileStage(), await stage()];
          const rows = await filled(from);
          await filled(other, 2);
          const [file, otherFile] = [newFile(), newFile()];
          await taken(from, file);
          await taken(other, otherFile);
          const backup = await openBackup(otherFile, undefined);
          async function* cutShort() {
            yield* backup.rows();
            throw new Error('no power');
          }
          const parts = { log: to.log, clock: to.clock, specs: kindSpecs, botVersion: '1.2.3' };
          const { digest, header, close } = backup;
          const stumbling = { file: otherFile, digest, header, rows: cutShort, close };
          await expect(restoreStore(stumbling, to, parts)).rejects.toThrow('no power');
          await backup.close();
          await expect(to.open()).rejects.toMatchObject({
            kind: 'unsupported',
            message: expect.stringContaining('npm run restore'),
          });
          await expect(taken(to, newFile())).rejects.toMatchObject({ kind: 'unsupported' });
          await restored(to, file);
          expect(withoutSchema(await to.rows())).toEqual(withoutSchema(rows));
          await (await to.open()).close();
        });
      }),
    ));

describe('A backup of a store that changes in the meantime', () =>
  onStores(['sqlite', 'postgres'], (stage) => {
    it('A backup of a store that changes in the meantime is a snapshot of one moment', async () => {
      const site = await stage();
      await filled(site, 1_200);
      const finished = await site.keys('finished');
      const store = await site.open();
      const file = newFile();
      const changes: Promise<void>[] = [];
      const { url, scheme, log, clock } = site;
      await backUpStore({ url, scheme }, file, {
        ...{ log, clock, by: '1.2.3' },
        // Changed, added and removed while the rows are read.
        onProgress: (count) => {
          if (count % 300 !== 0) return;
          changes.push(store.put(makeTask({ times: { created: START + 10_000 + count } })));
          const key = finished.pop();
          if (key !== undefined) changes.push(store.get(key).then(async (task) => task && store.remove(task)));
        },
      });
      await Promise.all(changes);
      expect(changes.length).toBeGreaterThan(6);
      const { counts } = await checked(file);
      expect([counts.get('finished'), counts.get('live')]).toEqual([1_200, undefined]);
    });
  }));

describe('Tasks of a restored store', () =>
  onStores(['sqlite', 'redis', 'postgres'], (stage) => {
    it('Tasks of a restored store that waited or were being sent have an unknown outcome, even in the ledger', async () => {
      const from = await stage();
      const states = ['waiting', 'submitting', 'running', 'needs-input', 'unconfirmed'] as const;
      const tasks = new Map<string, Task>();
      await leave(from, async (store) => {
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
      await taken(from, file);
      const to = await stage();
      to.clock.advance(MINUTE_MS);
      const { live, unconfirmed, leftOut, examination } = await restored(to, file);
      expect([live, unconfirmed, leftOut]).toEqual([5, 2, 1]);
      expect(examination.holds).toEqual({ tasks: 5, setAside: 0 });
      const store = await to.open();
      const found = new Map((await store.live()).map((task) => [task.request.prompt ?? '', task]));
      expect(states.map((state) => found.get(state)?.state)).toEqual([
        ...['unconfirmed', 'unconfirmed', 'running', 'needs-input', 'unconfirmed'],
      ]);
      const at = START + MINUTE_MS;
      expect(found.get('waiting')).toMatchObject({
        restored: { at, wasWaiting: true },
        failure: { cause: 'unconfirmed' },
      });
      expect(found.get('waiting')).not.toHaveProperty('place');
      expect(found.get('submitting')?.restored).toEqual({ at });
      // Text that came with an order is not sent without the member's decision.
      expect(found.get('needs-input')?.times.wordsLost).toBe(at);
      expect(await store.proposals.of('ann')).toEqual([]);
      const standings = new Map<string, string | undefined>();
      for await (const { id, facts } of store.entries.between('2026-01-01', '2026-01-02'))
        standings.set(id, facts.at(-1)?.standing);
      const standing = (state: (typeof states)[number]) => standings.get(tasks.get(state)?.id ?? '');
      expect(states.map(standing)).toEqual(['unconfirmed', 'unconfirmed', 'reserved', 'reserved', 'unconfirmed']);
    });
  }));

describe('A backup file', () =>
  onStores(['sqlite'], (stage) => {
    const made = async (passphrase?: string) => {
      const site = await stage();
      await filled(site, 100);
      const file = newFile();
      const { digest } = await taken(site, file, passphrase);
      return { site, file, digest };
    };

    it('A backup file is readable only by its owner, and its digest matches the one in the file and the one that is reported', async () => {
      const { file, digest } = await made();
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const bytes = readFileSync(file);
      expect(createHash('sha256').update(bytes.subarray(0, -32)).digest('hex')).toBe(digest);
      expect(bytes.subarray(-32).toString('hex')).toBe(digest);
      expect((await checked(file)).digest).toBe(digest);
      expect(readdirSync(dirname(file))).toEqual(['copy.backup']);
    });

    it('A backup file is never overwritten', async () => {
      const { site, file } = await made();
      const before = readFileSync(file);
      await expect(taken(site, file)).rejects.toMatchObject({ message: expect.stringContaining('exists already') });
      expect(readFileSync(file)).toEqual(before);
    });

    it.each([undefined, PASSPHRASE])(
      'A backup file that was cut or changed anywhere is found (passphrase: %s)',
      async (passphrase) => {
        const { file } = await made(passphrase);
        const whole = readFileSync(file);
        const header = whole.indexOf('\n') + 1;
        const places = [header, header + 20, Math.floor(whole.length / 2), whole.length - 40, whole.length - 1];
        for (const at of places) {
          writeFileSync(file, whole);
          truncateSync(file, at);
          await expect(checked(file, passphrase), `cut at ${at}`).rejects.toMatchObject({ kind: 'corrupt' });
          const changed = Buffer.from(whole);
          changed[at] = (changed[at] ?? 0) ^ 1;
          writeFileSync(file, changed);
          await expect(checked(file, passphrase), `changed at ${at}`).rejects.toMatchObject({ kind: 'corrupt' });
        }
        const to = await stage();
        await expect(restored(to, file, passphrase)).rejects.toMatchObject({ kind: 'corrupt' });
        expect(existsSync(to.url.replace('sqlite://', ''))).toBe(false);
      },
    );

    it('Dropped, repeated or swapped chunks of an encrypted backup are detected even if the digest is correct', async () => {
      const { file } = await made(PASSPHRASE);
      const site = await stage();
      await leave(site, async (store) => {
        for (let at = 0; at < 60; at++)
          await store.put(makeTask({ times: { created: START + at }, text: randomBytes(4_000).toString('base64') }));
      });
      const large = `${file}.large`;
      await taken(site, large, PASSPHRASE);
      const whole = readFileSync(large);
      const header = whole.subarray(0, whole.indexOf('\n') + 1);
      const chunks: Buffer[] = [];
      const size = 64 * 1024 + 16;
      for (let at = header.length; at < whole.length - 32; at += size)
        chunks.push(whole.subarray(at, Math.min(at + size, whole.length - 32)));
      const [first, second, ...rest] = chunks;
      if (!first || !second || rest.length === 0) throw new Error('The backup is too small for this test.');
      for (const forged of [chunks.slice(0, -1), [first, first, second, ...rest], [second, first, ...rest]]) {
        const body = Buffer.concat([header, ...forged]);
        writeFileSync(large, Buffer.concat([body, createHash('sha256').update(body).digest()]));
        await expect(checked(large, PASSPHRASE)).rejects.toMatchObject({ kind: 'denied' });
      }
    });

    it('An encrypted backup file reveals no row, needs its passphrase, and a wrong passphrase is reported', async () => {
      const { file } = await made(PASSPHRASE);
      expect(readFileSync(file).includes('finished')).toBe(false);
      expect(await checked(file, PASSPHRASE)).toMatchObject({ isEncrypted: true });
      await expect(checked(file)).rejects.toMatchObject({
        kind: 'denied',
        message: expect.stringContaining('is encrypted. Set BACKUP_PASSPHRASE'),
      });
      await expect(checked(file, 'another passphrase')).rejects.toMatchObject({
        kind: 'denied',
        message: expect.stringContaining('The passphrase is wrong'),
      });
    });

    it.each([
      ['nothing at all', '', 'unsupported'],
      ['another file', 'SQLite format 3\n and more', 'unsupported'],
      ['a long line', 'x'.repeat(10_000), 'unsupported'],
      ['only a header', '{"atelier-backup":1,"at":1,"by":"1"}\n', 'corrupt'],
      ['a newer format', '{"atelier-backup":3}\n', 'newer'],
      [
        'a costly key',
        `{"atelier-backup":1,"at":1,"by":"1","encryption":{"cipher":"aes-256-gcm","kdf":"scrypt","N":1073741824,"r":8,"p":1,"salt":"${'0'.repeat(64)}"}}\n`,
        'corrupt',
      ],
    ])('A backup file with %s is refused in bounded time and memory', async (_what, content, kind) => {
      const file = newFile();
      writeFileSync(file, content);
      await expect(checked(file, PASSPHRASE)).rejects.toMatchObject({ kind });
    });

    it('A backup of a newer version is refused', async () => {
      const site = await stage();
      await filled(site, 1);
      await site.rewrite(({ key, text }) => (key === 'schema' ? text.replace(/"task":\d+/, '"task":999') : undefined));
      await expect(taken(site, newFile())).rejects.toMatchObject({ kind: 'newer' });
      const file = newFile();
      const rows = (await site.rows()).map(({ namespace, key, text }) => ({ namespace, key, text }));
      await writeBackup(file, rows, { by: '9.9.9', now: START });
      const newer = { kind: 'newer', message: expect.stringContaining('newer Atelier') };
      await expect(checked(file)).rejects.toMatchObject(newer);
      const unknown = newFile();
      const odd = { namespace: 'dreams', key: 'a', text: '{"value":1}' };
      await writeBackup(unknown, [...rows.filter(({ key }) => key !== 'schema'), odd], { by: '9.9.9', now: START });
      await expect(checked(unknown)).rejects.toMatchObject(newer);
    });

    it.skipIf(process.getuid?.() !== 0)(
      'A backup for which the disk is too small leaves nothing behind (left out without the rights to mount one)',
      async () => {
        const site = await stage();
        await leave(site, async (store) => {
          for (let at = 0; at < 200; at++)
            await store.put(
              makeTask({
                times: { created: START + at },
                text: randomBytes(4_000).toString('base64'),
              }),
            );
        });
        const disk = join(folder(), 'disk');
        mkdirSync(disk);
        execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk]);
        onTestFinished(() => void execFileSync('umount', [disk]));
        await expect(taken(site, join(disk, 'copy.backup'))).rejects.toMatchObject({
          kind: 'full',
          message: expect.stringContaining('The disk is full, so no backup was written'),
        });
        expect(readdirSync(disk)).toEqual([]);
      },
    );

    it('A backup into a missing folder fails with an error that says so', async () => {
      const site = await stage();
      await filled(site, 1);
      await expect(taken(site, join(folder(), 'no', 'copy.backup'))).rejects.toThrow(
        'does not exist. Create it first.',
      );
    });
  }));
