import fc from 'fast-check';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStudio, type Studio, sceneOf } from '../../../../sandbox/gateway/studio/index.ts';
import { isMp3, recognise } from '../../../../src/services/media/files/recognise.ts';

const mimeOf = (bytes: Buffer): string | undefined => recognise(bytes)?.mime;
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

/** A file of the MP4 family: a box that lists its brands, followed by one more box. */
function fileWithBrands(majorBrand: string, ...others: string[]): Buffer {
  const brands = [majorBrand, '\0\0\0\0', ...others].join('');
  const head = Buffer.alloc(4);
  head.writeUInt32BE(8 + brands.length);
  return Buffer.concat([head, latin1(`ftyp${brands}`), latin1('\0\0\0\x08moov'), Buffer.alloc(64)]);
}

/** The header of a Matroska file: a void element, a version, then its document type. */
const ebml = (name: string): Buffer =>
  latin1(
    `\x1a\x45\xdf\xa3${String.fromCharCode(0x80 + 4 + 4 + 3 + name.length)}\xec\x82..\x42\x86\x81\x01\x42\x82${String.fromCharCode(
      0x80 + name.length,
    )}${name}\x18\x53\x80\x67\x01`,
  );

const ogg = (packet: string): Buffer =>
  Buffer.concat([latin1('OggS\0\x02'), Buffer.alloc(20), latin1(`\x01\x1e${packet.padEnd(40, '\0')}`)]);

/** Silent MP3 frames of 417 bytes each, the frame size at 128 kbit/s and 44.1 kHz. */
const frames = (count: number): Buffer =>
  Buffer.concat(Array.from({ length: count }, () => Buffer.concat([latin1('\xff\xfb\x90\x00'), Buffer.alloc(413)])));

const id3Tag = (size: number): Buffer =>
  Buffer.concat([latin1(`ID3\x04\0\0\0\0${String.fromCharCode(size >> 7, size & 0x7f)}`), Buffer.alloc(size)]);

