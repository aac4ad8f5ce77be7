import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { readWhole } from '../../../src/services/media/content.ts';
import { MediaProcess } from '../../../src/services/media/media-process.ts';
import { itVariants } from '../../support/variants.ts';
import { chunked, file } from './file-host.ts';
import { type MediaFixture, openFixture } from './fixture.ts';
import { noise } from './images.ts';

const MIB = 1024 * 1024;

describe('A file too large for memory', () => {
  let fixture: MediaFixture;
  let temporaryFolder: string;
  let largeFile: Buffer;

  beforeEach(async () => {
    fixture = await openFixture();
    temporaryFolder = mkdtempSync(join(tmpdir(), 'atelier-test-'));
    largeFile = Buffer.concat([fixture.png, Buffer.alloc(5 * MIB, 7)]);
  });
  afterEach(async () => {
    await fixture.close();
    rmSync(temporaryFolder, { recursive: true, force: true });
  });

  const permissions = (path: string): number => statSync(path).mode & 0o777;
  const open = (limits = {}) => fixture.open(false, { temporaryFolder }, limits);

  itVariants(['announced', 'unannounced', 'as base64'])(
    'A file too large for memory is stored on disk, readable only by the bot’s user, until it is released: %s',
    async (source) => {
      const url = fixture.gateway.on('/large', source === 'announced' ? file(largeFile) : chunked(largeFile));
      const fetched = await open().fetch(
        source === 'as base64' ? { base64: largeFile.toString('base64') } : { address: url },
      );
      const { path = '', bytes, type, size } = fetched;
      expect({ bytes, mime: type.mime, size }).toEqual({ bytes: undefined, mime: 'image/png', size: largeFile.length });
      expect(readFileSync(path).equals(largeFile)).toBe(true);
      expect([permissions(path), permissions(dirname(path))]).toEqual([0o600, 0o700]);
      fetched.release();
      fetched.release();
      await expect.poll(() => existsSync(path)).toBe(false);
    },
  );

  it('A file too large for memory stays on disk while its metadata is removed', { tags: ['breadth'] }, async () => {
    const process = new MediaProcess({ clock: systemClock, log: { warn: () => undefined }, temporaryFolder });
    onTestFinished(() => process.close());
    const media = fixture.open(false, { temporaryFolder, process });
    const tagged = await noise(1_800, 1_200)
      .withExif({ IFD0: { Artist: 'somebody' } })
      .png()
      .toBuffer();
    const fetched = await media.fetch({ address: fixture.gateway.on('/noted', file(tagged)) });
    const { path = '' } = fetched;
    const fitted = await media.fitFetchedFile(fetched, 20 * MIB);
    if (fitted.how === 'none') throw new Error('The file does not fit.');
    expect(fitted).toMatchObject({ how: 'as-is', path: expect.any(String) });
    const clean = await readWhole(fitted);
    expect([tagged.includes('somebody'), clean.includes('somebody'), clean.length]).toEqual([true, false, fitted.size]);
    await expect.poll(() => existsSync(path)).toBe(false);
    expect(readdirSync(dirname(fitted.path ?? ''))).toHaveLength(1);
    fitted.release();
    await expect.poll(() => readdirSync(dirname(path))).toEqual([]);
  });

  it('A file too large for memory leaves nothing behind if its download is cut short or the bot stops', {
    tags: ['breadth'],
  }, async () => {
    const media = open();
    const truncatedUrl = fixture.gateway.on('/cut', (response) => {
      response.writeHead(200, { 'content-length': 50 * MIB });
      response.write(largeFile, () => response.destroy());
    });
    await expect(media.fetch({ address: truncatedUrl })).rejects.toMatchObject({ kind: 'unreachable' });
    const [folder = ''] = readdirSync(temporaryFolder);
    await expect.poll(() => readdirSync(join(temporaryFolder, folder))).toEqual([]);
    await media.fetch({ address: fixture.gateway.on('/large', file(largeFile)) });
    await media.close();
    expect(readdirSync(temporaryFolder)).toEqual([]);
  });

  it('A small file that arrives while the memory is full is stored on disk, too', async () => {
    const media = open({ memoryBytes: MIB });
    const smallFile = Buffer.concat([fixture.png, Buffer.alloc(400 * 1024)]);
    const url = fixture.gateway.on('/small', file(smallFile));
    const fetched = [
      await media.fetch({ address: url }),
      await media.fetch({ address: url }),
      await media.fetch({ address: url }),
    ];
    expect(fetched.map(({ bytes }) => bytes !== undefined)).toEqual([true, true, false]);
    for (const one of fetched) expect((await readWhole(one)).equals(smallFile)).toBe(true);
    fetched[0]?.release();
    expect((await media.fetch({ address: url })).bytes).toBeDefined();
  });

  it('A file too large for memory is removed at the next start after the bot was killed, while files from other programs stay', async () => {
    const media = open();
    const { path = '' } = await media.fetch({ address: fixture.gateway.on('/large', file(largeFile)) });
    const ownFolder = dirname(path).slice(temporaryFolder.length + 1);
    const folderNameOf = (pid: number) => ownFolder.replace(`-${process.pid}-`, `-${pid}-`);
    const { pid: deadPid } = spawnSync(process.execPath, ['--version']);
    const deadFolder = folderNameOf(deadPid);
    const restartedFolder = ownFolder.replace(/-\d+-(\w+)$/, '-1-$1');
    const liveFolder = folderNameOf(process.ppid);
    const foreignNames = ['atelier-files-link', 'something-else', 'atelier-files-00000000-1-2-abc'];
    for (const name of [deadFolder, restartedFolder, liveFolder, 'something-else', 'atelier-files-00000000-1-2-abc'])
      mkdirSync(join(temporaryFolder, name));
    symlinkSync(temporaryFolder, join(temporaryFolder, 'atelier-files-link'));
    await open().close();
    expect(readdirSync(temporaryFolder).sort()).toEqual([ownFolder, liveFolder, ...foreignNames].sort());
    expect(existsSync(path)).toBe(true);
  });
});
