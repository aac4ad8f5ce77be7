import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStudio, type Studio, sceneOf } from '../../../sandbox/gateway/studio/index.ts';
import { memoryContent } from '../../../src/services/media/content.ts';
import { recognise, videoFacts } from '../../../src/services/media/recognise.ts';
import { box, mp4Video, webmVideo } from './videos.ts';

const factsOf = (bytes: Buffer) => videoFacts(memoryContent(bytes));
const stated = { width: 1024, height: 576, seconds: 7.5 };

describe('The facts of a video', () => {
  let studio: Studio;
  let real: Buffer;
  beforeAll(async () => {
    studio = openStudio();
    real = (await studio.shoot(sceneOf('waves', 1), { width: 160, height: 96, seconds: 1 })).bytes;
  });
  afterAll(() => studio.close());

  it('The facts of a video are read from a video that an encoder wrote', async () => {
    expect(await factsOf(real)).toEqual({ width: 160, height: 96, seconds: 1 });
  });

  it.each([
    ['an MP4', mp4Video(stated)],
    ['a MOV', mp4Video({ ...stated, brand: 'qt  ' })],
    ['an MP4 with 64-bit times', mp4Video({ ...stated, isLong: true })],
    ['a fragmented MP4', mp4Video({ ...stated, inPieces: true })],
    ['a WebM', webmVideo(stated)],
  ])('The facts of a video are read from %s', async (_, video) => {
    expect(recognise(video)?.kind).toBe('video');
    expect(await factsOf(video)).toEqual(stated);
  });

  it('The width and height of a video are swapped when it is rotated', async () => {
    expect(await factsOf(mp4Video({ ...stated, isTurned: true }))).toEqual({ width: 576, height: 1024, seconds: 7.5 });
  });

  it('The facts of a video are undefined if the file does not state them', async () => {
    expect(await factsOf(webmVideo({ ...stated, isLive: true }))).toEqual({ width: 1024, height: 576 });
    expect(await factsOf(mp4Video({ ...stated, seconds: 0 }))).toEqual({ width: 1024, height: 576 });
    expect(await factsOf(mp4Video({ ...stated, width: 0 }))).toEqual({ seconds: 7.5 });
    const empty = Buffer.concat([box('ftyp', Buffer.from('isom\0\0\0\0isom')), box('moov'), box('mdat')]);
    expect(await factsOf(empty)).toEqual({});
  });

  it('The facts of a video are empty if the file is not a video', async () => {
    expect(await factsOf(Buffer.alloc(0))).toEqual({});
    expect(await factsOf(Buffer.from('<!doctype html><p>no film</p>'))).toEqual({});
  });

  it('The facts of a video are plausible or missing in a damaged video, without an exception', async () => {
    const videos = [real.subarray(0, 2_000), mp4Video(stated), mp4Video({ isLong: true }), webmVideo(stated)];
    const damaged = fc
      .tuple(
        fc.constantFrom(...videos),
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 12 }),
        fc.nat(),
      )
      .map(([video, changes, length]) => {
        const bytes = Buffer.from(video);
        for (const [at, value] of changes) bytes[at % bytes.length] = value;
        return length % 3 === 0 ? bytes.subarray(0, length % (bytes.length + 1)) : bytes;
      });
    await fc.assert(
      fc.asyncProperty(damaged, async (bytes) => {
        const { width = 1, height = 1, seconds = 1 } = await factsOf(bytes);
        expect(width > 0 && height > 0 && width < 65_536 && height < 65_536).toBe(true);
        expect(seconds > 0 && Number.isFinite(seconds)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('The facts of a video are not searched for after thousands of empty fragments, which only keep the bot busy', async () => {
    const video = mp4Video(stated);
    const brands = video.readUInt32BE(0);
    const afterFragments = (count: number): Buffer =>
      Buffer.concat([
        video.subarray(0, brands),
        ...Array.from({ length: count }, () => box('free')),
        video.subarray(brands),
      ]);
    expect(await factsOf(afterFragments(10))).toEqual(stated);
    expect(await factsOf(afterFragments(100_000))).toEqual({});
  });
});