describe('The type of a file', () => {
  let studio: Studio;
  beforeAll(() => {
    studio = createStudio();
  });
  afterAll(() => studio.close());

  it.each(['png', 'jpeg', 'webp', 'gif', 'avif'] as const)(
    'The type of a file is recognised in an image that sharp wrote as %s',
    async (format) => {
      const image = sharp({ create: { width: 9, height: 7, channels: 4, background: '#12345678' } });
      expect(recognise(await image.toFormat(format).toBuffer())).toMatchObject({
        kind: 'image',
        mime: `image/${format}`,
      });
    },
  );

  it('The type of a file is recognised in an animation', async () => {
    const raw = Buffer.alloc(4 * 4 * 3 * 2, 90).fill(10, 48);
    const pages = sharp(raw, { raw: { width: 4, height: 8, channels: 3, pageHeight: 4 } });
    expect(mimeOf(await pages.clone().gif().toBuffer())).toBe('image/gif');
    expect(mimeOf(await pages.clone().webp().toBuffer())).toBe('image/webp');
  });

  it('The type of a file is recognised in a video and a song from the studio', { tags: ['breadth'] }, async () => {
    const scene = sceneOf('a lighthouse in the rain', 1);
    const video = await studio.drawVideo(scene, { width: 64, height: 64, seconds: 1, references: [] });
    expect(recognise(video.bytes)).toEqual({ kind: 'video', mime: 'video/mp4', extension: 'mp4' });
    const song = await studio.compose('a slow waltz', 1, 1);
    expect(recognise(song.bytes)).toEqual({ kind: 'audio', mime: 'audio/wav', extension: 'wav' });
  });

  it.each([
    ['M4A ', [], 'audio/mp4'],
    ['isom', ['iso2', 'avc1', 'mp41'], 'video/mp4'],
    ['mp42', ['mp42', 'isom'], 'video/mp4'],
    ['3gp4', ['isom'], 'video/mp4'],
    ['qt  ', [], 'video/quicktime'],
    ['avif', ['mif1', 'miaf'], 'image/avif'],
    ['mif1', ['avif', 'miaf'], 'image/avif'],
    ['avis', ['msf1', 'iso8'], 'image/avif'],
    ['heic', ['mif1', 'isom'], undefined],
    ['mif1', ['heic'], undefined],
    ['jp2 ', [], undefined],
    ['\0\0\0\0', [], undefined],
  ])('A file with the brand %j and the compatible brands %j has the type %s', (majorBrand, others, mime) => {
    expect(mimeOf(fileWithBrands(majorBrand, ...others))).toBe(mime);
  });

  it.each([
    ['webm', ebml('webm'), 'video/webm'],
    ['matroska', ebml('matroska'), undefined],
    ['vorbis', ogg('\x01vorbis'), 'audio/ogg'],
    ['opus', ogg('OpusHead'), 'audio/ogg'],
    ['theora', ogg('\x80theora'), undefined],
    ['bare frames', frames(3), 'audio/mpeg'],
    ['frames after a tag', Buffer.concat([id3Tag(300), frames(3)]), 'audio/mpeg'],
    ['frames after a tag and a gap', Buffer.concat([id3Tag(300), Buffer.alloc(100), frames(3)]), 'audio/mpeg'],
    ['a single frame', Buffer.concat([frames(1), Buffer.alloc(500)]), undefined],
    ['a tag without frames', id3Tag(300), undefined],
    ['AAC', Buffer.concat([latin1('\xff\xf1\x50\x80\x02\x1f\xfc'), Buffer.alloc(600)]), undefined],
  ])('The type of a file is recognised from its content only if it is supported: %s', (_name, bytes, mime) => {
    expect(mimeOf(bytes)).toBe(mime);
  });

  it.each([
    ['an empty file', Buffer.alloc(0)],
    ['zeros', Buffer.alloc(10_000)],
    ['a page', latin1('<!doctype html><html></html>'.padEnd(200))],
    ['an SVG image', latin1('<svg xmlns="http://www.w3.org/2000/svg"></svg>'.padEnd(200))],
    ['a program', Buffer.concat([latin1('MZ\x90\0\x03'), Buffer.alloc(500)])],
    ['another program', Buffer.concat([latin1('\x7fELF\x02\x01\x01'), Buffer.alloc(500)])],
    ['an archive', Buffer.concat([latin1('PK\x03\x04'), Buffer.alloc(500)])],
    ['a document', latin1('%PDF-1.7\n'.padEnd(500))],
    ['a TIFF', Buffer.concat([latin1('II*\0'), Buffer.alloc(500)])],
    ['a bitmap', Buffer.concat([latin1('BM'), Buffer.alloc(500)])],
    ['an AVI', latin1(`RIFF\xff\0\0\0AVI LIST${''.padEnd(100)}`)],
    ['a PNG signature followed by a page', latin1('\x89PNG\r\n\x1a\n<html></html>'.padEnd(200))],
    ['a JPEG signature followed by text', latin1('\xff\xd8\xff\xe0 and so on'.padEnd(200))],
    ['only a GIF signature', latin1('GIF89a')],
    ['a GIF signature followed by text', latin1('GIF89a and what not, said at some length')],
    ['only a WebP signature', latin1('RIFF\x04\0\0\0WEBP')],
    ['only a list of brands', fileWithBrands('isom').subarray(0, 16)],
  ])('The type of a file is unknown for %s', (_name, bytes) => {
    expect(recognise(bytes)).toBeUndefined();
  });

  it('The type of a file is unknown if only the first bytes of an image are present', async () => {
    const image = sharp({ create: { width: 9, height: 7, channels: 3, background: 'teal' } });
    for (const format of ['png', 'jpeg', 'webp', 'gif', 'avif'] as const) {
      const bytes = await image.clone().toFormat(format).toBuffer();
      expect(recognise(bytes.subarray(0, 12))).toBeUndefined();
    }
  });

  const signatures = [
    ...[
      '\x89PNG\r\n\x1a\n',
      '\xff\xd8\xff',
      'GIF89a',
      'RIFF\x10\0\0\0WEBP',
      'RIFF\x10\0\0\0WAVE',
      '\0\0\0\x18ftypisom',
    ],
    ...['\x1a\x45\xdf\xa3', 'OggS\0', 'ID3\x04\0\0', '\xff\xfb\x90\0', ''],
  ].map(latin1);

  it('Recognising a file never fails on hostile bytes after any signature', () => {
    const hostileBytes = fc.tuple(fc.constantFrom(...signatures), fc.uint8Array({ maxLength: 300 }), fc.nat(20));
    fc.assert(
      fc.property(hostileBytes, ([signature, rest, cut]) => {
        const bytes = Buffer.concat([signature, rest]);
        recognise(bytes.subarray(0, Math.max(0, bytes.length - cut)));
      }),
      { numRuns: 5_000 },
    );
  });

  it('A file is hardly ever recognised as MP3 by chance', () => {
    const randomFiles = fc.sample(fc.uint8Array({ minLength: 4_000, maxLength: 4_000 }), { numRuns: 300, seed: 1 });
    const misrecognised = randomFiles.filter((bytes) => isMp3(Buffer.concat([latin1('\xff\xfb\x90\0'), bytes])));
    expect(misrecognised).toHaveLength(0);
  });
});
