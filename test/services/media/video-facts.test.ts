import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStudio, type Studio, sceneOf } from '../../../sandbox/gateway/studio/index.ts';
import { memoryContent } from '../../../src/services/media/content.ts';
import { recognise, videoFacts } from '../../../src/services/media/files/recognise.ts';
import { box, mp4Video, webmVideo } from './videos.ts';

const factsOf = (bytes: Buffer) => videoFacts(memoryContent(bytes));
const facts = { width: 1024, height: 576, seconds: 7.5 };

describe('The facts of a video', () => {
  let studio: Studio;
  let encodedVideo: Buffer;
  beforeAll(async () => {
    studio = createStudio();
    encodedVideo = (await studio.drawVideo(sceneOf('waves', 1), { width: 160, height: 96, seconds: 1 })).bytes;
  });
  afterAll(() => studio.close());

  it('The facts of a video are read from a video that an encoder wrote', async () => {
    expect(await factsOf(encodedVideo)).toEqual({ width: 160, height: 96, seconds: 1 });
  });

  it.each([
    ['an MP4', mp4Video(facts)],
    ['a MOV', mp4Video({ ...facts, brand: 'qt  ' })],
    ['an MP4 with 64-bit times', mp4Video({ ...facts, isLong: true })],
    ['a fragmented MP4', mp4Video({ ...facts, isFragmented: true })],
    ['a WebM', webmVideo(facts)],
  ])('The facts of a video are read from %s', async (_, video) => {
    expect(recognise(video)?.kind).toBe('video');
    expect(await factsOf(video)).toEqual(facts);
  });

  it('The width and height of a video are swapped when it is rotated', async () => {
    expect(await factsOf(mp4Video({ ...facts, isRotated: true }))).toEqual({ width: 576, height: 1024, seconds: 7.5 });
  });

  it('The facts of a video are undefined if the file does not state them', async () => {
    expect(await factsOf(webmVideo({ ...facts, isLive: true }))).toEqual({ width: 1024, height: 576 });
    expect(await factsOf(mp4Video({ ...facts, seconds: 0 }))).toEqual({ width: 1024, height: 576 });
    expect(await factsOf(mp4Video({ ...facts, width: 0 }))).toEqual({ seconds: 7.5 });
    const empty = Buffer.concat([box('ftyp', Buffer.from('isom\0\0\0\0isom')), box('moov'), box('mdat')]);
    expect(await factsOf(empty)).toEqual({});
  });

  it('The facts of a video are empty if the file is not a video', async () => {
    expect(await factsOf(Buffer.alloc(0))).toEqual({});
    expect(await factsOf(Buffer.from('<!doctype html><p>no film</p>'))).toEqual({});
  });

  it('The facts of a damaged video are plausible or missing, and reading them never throws', {
    tags: ['breadth'],
  }, async () => {
    const videos = [encodedVideo.subarray(0, 2_000), mp4Video(facts), mp4Video({ isLong: true }), webmVideo(facts)];
    const damagedVideo = fc
      .tuple(
        fc.constantFrom(...videos),
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 12 }),
        fc.nat(),
      )
      .map(([video, changes, length]) => {
        const bytes = Buffer.from(video);
        for (const [position, value] of changes) bytes[position % bytes.length] = value;
        return length % 3 === 0 ? bytes.subarray(0, length % (bytes.length + 1)) : bytes;
      });
    await fc.assert(
      fc.asyncProperty(damagedVideo, async (bytes) => {
        const { width = 1, height = 1, seconds = 1 } = await factsOf(bytes);
        expect(width > 0 && height > 0 && width < 65_536 && height < 65_536).toBe(true);
        expect(seconds > 0 && Number.isFinite(seconds)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('The search for the facts of a video ends after thousands of empty boxes, which serve only to keep the bot busy', {
    tags: ['breadth'],
  }, async () => {
    const video = mp4Video(facts);
    const ftypLength = video.readUInt32BE(0);
    const afterFragments = (count: number): Buffer =>
      Buffer.concat([
        video.subarray(0, ftypLength),
        ...Array.from({ length: count }, () => box('free')),
        video.subarray(ftypLength),
      ]);
    expect(await factsOf(afterFragments(10))).toEqual(facts);
    expect(await factsOf(afterFragments(100_000))).toEqual({});
  });
});
