import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import sharp from 'sharp';
import { memoryContent, withReader } from '../../../src/services/media/content.ts';
import { MediaError } from '../../../src/services/media/errors.ts';
import { recognise, videoFacts } from '../../../src/services/media/files/recognise.ts';
import { stripGif, stripJpeg, stripPng, stripWebp } from '../../../src/services/media/images/clean.ts';
import { examineImage } from '../../../src/services/media/images/image-editor.ts';
import { plainTypeOf } from '../../../src/services/media/images/provenance.ts';
import { cleanRecording } from '../../../src/services/media/videos/clean.ts';
import { isTruncatedFile } from '../../../src/services/media/videos/mp4.ts';
import { mp4Video, webmVideo } from '../../services/media/videos.ts';
import { BrokenInvariant, type Target } from '../target.ts';

const AUDIO_FOLDER = new URL('../../services/media/sound/files/', import.meta.url);

export const soundFiles = (extension: string): Buffer[] =>
  readdirSync(AUDIO_FOLDER)
    .filter((name) => name.endsWith(extension))
    .map((name) => readFileSync(new URL(name, AUDIO_FOLDER)));

const TAGGED_FOLDER = new URL('../../services/media/tagged/', import.meta.url);
const filesIn = (folder: URL): Buffer[] => readdirSync(folder).map((name) => readFileSync(new URL(name, folder)));

const MAX_PIXELS = 40e6;
const isMediaError = (error: unknown): boolean => error instanceof MediaError;
const latin = (text: string): Buffer => Buffer.from(text, 'latin1');

const metadata = { exif: { IFD0: { Copyright: 'somebody', Artist: 'nobody' } } };

async function images(): Promise<Buffer[]> {
  const frames = Buffer.alloc(3 * 8 * 16, 90);
  const stillImage = () => sharp({ create: { width: 12, height: 8, channels: 4, background: '#07a8' } });
  return await Promise.all([
    stillImage().png().toBuffer(),
    stillImage().png().withMetadata(metadata).toBuffer(),
    stillImage().png({ palette: true }).toBuffer(),
    stillImage().jpeg().withMetadata(metadata).toBuffer(),
    stillImage().jpeg({ progressive: true }).toBuffer(),
    stillImage().webp().withMetadata(metadata).toBuffer(),
    stillImage().removeAlpha().webp().toBuffer(),
    stillImage().webp({ lossless: true }).toBuffer(),
    stillImage().gif().toBuffer(),
    stillImage().avif().toBuffer(),
    sharp(frames, { raw: { width: 8, height: 16, channels: 3, pageHeight: 8 } })
      .gif({ delay: [100, 100] })
      .toBuffer(),
    sharp(frames, { raw: { width: 8, height: 16, channels: 3, pageHeight: 8 } })
      .webp({ delay: [100, 100] })
      .toBuffer(),
  ]);
}

const videos = (): Buffer[] => [
  mp4Video(),
  mp4Video({ brand: 'qt  ', isLong: true, isRotated: true }),
  mp4Video({ isFragmented: true }),
  webmVideo(),
  webmVideo({ isLive: true }),
];

const FOUR_CHARACTER_CODES =
  'ftyp moov mvhd trak mdia hdlr vide tkhd mvex mehd mdat free udta meta uuid isom qt avif RIFF WEBP VP8X VP8L EXIF XMP IHDR IDAT IEND acTL';
const SIGNATURES = [
  ...FOUR_CHARACTER_CODES.split(' ').map((word) => word.padEnd(4)),
  ...[
    '\x1a\x45\xdf\xa3',
    '\x42\x82\x84webm',
    '\x18\x53\x80\x67',
    '\x16\x54\xae\x6b',
    '\x12\x54\xc3\x67\x81',
    '\xae\x80',
    '\xe0\x80',
    '\xec\x80',
  ],
  ...['OggS\0', 'OpusHead', 'OpusTags', 'ID3\x04\0\0', '\xff\xfb\x90\x64', 'fmt ', 'data', 'LIST', 'WAVE'],
  ...[
    'GIF89a',
    '\x21\xf9\x04',
    '\x21\xfe',
    '\x2c',
    '\x3b',
    '\x21\xff\x0bNETSCAPE2.0',
    '\xff\xd8\xff',
    '\xff\xe1',
    '\xff\xda',
  ],
  ...['\x89PNG\r\n\x1a\n', '\0\0\0\0', '\0', '\x01', '\xff\xff\xff\xff', '\x80'],
];

