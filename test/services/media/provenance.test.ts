import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { memoryContent } from '../../../src/services/media/content.ts';
import { ImageProcessor } from '../../../src/services/media/files/image-processor.ts';
import { fitResult } from '../../../src/services/media/images/fit.ts';
import { examineImage, ImageEditor } from '../../../src/services/media/images/image-editor.ts';
import { hasLocation, hasManifest, markImage, plainTypeOf } from '../../../src/services/media/images/provenance.ts';
import { MediaProcess } from '../../../src/services/media/media-process.ts';
import type { SourceType } from '../../../src/services/media/media-types.ts';
import { mediaTypes } from '../../../src/services/media/media-types.ts';
import { markVideo } from '../../../src/services/media/videos/clean.ts';

const MAX_PIXELS = 1_000_000;
const editor = new ImageEditor(MAX_PIXELS, async () => () => undefined);
const fitImage = async (bytes: Buffer, sourceType?: SourceType, max = 10_000_000) =>
  fitResult(await examineImage(bytes, MAX_PIXELS), max, editor, { sourceType });

const drawing = () =>
  sharp({ create: { width: 40, height: 30, channels: 4, background: { r: 200, g: 40, b: 90, alpha: 0.5 } } });
const locationExif = { IFD0: { Make: 'A camera' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 30/1 0/1' } };
const pixelsOf = (bytes: Buffer): Promise<Buffer> => sharp(bytes, { animated: true }).ensureAlpha().raw().toBuffer();
const packetOf = async (bytes: Buffer): Promise<string> => (await sharp(bytes).metadata()).xmp?.toString() ?? '';

const files: Record<string, () => Promise<Buffer>> = {
  'a PNG': () => drawing().png().toBuffer(),
  'a JPEG': () => drawing().jpeg().toBuffer(),
  'a progressive JPEG with a profile': () => drawing().withIccProfile('srgb').jpeg({ progressive: true }).toBuffer(),
  'a WebP': () => drawing().removeAlpha().webp().toBuffer(),
  'a WebP with alpha': () => drawing().webp().toBuffer(),
  'a lossless WebP': () => drawing().webp({ lossless: true }).toBuffer(),
  'an animated WebP': async () =>
    sharp(await Promise.all([drawing().png().toBuffer(), drawing().negate().png().toBuffer()]), {
      join: { animated: true },
    })
      .webp({ lossless: true })
      .toBuffer(),
};

/** Inserts a chunk before the first image data of a PNG. */
function withChunk(png: Buffer, type: string, content: Buffer): Buffer {
  const data = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const chunk = Buffer.alloc(data.length + 8);
  chunk.writeUInt32BE(content.length);
  data.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(data), data.length + 4);
  return Buffer.concat([png.subarray(0, 33), chunk, png.subarray(33)]);
}

/** A copy with some bits of one byte flipped. */
function withBits(bytes: Buffer, offset: number, bits: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(offset) ^ bits, offset);
  return copy;
}

/** A copy of a WebP that announces the size that it has. */
function withSize(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt32LE(copy.length - 8, 4);
  return copy;
}

const EMPTY_PIXELS = Buffer.from('\0\0\0\0IDAT\0\0\0\0', 'latin1');

const box = (kind: string, content: Buffer): Buffer => {
  const head = Buffer.from(`\0\0\0\0${kind}`, 'latin1');
  head.writeUInt32BE(content.length + 8);
  return Buffer.concat([head, content]);
};
const video = Buffer.concat([
  box('ftyp', Buffer.from('isom\0\0\0\0isom', 'latin1')),
  box('moov', Buffer.alloc(40)),
  box('mdat', Buffer.alloc(100, 7)),
]);

