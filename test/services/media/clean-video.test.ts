import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { sceneOf } from '../../../sandbox/gateway/studio/index.ts';
import { recognise, videoFacts } from '../../../src/services/media/files/recognise.ts';
import { xmpPacket } from '../../../src/services/media/images/provenance.ts';
import { type MediaType, mediaTypes } from '../../../src/services/media/media-types.ts';
import { type CleanedRecording, cleanRecording } from '../../../src/services/media/videos/clean.ts';
import { cpuMs } from '../../support/cpu-time.ts';
import { cachingStudio } from '../../support/studio.ts';
import { box, mp4Video, webmVideo } from './videos.ts';

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const uuid = (id: string, content: Buffer): Buffer => box('uuid', Buffer.from(id, 'hex'), content);
const XMP = 'be7acfcb97a942e89c71999491e3afac';
const C2PA = 'd8fec3d61b0e483c92975828877ec481';

const location = box('\u00a9xyz', latin1('\0\x12\x15\xc7+52.5200+013.4050/'));
const device = box('\u00a9mod', latin1('\0\x08\x15\xc7A camera'));
const keys = box(
  'meta',
  box('hdlr', Buffer.alloc(8), latin1('mdta'), Buffer.alloc(13)),
  box('keys', Buffer.alloc(8), box('mdta', latin1('com.apple.quicktime.location.ISO6709'))),
  box('ilst', box('\0\0\0\x01', box('data', Buffer.alloc(8), latin1('+52.5200+013.4050/')))),
);
const comment = box('udta', box('meta', Buffer.alloc(4), box('ilst', box('\u00a9cmt', latin1('a secret comment')))));

/** A video from the project's own encoder. */
let encoded: Buffer;
beforeAll(async () => {
  const studio = cachingStudio();
  encoded = (await studio.drawVideo(sceneOf('a fox', 1), { width: 160, height: 96, seconds: 1 })).bytes;
  await studio.close();
});

/** The offset of the first box of this kind. */
const boxOffset = (bytes: Buffer, kind: string): number => bytes.indexOf(kind, 0, 'latin1') - 4;
const chunkOffset = (bytes: Buffer): number => bytes.readUInt32BE(boxOffset(bytes, 'stco') + 16);

/**
 * Adds boxes at the end of the table of contents, or of the first track, and keeps the chunk offsets in the table correct.
 */
function withBoxes(video: Buffer, parent: 'moov' | 'trak', ...boxes: Buffer[]): Buffer {
  const added = Buffer.concat(boxes);
  const offset = boxOffset(video, parent);
  const end = offset + video.readUInt32BE(offset);
  const bytes = Buffer.concat([video.subarray(0, end), added, video.subarray(end)]);
  for (const kind of parent === 'trak' ? ['moov', 'trak'] : ['moov']) {
    const outer = boxOffset(bytes, kind);
    bytes.writeUInt32BE(bytes.readUInt32BE(outer) + added.length, outer);
  }
  if (bytes.includes('stco')) bytes.writeUInt32BE(chunkOffset(bytes) + added.length, boxOffset(bytes, 'stco') + 16);
  return bytes;
}

const clean = (bytes: Buffer, type: MediaType = mediaTypes.mp4): Promise<CleanedRecording> =>
  cleanRecording({ size: bytes.length, bytes }, type);

async function cleanedBytes(bytes: Buffer, type?: MediaType): Promise<Buffer> {
  const { content } = await clean(bytes, type);
  if (!content.bytes) throw new Error('The cleaned video is not in memory.');
  return content.bytes;
}

