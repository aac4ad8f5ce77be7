import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import sharp, { type Sharp } from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readWhole } from '../../../src/services/media/content.ts';
import { MediaError } from '../../../src/services/media/errors.ts';
import { type Media, openMedia } from '../../../src/services/media/media.ts';
import { mediaProcess } from '../../support/media-process.ts';
import { itVariants } from '../../support/variants.ts';
import { noise } from './images.ts';

const SECRET = 'where-I-live';
const XMP = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="${SECRET}"/></rdf:RDF></x:xmpmeta>`;
const EXIF = {
  IFD0: { Artist: SECRET, ImageDescription: SECRET },
  IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' },
};

/** Inserts a chunk before the pixels of a PNG. */
function withChunk(png: Buffer, type: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(12 + data.length);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4, 'latin1');
  data.copy(chunk, 8);
  // Decoders do not verify the checksum of chunks that they do not need.
  return Buffer.concat([png.subarray(0, 33), chunk, png.subarray(33)]);
}

/** Inserts a segment after the start marker of a JPEG. */
function withSegment(jpeg: Buffer, marker: number, data: Buffer): Buffer {
  const segment = Buffer.alloc(4 + data.length);
  segment.writeUInt16BE(0xff00 | marker, 0);
  segment.writeUInt16BE(2 + data.length, 2);
  data.copy(segment, 4);
  return Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)]);
}

const pixelsOf = (bytes: Buffer): Promise<Buffer> => sharp(bytes, { animated: true }).raw().toBuffer();

describe('The metadata of an image', () => {
  let media: Media;
  let image: Sharp;

  beforeEach(async () => {
    media = openMedia(
      { gatewayOrigin: 'https://gateway.example', apiKey: 'sk-key', allowPrivate: false },
      { log: { warn: () => undefined }, process: mediaProcess },
    );
    image = noise(40, 30);
  });
  afterEach(() => media.close());

  /** Returns the bytes that would be uploaded. */
  async function bytesToUpload(bytes: Buffer): Promise<{ how: string; bytes: Buffer; mime: string }> {
    const fetched = await media.fetch({ base64: bytes.toString('base64') });
    const { type } = fetched;
    const fitted = await media.fit({ bytes: await readWhole(fetched), type }, 10_000_000);
    fetched.release();
    if (fitted.how === 'none') throw new Error('The file does not fit.');
    return { how: fitted.how, bytes: fitted.bytes, mime: fitted.type.mime };
  }

  async function expectNoMetadata(bytes: Buffer): Promise<void> {
    expect(bytes.includes(SECRET)).toBe(false);
    const { exif, xmp, iptc, comments, orientation } = await sharp(bytes).metadata();
    expect({ exif, xmp, iptc, comments, orientation }).toEqual({});
  }

  it.each(['png', 'jpeg', 'webp', 'gif', 'avif'] as const)(
    'A %s without metadata is left unchanged, byte for byte',
    async (format) => {
      const bytes = await image.toFormat(format).toBuffer();
      const { how, bytes: result } = await bytesToUpload(bytes);
      expect(how).toBe('as-is');
      expect(result.equals(bytes)).toBe(true);
    },
  );

  it.each(['png', 'jpeg', 'webp'] as const)(
    'The metadata of an image is removed from %s, and every pixel and the profile are kept',
    async (format) => {
      const tagged = await image.toFormat(format).withExif(EXIF).withXmp(XMP).withIccProfile('p3').toBuffer();
      expect(tagged.includes(SECRET)).toBe(true);
      const { how, bytes } = await bytesToUpload(tagged);
      expect(how).toBe('as-is');
      await expectNoMetadata(bytes);
      expect((await pixelsOf(bytes)).equals(await pixelsOf(tagged))).toBe(true);
      expect((await sharp(bytes).metadata()).icc).toEqual((await sharp(tagged).metadata()).icc);
    },
  );

  it('The metadata of an image is removed from AVIF by re-encoding it', async () => {
    const tagged = await image.avif().withExif(EXIF).withXmp(XMP).toBuffer();
    expect(tagged.includes(SECRET)).toBe(true);
    const { how, bytes, mime } = await bytesToUpload(tagged);
    expect({ how, mime }).toEqual({ how: 're-encoded', mime: 'image/webp' });
    await expectNoMetadata(bytes);
  });

  it.each(['tEXt', 'zTXt', 'iTXt', 'eXIf', 'tIME', 'caBX', 'prVt'])(
    'The metadata of an image is removed from a %s chunk',
    async (type) => {
      const png = await image.png().toBuffer();
      const tagged = withChunk(png, type, Buffer.from(`parameters\0${SECRET}`));
      expect((await bytesToUpload(tagged)).bytes.equals(png)).toBe(true);
    },
  );

  it.each([
    ['a comment', 0xfe, SECRET],
    ["Photoshop's resources", 0xed, `Photoshop 3.0\0${SECRET}`],
    ['a multi-picture index', 0xe2, `MPF\0${SECRET}`],
    ['an application segment', 0xe5, SECRET],
    ['a thumbnail', 0xe0, `JFXX\0\x10${SECRET}`],
  ])('The metadata of an image is removed from %s in JPEG', async (_name, marker, data) => {
    const jpeg = await image.jpeg().toBuffer();
    const tagged = withSegment(jpeg, marker, Buffer.from(data, 'latin1'));
    expect((await bytesToUpload(tagged)).bytes.equals(jpeg)).toBe(true);
  });

  it('The metadata of an image is removed from a progressive JPEG, which has tables between its scans', async () => {
    const jpeg = await image.jpeg({ progressive: true }).toBuffer();
    const { bytes } = await bytesToUpload(withSegment(jpeg, 0xfe, Buffer.from(SECRET)));
    expect(bytes.equals(jpeg)).toBe(true);
  });

  it('The metadata of an image is removed from a JPEG with restart markers, which are not segments', async () => {
    const plain = await image.jpeg().toBuffer();
    const end = plain.length - 2;
    const withRestartMarkers = Buffer.concat([
      plain.subarray(0, end),
      Buffer.from('ffd3abcdff00ffffd7', 'hex'),
      plain.subarray(end),
    ]);
    expect(
      (await bytesToUpload(withSegment(withRestartMarkers, 0xfe, Buffer.from(SECRET)))).bytes.equals(
        withRestartMarkers,
      ),
    ).toBe(true);
  });

  it('The metadata of an image is no longer flagged in the WebP header', async () => {
    const tagged = await image.webp().withExif(EXIF).withXmp(XMP).withIccProfile('p3').toBuffer();
    const webpHeader = (webp: Buffer) => ({ form: webp.toString('latin1', 12, 16), notes: (webp[20] ?? 0) & 0x0c });
    expect(webpHeader(tagged)).toEqual({ form: 'VP8X', notes: 0x0c });
    expect(webpHeader((await bytesToUpload(tagged)).bytes)).toEqual({ form: 'VP8X', notes: 0 });
  });

  it('The metadata of an image is never decompressed, however much it contains', { tags: ['breadth'] }, async () => {
    const png = await image.png().toBuffer();
    const compressedText = Buffer.concat([Buffer.from('k\0\0', 'latin1'), deflateSync(Buffer.alloc(100_000_000))]);
    expect((await bytesToUpload(withChunk(png, 'zTXt', compressedText))).bytes.equals(png)).toBe(true);
  });

  it.each(['png', 'jpeg', 'webp', 'gif'] as const)(
    'The metadata of an image is removed from the end of %s',
    async (format) => {
      const bytes = await image.toFormat(format).toBuffer();
      const tagged = Buffer.concat([bytes, Buffer.from(`<script>${SECRET}</script>`)]);
      expect((await bytesToUpload(tagged)).bytes.equals(bytes)).toBe(true);
    },
  );

  it('The metadata of an image is removed from an animation, which keeps its speed', async () => {
    const raw = Buffer.concat([0, 80, 160].map((shade) => Buffer.alloc(20 * 20 * 3, shade)));
    const pages = sharp(raw, { raw: { width: 20, height: 60, channels: 3, pageHeight: 20 } });
    const webp = await pages
      .clone()
      .webp({ delay: [50, 100, 150], loop: 2 })
      .withXmp(XMP)
      .toBuffer();
    const gif = await pages
      .clone()
      .gif({ delay: [50, 100, 150], loop: 2 })
      .toBuffer();
    const offset = gif.indexOf('\x21\xff', 0, 'latin1');
    const comment = Buffer.from(`\x21\xfe\x0c${SECRET}\0`, 'latin1');
    const taggedGif = Buffer.concat([gif.subarray(0, offset), comment, gif.subarray(offset)]);
    for (const tagged of [webp, taggedGif]) {
      expect(tagged.includes(SECRET)).toBe(true);
      const { how, bytes } = await bytesToUpload(tagged);
      expect(how).toBe('as-is');
      await expectNoMetadata(bytes);
      expect(await sharp(bytes).metadata()).toMatchObject({ pages: 3, delay: [50, 100, 150], loop: 2 });
      expect((await pixelsOf(bytes)).equals(await pixelsOf(tagged))).toBe(true);
    }
    expect((await bytesToUpload(taggedGif)).bytes.equals(gif)).toBe(true);
  });

  it.each([
    ['png', 6],
    ['jpeg', 6],
    ['jpeg', 3],
    ['webp', 8],
  ] as const)('The orientation in the metadata is applied before its removal: %s (%i)', async (format, orientation) => {
    const rotated = await sharp(Buffer.concat([Buffer.alloc(20 * 30, 255), Buffer.alloc(20 * 30, 0)]), {
      raw: { width: 20, height: 60, channels: 1 },
    })
      .resize(40, 30, { fit: 'fill' })
      .toFormat(format)
      .withMetadata({ orientation })
      .toBuffer();
    const { how, bytes, mime } = await bytesToUpload(rotated);
    expect({ how, mime }).toEqual({ how: 're-encoded', mime: `image/${format}` });
    await expectNoMetadata(bytes);
    const isSideways = orientation > 4;
    expect(await media.imageFacts(rotated)).toMatchObject(
      isSideways ? { width: 30, height: 40 } : { width: 40, height: 30 },
    );
    expect(await media.imageFacts(bytes)).toEqual(await media.imageFacts(rotated));
    const upright = await sharp(rotated).autoOrient().greyscale().raw().toBuffer();
    const result = await sharp(bytes).greyscale().raw().toBuffer();
    for (const offset of [0, 39, 600, 1_199])
      expect(Math.abs((result[offset] ?? 0) - (upright[offset] ?? 0))).toBeLessThan(20);
  });

  itVariants(['png', 'jpeg', 'webp', 'gif', 'avif'] as const)(
    'Removing metadata from a damaged %s either works or fails with a MediaError',
    async (format) => {
      const bytes = await image.toFormat(format).toBuffer();
      const damage = fc.record({
        cut: fc.integer({ min: 0, max: bytes.length }),
        flips: fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { maxLength: 5 }),
      });
      await fc.assert(
        fc.asyncProperty(damage, async ({ cut, flips }) => {
          const copy = Buffer.from(bytes.subarray(0, cut));
          for (const [offset, value] of flips) if (offset < copy.length) copy[offset] = value;
          await media.checkImage(copy).catch((error: unknown) => {
            expect(error).toBeInstanceOf(MediaError);
            expect((error as MediaError).kind).toMatch(/damaged|not-media|too-large/);
          });
        }),
        { numRuns: 60 },
      );
    },
  );
});