describe('The mark of a generated image', () => {
  it.each(Object.entries(files))(
    '%s gets a mark that metadata readers find, and keeps every pixel',
    async (_name, make) => {
      const bytes = await make();
      const marked = await fitImage(bytes, 'trainedAlgorithmicMedia');
      if (marked.how === 'none') throw new Error('The image does not fit.');
      expect(marked.how).toBe('as-is');
      expect(await packetOf(marked.bytes)).toContain('/digitalsourcetype/trainedAlgorithmicMedia<');
      expect(await pixelsOf(marked.bytes)).toEqual(await pixelsOf(bytes));
      const markedTwice = await fitImage(marked.bytes, 'compositeWithTrainedAlgorithmicMedia');
      expect(markedTwice).toMatchObject({ bytes: marked.bytes });
    },
  );

  it.each([
    ['PNG', mediaTypes.png],
    ['WebP', mediaTypes.webp],
    ['lossless WebP', mediaTypes.webp],
  ])(
    'A %s from which nothing has to be removed is marked as the media process would do it, without starting it',
    async (name, type) => {
      const unusedProcess = new MediaProcess({ clock: systemClock, log: { warn: () => undefined } });
      const images = new ImageProcessor(unusedProcess, MAX_PIXELS);
      const { signal } = new AbortController();
      const bytes = (await files[`a ${name}`]?.()) ?? Buffer.alloc(0);
      const marked = await fitImage(bytes, 'trainedAlgorithmicMedia');
      const provenance = { sourceType: 'trainedAlgorithmicMedia' } as const;
      const fitted = { how: 'as-is', type };
      expect(await images.fit(memoryContent(bytes), 10_000, { signal, provenance })).toMatchObject({
        ...fitted,
        output: { bytes: 'bytes' in marked && marked.bytes },
      });
      expect(await images.fit(memoryContent(bytes), bytes.length, { signal, provenance: {} })).toMatchObject({
        ...fitted,
        output: undefined,
      });
      expect(unusedProcess.pid).toBeUndefined();
    },
  );

  it('Only an intact PNG without metadata and within the limit of pixels is taken for one from which nothing has to be removed', async () => {
    const bytes = await drawing().png().toBuffer();
    expect(plainTypeOf(bytes, 40 * 30)).toBe(mediaTypes.png);
    expect(plainTypeOf(bytes, 40 * 30 - 1)).toBeUndefined();
    for (const other of [
      withBits(bytes, 29, 1),
      withChunk(bytes, 'tEXt', Buffer.from('a\0secret')),
      withChunk(bytes, 'eXIf', Buffer.from('II*\0')),
      bytes.subarray(0, -1),
      Buffer.concat([bytes, Buffer.from('more')]),
      Buffer.concat([bytes.subarray(0, 33), ...Array<Buffer>(1_000).fill(EMPTY_PIXELS), bytes.subarray(33)]),
      await drawing().png({ palette: true }).toBuffer(),
      await drawing().jpeg().toBuffer(),
    ])
      expect(plainTypeOf(other, MAX_PIXELS)).toBeUndefined();
  });

  // The signature; not a key frame, an unknown version, not shown, a first partition beyond the end, no width. In a lossless WebP, only two of these exist.
  it.each([
    [
      'a WebP',
      [
        [23, 1],
        [20, 1],
        [20, 8],
        [20, 16],
        [22, 128],
        [26, 40],
      ],
    ],
    [
      'a lossless WebP',
      [
        [20, 1],
        [24, 32],
      ],
    ],
  ] as const)('%s is only plain if one intact chunk of pixels is all of it', async (name, damages) => {
    const bytes = (await files[name]?.()) ?? Buffer.alloc(0);
    expect(plainTypeOf(bytes, 40 * 30)).toBe(mediaTypes.webp);
    expect(plainTypeOf(bytes, 40 * 30 - 1)).toBeUndefined();
    const hidden = Buffer.concat([bytes, Buffer.from('EXIF\x04\0\0\0II*\0', 'latin1')]);
    const announced = withSize(hidden);
    const before = withSize(
      Buffer.concat([bytes.subarray(0, 12), Buffer.from('EXIF\0\0\0\0', 'latin1'), bytes.subarray(12)]),
    );
    const cut = [bytes.subarray(0, -2), bytes.subarray(0, 25), bytes.subarray(0, 20)];
    const lying = [withBits(bytes, 4, 2), withBits(bytes, 16, 2), withBits(bytes, 19, 128)];
    const damaged = damages.map(([offset, bits]) => withBits(bytes, offset, bits));
    for (const other of [hidden, announced, before, ...cut, ...cut.map(withSize), ...lying, ...damaged])
      expect(plainTypeOf(other, MAX_PIXELS)).toBeUndefined();
  });

  it.each(['an animated WebP', 'a WebP with alpha'])('%s is left to the media process', async (name) => {
    expect(plainTypeOf((await files[name]?.()) ?? Buffer.alloc(0), MAX_PIXELS)).toBeUndefined();
    const withMetadata = await drawing().removeAlpha().withExif(locationExif).webp().toBuffer();
    expect(plainTypeOf(withMetadata, MAX_PIXELS)).toBeUndefined();
  });

  it('A location, a camera and a comment are removed, whether or not results are marked', async () => {
    for (const sourceType of [undefined, 'compositeWithTrainedAlgorithmicMedia'] as const) {
      const bytes = await drawing().withExif(locationExif).jpeg().toBuffer();
      expect(hasLocation(await sharp(bytes).metadata())).toBe(true);
      const clean = await fitImage(bytes, sourceType);
      if (clean.how === 'none') throw new Error('The image does not fit.');
      const { exif, xmp } = await sharp(clean.bytes).metadata();
      expect([exif, xmp === undefined]).toEqual([undefined, sourceType === undefined]);
    }
  });

  it('A file with content credentials is unchanged, byte for byte', async () => {
    const bytes = withChunk(await drawing().png().toBuffer(), 'caBX', Buffer.from('a manifest'));
    expect(hasManifest(bytes, mediaTypes.png)).toBe(true);
    expect(await fitImage(bytes, 'trainedAlgorithmicMedia')).toMatchObject({ how: 'as-is', bytes });
    expect(await fitImage(bytes)).toMatchObject({ how: 'as-is', bytes });
  });

  it('Content credentials that cover a location are removed with it, and this is reported', async () => {
    const imageWithLocation = await drawing().withExif(locationExif).png().toBuffer();
    const fitted = await fitImage(
      withChunk(imageWithLocation, 'caBX', Buffer.from('a manifest')),
      'trainedAlgorithmicMedia',
    );
    if (fitted.how === 'none') throw new Error('The image does not fit.');
    expect(fitted.lostManifest).toBe(true);
    expect(hasManifest(fitted.bytes, fitted.type)).toBe(false);
    expect((await sharp(fitted.bytes).metadata()).exif).toBeUndefined();
    expect(await packetOf(fitted.bytes)).toContain('trainedAlgorithmicMedia');
  });

  it('An image that has to be shrunk is marked too, and stays within its limit', async () => {
    const noise = randomBytes(300 * 300 * 3);
    const bytes = await sharp(noise, { raw: { width: 300, height: 300, channels: 3 } })
      .png()
      .toBuffer();
    const fitted = await fitImage(bytes, 'trainedAlgorithmicMedia', 60_000);
    if (fitted.how === 'none') throw new Error('The image does not fit.');
    expect(fitted.how).not.toBe('as-is');
    expect(fitted.bytes.length).toBeLessThanOrEqual(60_000);
    expect(await packetOf(fitted.bytes)).toContain('trainedAlgorithmicMedia');
  });

  it('Arbitrary bytes are examined for credentials and locations without an error', () => {
    const types = [mediaTypes.png, mediaTypes.jpeg, mediaTypes.webp, mediaTypes.gif];
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.constantFrom(...types), (input, type) => {
        const bytes = Buffer.from(input);
        expect(typeof hasManifest(bytes, type)).toBe('boolean');
        expect(typeof hasLocation({ exif: bytes, xmp: bytes })).toBe('boolean');
        const riff = Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP'), bytes]);
        expect(markImage(riff, mediaTypes.webp, 'trainedAlgorithmicMedia').length).toBeGreaterThanOrEqual(riff.length);
      }),
    );
  });
});