describe('The metadata of a video', () => {
  it.each([
    ['a location in the user data', () => withBoxes(encoded, 'moov', box('udta', location, device))],
    ['a 3GPP location', () => withBoxes(encoded, 'moov', box('udta', box('loci', latin1('\0\0\0\0+52.5200'))))],
    ['QuickTime keys', () => withBoxes(encoded, 'moov', keys)],
    ['a comment on a track', () => withBoxes(encoded, 'trak', comment)],
    ['the remains of an older table', () => withBoxes(encoded, 'moov', box('free', latin1('+52.5200')))],
    ['XMP at the end of the file', () => Buffer.concat([encoded, uuid(XMP, latin1('<exif:GPSLatitude>52.5200'))])],
    [
      'a proprietary box of a program',
      () => Buffer.concat([encoded, uuid('0123456789abcdef0123456789abcdef', latin1('52.5200'))]),
    ],
    ['item data at the end of the file', () => Buffer.concat([encoded, box('meta', latin1('A camera'))])],
  ])('A video with %s loses that metadata, and no other byte changes or moves', async (_what, make) => {
    const bytes = make();
    const result = await cleanedBytes(bytes);
    for (const word of ['52.5200', 'A camera', 'a secret comment', 'location'])
      expect(result.includes(word)).toBe(false);
    expect(result.length).toBe(bytes.length);
    // Every frame is still where the table of contents says.
    const frames = encoded.subarray(chunkOffset(encoded));
    const offset = chunkOffset(result);
    expect(result.subarray(offset, offset + frames.length)).toEqual(frames);
    expect(recognise(result)).toBe(mediaTypes.mp4);
    const facts = (video: Buffer) => videoFacts({ size: video.length, bytes: video });
    expect(await facts(result)).toEqual(await facts(encoded));
    expect(await cleanedBytes(result)).toBe(result);
  });

  it('A video without metadata is returned unchanged', async () => {
    expect(await cleanedBytes(encoded)).toBe(encoded);
    expect(await cleanedBytes(mp4Video({ isFragmented: true }))).toEqual(mp4Video({ isFragmented: true }));
  });

  it('A telemetry track is removed from the table of contents', async () => {
    const track = (handler: string): Buffer =>
      box('trak', box('mdia', box('hdlr', Buffer.alloc(8), latin1(handler), Buffer.alloc(13))));
    const result = await cleanedBytes(withBoxes(mp4Video(), 'moov', track('meta'), track('text')));
    expect(result.includes('text')).toBe(true);
    expect(result.equals(withBoxes(mp4Video(), 'moov', box('free', Buffer.alloc(41)), track('text')))).toBe(true);
  });

  it('A panorama is still displayed as a panorama', async () => {
    const panorama = uuid('ffcc8263f8554a938814587a02521fdd', latin1('equirectangular'));
    const bytes = withBoxes(encoded, 'trak', panorama);
    expect(await cleanedBytes(bytes)).toBe(bytes);
  });

  it('A file on disk is changed in place', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'atelier-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'video.mov');
    const bytes = withBoxes(mp4Video({ brand: 'qt  ' }), 'moov', box('udta', location, Buffer.alloc(600_000, 7)));
    await writeFile(path, bytes);
    const { content } = await cleanRecording({ size: bytes.length, path }, mediaTypes.mov);
    expect(content).toEqual({ size: bytes.length, path });
    expect(await readFile(path)).toEqual(await cleanedBytes(bytes, mediaTypes.mov));
  });

  it('A file with content credentials is kept byte for byte, unless it contains a location: then both are removed', async () => {
    const manifest = uuid(C2PA, latin1('a manifest'));
    const sealed = Buffer.concat([withBoxes(encoded, 'moov', comment), manifest]);
    expect(await clean(sealed)).toMatchObject({ isSealed: true, lostManifest: false, content: { bytes: sealed } });
    for (const locationBox of [box('udta', location), keys]) {
      const withLocation = Buffer.concat([withBoxes(encoded, 'moov', locationBox), manifest]);
      const { content, ...facts } = await clean(withLocation);
      expect(facts).toMatchObject({ isSealed: false, lostManifest: true });
      for (const word of ['a manifest', '52.5200']) expect(content.bytes?.includes(word)).toBe(false);
    }
  });

  it('Statements in a file about its origin and our own mark are kept', async () => {
    const own = Buffer.concat([encoded, uuid(XMP, xmpPacket('trainedAlgorithmicMedia'))]);
    expect(await clean(own)).toMatchObject({ content: { bytes: own }, sourceType: 'trainedAlgorithmicMedia' });
    const packet = Buffer.concat([xmpPacket('compositeWithTrainedAlgorithmicMedia'), latin1('<dc:creator>A person')]);
    const { content, sourceType } = await clean(Buffer.concat([encoded, uuid(XMP, packet)]));
    expect(sourceType).toBe('compositeWithTrainedAlgorithmicMedia');
    expect(content.bytes?.includes('A person')).toBe(false);
  });
});

const withLength = (bytes: Buffer, offset: number, length: number): Buffer => {
  const changed = Buffer.from(bytes);
  changed.writeUInt32BE(length, offset);
  return changed;
};