/** A chunk as in many formats, with a name and a length, which may be wrong. */
const chunk = fc
  .tuple(
    fc.constantFrom(...FOUR_CHARACTER_CODES.split(' ')),
    fc.uint8Array({ maxLength: 40 }),
    fc.option(fc.nat(), { freq: 4 }),
  )
  .map(([name, body, claimedLength]) => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(claimedLength ?? body.length + 8);
    head.write(name.padEnd(4), 4, 'latin1');
    return Buffer.concat([head, body]);
  });

const chunks = (start: string): fc.Arbitrary<Buffer> =>
  fc.array(chunk, { maxLength: 20 }).map((list) => Buffer.concat([latin(start), ...list]));

const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom(...SIGNATURES).chain((signature) => chunks(signature)),
);

const files = async (): Promise<Buffer[]> => [
  ...(await images()),
  ...videos(),
  ...soundFiles('.wav').map((bytes) => bytes.subarray(0, 4_096)),
  ...soundFiles('.ogg'),
  ...soundFiles('.mp3').map((bytes) => bytes.subarray(0, 8_192)),
  ...soundFiles('.m4a'),
];

const ebml = (content: Buffer): Buffer => {
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(0x0100_0000_0000_0000n | BigInt(content.length));
  return Buffer.concat([latin('\x1a\x45\xdf\xa3'), size, content, Buffer.alloc(16, 0xec)]);
};

const box = (name: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8);
  head.write(name, 4, 'latin1');
  return Buffer.concat([head, body]);
};
const ftyp = box('ftyp', latin('isom\0\0\0\0isommp42'));
const repeat = (times: number, chunk: Buffer): Buffer => Buffer.alloc(times * chunk.length, chunk);

/** An EBML element whose size is encoded in eight bytes. */
const element = (id: string, content: Buffer): Buffer => Buffer.concat([latin(id), ebml(content).subarray(4, -16)]);

const segmentOf = (content: Buffer): Buffer =>
  Buffer.concat([ebml(latin('\x42\x82\x84webm')).subarray(0, -16), element('\x18\x53\x80\x67', content)]);

