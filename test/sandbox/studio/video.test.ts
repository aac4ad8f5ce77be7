import { afterAll, describe, expect, it } from 'vitest';
import { createStudio, sceneOf } from '../../../sandbox/gateway/studio/index.ts';
import { boxesOf } from '../../../sandbox/gateway/studio/mp4.ts';

const studio = createStudio();
afterAll(() => studio.close());

const CONTAINER_BOXES = ['moov', 'trak', 'mdia', 'minf', 'stbl'];

/** All boxes in a file by type, at any depth. */
function boxesByType(bytes: Buffer): Map<string, Buffer> {
  const boxes = new Map<string, Buffer>();
  const walk = (from: number, to: number) => {
    for (const { kind, start, end } of boxesOf(bytes, from, to)) {
      boxes.set(kind, bytes.subarray(start, end));
      if (CONTAINER_BOXES.includes(kind)) walk(start + 8, end);
    }
  };
  walk(0, bytes.length);
  return boxes;
}

const box = (boxes: Map<string, Buffer>, kind: string) => boxes.get(kind) ?? Buffer.alloc(0);

/** The type of the first NAL unit of every frame: 5 is a key frame, 1 depends on others. */
function frameKinds(bytes: Buffer): number[] {
  const boxes = boxesByType(bytes);
  const sizes = box(boxes, 'stsz');
  let offset = box(boxes, 'stco').readUInt32BE(16);
  return Array.from({ length: sizes.readUInt32BE(16) }, (_, index) => {
    const kind = (bytes[offset + 4] ?? 0) & 31;
    offset += sizes.readUInt32BE(20 + index * 4);
    return kind;
  });
}

describe('The videos of the studio', () => {
  it('A video is an MP4 file of the requested size and duration, with its index first', async () => {
    const video = await studio.drawVideo(sceneOf('a boat on the sea', 2), { width: 322, height: 180, seconds: 2.5 });
    expect(video).toMatchObject({ mime: 'video/mp4', width: 322, height: 180, seconds: 2.5 });
    expect(boxesOf(video.bytes).map(({ kind }) => kind)).toEqual(['ftyp', 'moov', 'mdat']);
    const boxes = boxesByType(video.bytes);
    const movieHeader = box(boxes, 'mvhd');
    expect(movieHeader.readUInt32BE(24) / movieHeader.readUInt32BE(20)).toBeCloseTo(2.5, 2);
    const trackHeader = box(boxes, 'tkhd');
    expect([
      trackHeader.readUInt32BE(trackHeader.length - 8) / 65536,
      trackHeader.readUInt32BE(trackHeader.length - 4) / 65536,
    ]).toEqual([322, 180]);
    expect(box(boxes, 'stsd').includes('avcC')).toBe(true);
    expect(video.bytes.length).toBeGreaterThan(10_000);
  });

  it('A video has an index of its frames and its key frames', async () => {
    const video = await studio.drawVideo(sceneOf('forest', 2), { width: 96, height: 64, seconds: 5 });
    const boxes = boxesByType(video.bytes);
    const kinds = frameKinds(video.bytes);
    expect(kinds).toHaveLength(box(boxes, 'stts').readUInt32BE(16));
    const keyFrames = box(boxes, 'stss');
    const keyFrameNumbers = Array.from({ length: keyFrames.readUInt32BE(12) }, (_, index) =>
      keyFrames.readUInt32BE(16 + index * 4),
    );
    expect(keyFrameNumbers.length).toBeGreaterThan(1);
    expect(keyFrameNumbers).toEqual(kinds.flatMap((kind, index) => (kind === 1 ? [] : [index + 1])));
  });

  it('A video is the same every time, even if two are requested at once', { tags: ['breadth'] }, async () => {
    const drawVideo = () => studio.drawVideo(sceneOf('night city', 5), { width: 64, height: 64, seconds: 0.5 });
    const [first, second] = await Promise.all([drawVideo(), drawVideo()]);
    expect(first.bytes.equals(second.bytes)).toBe(true);
  });

  it('A video whose size H.264 does not support is rendered in the next even size', async () => {
    const video = await studio.drawVideo(sceneOf('planet', 5), { width: 33, height: 19, seconds: 0 });
    expect([video.width % 2, video.height % 2]).toEqual([0, 0]);
    expect(video.seconds).toBeGreaterThan(0);
  });

  it('A video is refused after the studio has closed', async () => {
    const closedStudio = createStudio();
    await closedStudio.close();
    await expect(closedStudio.drawVideo(sceneOf('planet', 5), { width: 32, height: 32, seconds: 1 })).rejects.toThrow(
      /closed/,
    );
  });
});