describe('A video crafted to break the parser', () => {
  const hostileVideos = (): [string, Buffer][] => {
    const tagged = withBoxes(encoded, 'moov', box('udta', location));
    const [moov, udta] = [boxOffset(tagged, 'moov'), boxOffset(tagged, 'udta')];
    const large = Buffer.concat([Buffer.from([0, 0, 0, 1]), latin1('udta'), Buffer.alloc(8, 0xff), location]);
    return [
      ['a table without a length', withLength(tagged, moov, 0)],
      ['a table that is longer than the file', withLength(tagged, moov, 0x7fff_ffff)],
      ['a table of four bytes', withLength(tagged, moov, 4)],
      ['user data without a length', withLength(tagged, udta, 0)],
      ['user data whose length is stored elsewhere', withLength(tagged, udta, 1)],
      ['user data that extends beyond its table', withLength(tagged, udta, tagged.length)],
      ['a length of 64 bits', Buffer.concat([encoded, large])],
      ['half a header', Buffer.concat([encoded, latin1('\0\0\0')])],
      ['nothing', Buffer.alloc(0)],
      ['100,000 boxes', Buffer.concat([mp4Video(), Buffer.alloc(800_000, latin1('\0\0\0\x08udta'))])],
      ['100,000 boxes in its table', withBoxes(mp4Video(), 'moov', Buffer.alloc(800_000, latin1('\0\0\0\x08udta')))],
      ['deeply nested boxes', nested(20_000)],
    ];
  };
  const nested = (depth: number): Buffer => {
    const heads = Array.from({ length: depth }, (_, level) =>
      withLength(latin1('\0\0\0\0trak'), 0, (depth - level) * 8),
    );
    return withBoxes(mp4Video(), 'moov', Buffer.concat(heads));
  };

  it('A video crafted to break the parser keeps its length and its frames, within a second', async () => {
    for (const [what, bytes] of hostileVideos()) {
      const start = cpuMs();
      const result = await cleanedBytes(bytes);
      expect([what, result.length]).toEqual([what, bytes.length]);
      expect([what, cpuMs() - start < 1_000]).toEqual([what, true]);
      const frames = encoded.subarray(chunkOffset(encoded));
      if (bytes.includes(frames) && !what.startsWith('a table'))
        expect([what, result.includes(frames)]).toEqual([what, true]);
    }
  });
});

describe('The tags of a WebM', () => {
  const ids = [0x12, 0x54, 0xc3, 0x67];
  const tags = (content: Buffer): Buffer =>
    Buffer.concat([Buffer.from(ids), Buffer.from([0x40 | (content.length >> 8), content.length & 0xff]), content]);
  /** Written as a live stream: its segment has no length and extends to the end of the file. */
  const liveVideo = webmVideo({ isLive: true });

  it.each([1, 100, 124, 125, 126, 300])('A WebM loses tags of %i bytes and nothing else', async (length) => {
    const tag = tags(Buffer.alloc(length, 'x'));
    const bytes = Buffer.concat([liveVideo, tag, latin1('\xec\x81\0')]);
    const result = await cleanedBytes(bytes, mediaTypes.webm);
    expect(result.length).toBe(bytes.length);
    expect(result.includes('x'.repeat(length > 1 ? length : 2))).toBe(false);
    expect(result.subarray(0, liveVideo.length)).toEqual(liveVideo);
    expect(result.subarray(-3)).toEqual(bytes.subarray(-3));
    expect(result[liveVideo.length]).toBe(0xec);
    expect(recognise(result)).toBe(mediaTypes.webm);
    // Offsets are unchanged, so a second tag after the first is still found.
    const twice = Buffer.concat([result, tags(latin1('a place'))]);
    expect((await cleanedBytes(twice, mediaTypes.webm)).includes('a place')).toBe(false);
  });

  it('A WebM that was recorded live loses tags after its last cluster', async () => {
    const cluster = Buffer.concat([Buffer.from('1f43b67501ffffffffffffff', 'hex'), Buffer.from('e78100a381ff', 'hex')]);
    const result = await cleanedBytes(Buffer.concat([liveVideo, cluster, tags(latin1('a place'))]), mediaTypes.webm);
    expect(result.includes('a place')).toBe(false);
    expect(result.includes(cluster)).toBe(true);
  });

  it('A WebM without tags is returned unchanged, and lengths beyond its end are left alone', async () => {
    expect(await cleanedBytes(liveVideo, mediaTypes.webm)).toBe(liveVideo);
    const withOverlongTag = Buffer.concat([liveVideo, Buffer.from([...ids, 0x7f, 0xfe]), latin1('a place')]);
    expect(await cleanedBytes(withOverlongTag, mediaTypes.webm)).toBe(withOverlongTag);
  });
});
