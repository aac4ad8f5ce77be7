import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readWhole } from '../../../src/services/media/content.ts';
import { type FetchedFile, type Media, openMedia } from '../../../src/services/media/media.ts';
import { mediaProcess } from '../../support/media-process.ts';
import { chunked, type FileHost, file, openFileHost } from './file-host.ts';
import { withExtraBytes } from './images.ts';

const MIB = 1024 * 1024;

describe('The memory of many downloads', () => {
  let gateway: FileHost;
  let media: Media;
  let largePng: Buffer;

  beforeEach(async () => {
    gateway = await openFileHost();
    media = openMedia(
      { gatewayOrigin: gateway.origin, apiKey: 'sk-key', allowPrivate: false },
      { log: { warn: () => undefined }, process: mediaProcess },
      { resultsBytes: 16 * MIB, fileBytes: 8 * MIB, inMemoryBytes: 2 * MIB, memoryBytes: 6 * MIB, connections: 50 },
    );
    const dot = await sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    largePng = withExtraBytes(dot, 3 * MIB);
  });
  afterEach(async () => {
    await media.close();
    await gateway.close();
  });

  it.each(['announced', 'unannounced'])(
    'The memory of many downloads stays within its limit with twenty simultaneous downloads whose sizes are %s',
    async (announcement) => {
      const small = largePng.subarray(0, MIB);
      const url = gateway.on('/heavy', announcement === 'announced' ? file(small) : chunked(small));
      let inMemory = 0;
      let maxInMemory = 0;
      const download = async (): Promise<string> => {
        const fetched = await media.fetch({ address: url });
        inMemory += fetched.bytes?.length ?? 0;
        maxInMemory = Math.max(maxInMemory, inMemory);
        await new Promise(setImmediate);
        inMemory -= fetched.bytes?.length ?? 0;
        fetched.release();
        return fetched.bytes ? 'in memory' : 'on the disk';
      };
      await Promise.all(Array.from({ length: 20 }, download));
      expect(gateway.requests).toHaveLength(20);
      expect(maxInMemory).toBeLessThanOrEqual(6 * MIB);
    },
  );

  it('The memory of many downloads makes the next download wait until a file is released, whether the download is base64 or a URL', async () => {
    const url = gateway.on('/heavy', file(largePng));
    const base64 = largePng.toString('base64');
    const heldFiles: FetchedFile[] = [];
    for (let files = 0; files < 5; files++)
      heldFiles.push(await media.fetch(files % 2 ? { address: url } : { base64 }));
    const controller = new AbortController();
    const abortedFetch = media.fetch({ address: url }, { signal: controller.signal });
    const waitingFetch = media.fetch({ base64 });
    while (gateway.requests.length < 3) await new Promise(setImmediate);
    controller.abort();
    await expect(abortedFetch).rejects.toMatchObject({ code: 'aborted' });
    heldFiles[0]?.release();
    heldFiles[0]?.release();
    const fetched = await waitingFetch;
    expect((await readWhole(fetched)).equals(largePng)).toBe(true);
  });

  it('The memory of many downloads is released after a download turned out to be unusable', async () => {
    const invalidFileUrl = gateway.on('/nonsense', file(Buffer.alloc(7 * MIB)));
    const endlessUrl = gateway.on('/endless', chunked(Buffer.alloc(9 * MIB)));
    for (let tries = 0; tries < 4; tries++) {
      await expect(media.fetch({ address: invalidFileUrl })).rejects.toMatchObject({ kind: 'not-media' });
      await expect(media.fetch({ address: endlessUrl })).rejects.toMatchObject({ kind: 'too-large' });
      await expect(media.fetch({ base64: `${'A'.repeat(7 * MIB)}=A` })).rejects.toMatchObject({ kind: 'damaged' });
    }
    const url = gateway.on('/heavy', file(largePng));
    await Promise.all(Array.from({ length: 5 }, () => media.fetch({ address: url })));
  });

  it('The memory of many downloads is reduced to the real size after a download of unannounced size has ended', async () => {
    const url = gateway.on('/heavy', chunked(largePng));
    for (let files = 0; files < 4; files++) expect((await media.fetch({ address: url })).size).toBe(largePng.length);
  });

  it.each([1_000, MIB])(
    'The memory of many downloads is released if a host disconnects after %i bytes while the download is waiting',
    async (sentBytes) => {
      const base64 = withExtraBytes(largePng, 4 * MIB).toString('base64');
      const others = [await media.fetch({ base64 }), await media.fetch({ base64 })];
      let markDisconnected = (): void => undefined;
      const disconnected = new Promise<void>((resolve) => {
        markDisconnected = resolve;
      });
      const url = gateway.on('/cut', (response) => {
        response.writeHead(200, { 'content-length': 6 * MIB });
        response.socket?.once('close', markDisconnected);
        response.write(largePng.subarray(0, sentBytes), () => setImmediate(() => response.socket?.resetAndDestroy()));
      });
      const waiting = media.fetch({ address: url }).catch((error: unknown) => error);
      await disconnected;
      // The effects of the reset arrive at the client within a few turns of the event loop.
      for (let turns = 0; turns < 50; turns++) await new Promise(setImmediate);
      for (const other of others) other.release();
      expect(await waiting).toMatchObject({ kind: 'unreachable' });
    },
  );
});