describe('The mark of a generated video', () => {
  const uuid = (id: string): Buffer => box('uuid', Buffer.concat([Buffer.from(id, 'hex'), Buffer.from('content')]));

  it('An MP4 gets its mark at the end of the file, in memory and on disk, and only once', async () => {
    const marked = await markVideo({ size: video.length, bytes: video }, 'trainedAlgorithmicMedia');
    expect(marked.bytes?.subarray(0, video.length)).toEqual(video);
    expect(marked.bytes?.subarray(video.length).toString()).toContain('/digitalsourcetype/trainedAlgorithmicMedia<');
    const folder = await mkdtemp(join(tmpdir(), 'atelier-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'video.mp4');
    await writeFile(path, video);
    expect(await markVideo({ size: video.length, path }, 'trainedAlgorithmicMedia')).toEqual({
      size: marked.size,
      path,
    });
    expect(await readFile(path)).toEqual(marked.bytes);
    expect(await markVideo({ size: marked.size, path }, 'trainedAlgorithmicMedia')).toEqual({
      size: marked.size,
      path,
    });
  });

  it.each([
    ['content credentials', Buffer.concat([video, uuid('d8fec3d61b0e483c92975828877ec481')])],
    ['a mark of its own', Buffer.concat([video, uuid('be7acfcb97a942e89c71999491e3afac')])],
    ['a truncated last box', video.subarray(0, video.length - 20)],
    ['a last box that extends to the end', Buffer.concat([video, Buffer.from('\0\0\0\0free', 'latin1')])],
    ['no content', Buffer.alloc(0)],
    ['boxes without a length', Buffer.concat([video, Buffer.from('\0\0\0\x01', 'latin1')])],
  ])('An MP4 with %s is left unchanged', async (_what, bytes) => {
    expect(await markVideo({ size: bytes.length, bytes }, 'trainedAlgorithmicMedia')).toEqual({
      size: bytes.length,
      bytes,
    });
  });
});