export const fileTargets: readonly Target[] = [
  {
    name: 'recognition',
    inputType: 'bytes',
    seeds: files,
    structured: anyBytes,
    words: SIGNATURES,
    async run(input) {
      const type = recognise(input);
      if (type) await withReader(memoryContent(input), (reader) => isTruncatedFile(reader, type));
    },
    isExpected: () => false,
    growing: {
      'a DocType of zeros': (times) =>
        ebml(
          Buffer.concat([
            latin('\x42\x82'),
            ebml(Buffer.concat([repeat(times, latin('\0')), latin('x')])).subarray(4, -16),
          ]),
        ),
      'empty elements': (times) => ebml(repeat(times, latin('\xec\x80'))),
      'a gap after a tag': (times) =>
        Buffer.concat([latin('ID3\x04\0\0\0\0\0\0'), repeat(times, latin('\xff\xfb\x90\x64'))]),
      'fill bytes of a JPEG': (times) =>
        Buffer.concat([latin('\xff\xd8'), repeat(times, latin('\xff')), latin('\xe0\0\x10')]),
      'empty boxes': (times) => Buffer.concat([ftyp, repeat(times, box('free', Buffer.alloc(0)))]),
      brands: (times) => box('ftyp', Buffer.concat([latin('heic\0\0\0\0'), repeat(times, latin('xxxx'))])),
    },
  },
  {
    name: 'picture-notes',
    inputType: 'bytes',
    seeds: images,
    structured: anyBytes,
    words: SIGNATURES,
    run(input) {
      const type = recognise(input);
      const strip = { png: stripPng, jpg: stripJpeg, webp: stripWebp, gif: stripGif }[type?.extension ?? ''];
      if (!strip) return;
      const stripped = strip(input);
      if (stripped.length > input.length + 64) throw new BrokenInvariant('The output is larger than the input.');
      if (stripped !== input && plainTypeOf(input, MAX_PIXELS))
        throw new BrokenInvariant('Something had to be removed from a plain image.');
    },
    isExpected: isMediaError,
    growing: {
      'chunks of a PNG': (times) =>
        Buffer.concat([
          latin('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'),
          Buffer.alloc(17, 1),
          repeat(times, latin('\0\0\0\x01tEXtx\0\0\0\0')),
          latin('\0\0\0\0IEND\0\0\0\0'),
        ]),
      'segments of a JPEG': (times) =>
        Buffer.concat([latin('\xff\xd8'), repeat(times, latin('\xff\xfe\0\x03x\xff\xdb\0\x03x')), latin('\xff\xd9')]),
      'restart markers of a JPEG': (times) =>
        Buffer.concat([latin('\xff\xd8\xff\xda\0\x02'), repeat(times, latin('\xff\0\xff\xd0')), latin('\xff\xd9')]),
      'blocks of a GIF': (times) =>
        Buffer.concat([latin('GIF89a\x01\0\x01\0\0\0\0'), repeat(times, latin('\x21\xfe\x01x\0')), latin('\x3b')]),
      'sub-blocks of a GIF': (times) =>
        Buffer.concat([latin('GIF89a\x01\0\x01\0\0\0\0\x21\xfe'), repeat(times, latin('\x01x')), latin('\0\x3b')]),
    },
  },
  {
    name: 'picture-heads',
    inputType: 'bytes',
    seeds: images,
    structured: anyBytes,
    words: SIGNATURES,
    async run(input) {
      const image = await examineImage(input, MAX_PIXELS).catch((error: unknown) => {
        if (plainTypeOf(input, MAX_PIXELS)) throw new BrokenInvariant('A decoder refuses a plain image.');
        throw error;
      });
      if ((image.hasMetadata || image.hasManifest) && plainTypeOf(input, MAX_PIXELS))
        throw new BrokenInvariant('A plain image has metadata.');
    },
    isExpected: isMediaError,
    growing: {
      'chunks before the pixels': (times) =>
        Buffer.concat([
          latin('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'),
          Buffer.alloc(17, 1),
          repeat(times, latin('\0\0\0\x01tEXtx\0\0\0\0')),
        ]),
    },
    fixedMs: 60,
  },
  {
    name: 'video-heads',
    inputType: 'bytes',
    seeds: videos,
    structured: fc.oneof(anyBytes, chunks(ftyp.toString('latin1'))),
    words: SIGNATURES,
    async run(input) {
      for (const [name, value] of Object.entries(await videoFacts(memoryContent(input)))) {
        if (!Number.isFinite(value) || value <= 0) throw new BrokenInvariant(`${name} is ${value}`);
      }
    },
    isExpected: () => false,
    growing: {
      'empty boxes': (times) => Buffer.concat([ftyp, repeat(times, box('free', Buffer.alloc(0)))]),
      'empty boxes in the table of contents': (times) =>
        Buffer.concat([ftyp, box('moov', repeat(times, box('free', Buffer.alloc(0))))]),
      tracks: (times) =>
        Buffer.concat([ftyp, box('moov', repeat(times, box('trak', box('mdia', box('hdlr', Buffer.alloc(16))))))]),
      'boxes in a track': (times) =>
        Buffer.concat([
          ftyp,
          box('moov', repeat(4, box('trak', box('mdia', repeat(times, box('free', Buffer.alloc(0))))))),
        ]),
      'empty elements': (times) => segmentOf(repeat(times, latin('\xec\x80'))),
      'tracks of a WebM': (times) => segmentOf(element('\x16\x54\xae\x6b', repeat(times, latin('\xae\x82\xe0\x80')))),
    },
  },
  {
    name: 'video-notes',
    inputType: 'bytes',
    seeds: () => [...videos(), ...filesIn(TAGGED_FOLDER)],
    structured: fc.oneof(anyBytes, chunks(ftyp.toString('latin1'))),
    words: SIGNATURES,
    async run(input) {
      const type = recognise(input);
      if (!type || type.kind === 'image') return;
      const { content } = await cleanRecording(memoryContent(input), type);
      if (content.size !== input.length) throw new BrokenInvariant('The length of the file has changed.');
      const secondPass = await cleanRecording(content, type);
      if (secondPass.content.bytes !== content.bytes) throw new BrokenInvariant('Metadata was left in the file.');
    },
    isExpected: () => false,
    growing: {
      'empty metadata boxes': (times) => Buffer.concat([ftyp, repeat(times, box('udta', Buffer.alloc(0)))]),
      'metadata in the table of contents': (times) =>
        Buffer.concat([ftyp, box('moov', repeat(times, box('meta', latin('x'))))]),
      'metadata in a track': (times) =>
        Buffer.concat([ftyp, box('moov', repeat(4, box('trak', repeat(times, box('udta', latin('x'))))))]),
      'tags of a WebM': (times) => segmentOf(repeat(times, latin('\x12\x54\xc3\x67\x81x'))),
    },
  },
];
