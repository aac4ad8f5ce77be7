import { afterAll, describe, expect, it } from 'vitest';
import { openStudio, sceneOf } from '../../../sandbox/gateway/studio/index.ts';
import { boxesOf } from '../../../sandbox/gateway/studio/mp4.ts';

const studio = openStudio();
afterAll(() => studio.close());

const CONTAINERS = ['moov', 'trak', 'mdia', 'minf', 'stbl'];

/** All boxes in a file by type, at any depth. */
function boxes(bytes: Buffer): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  const walk = (from: number, to: number) => {
    for (const { kind, start, end } of boxesOf(bytes, from, to)) {
      found.set(kind, bytes.subarray(start, end));
      if (CONTAINERS.includes(kind)) walk(start + 8, end);
    }
  };
  walk(0, bytes.length);
  return found;
}

const box = (found: Map<string, Buffer>, kind: string) => found.get(kind) ?? Buffer.alloc(0);

/** The type of the first NAL unit of every frame: 5 is a key frame, 1 depends on others. */
function frameKinds(bytes: Buffer): number[] {
  const found = boxes(bytes);
  const sizes = box(found, 'stsz');
  let at = box(found, 'stco').readUInt32BE(16);
  return Array.from({ length: sizes.readUInt32BE(16) }, (_, index) => {
    const kind = (bytes[at + 4] ?? 0) & 31;
    at += sizes.readUInt32BE(20 + index * 4);
    return kind;
  });
}

describe('The videos of the studio', () => {
  it('A video is an MP4 file of the requested size and duration, with its index first', async () => {
    const video = await studio.shoot(sceneOf('a boat on the sea', 2), { width: 322, height: 180, seconds: 2.5 });
    expect(video).toMatchObject({ mime: 'video/mp4', width: 322, height: 180, seconds: 2.5 });
    expect(boxesOf(video.bytes).map(({ kind }) => kind)).toEqual(['ftyp', 'moov', 'mdat']);
    const found = boxes(video.bytes);
    const length = box(found, 'mvhd');
    expect(length.readUInt32BE(24) / length.readUInt32BE(20)).toBeCloseTo(2.5, 2);
    const track = box(found, 'tkhd');
    expect([track.readUInt32BE(track.length - 8) / 65536, track.readUInt32BE(track.length - 4) / 65536]).toEqual([
      322, 180,
    ]);
    expect(box(found, 'stsd').includes('avcC')).toBe(true);
    expect(video.bytes.length).toBeGreaterThan(10_000);
  });

  it('A video has an index of its frames and its key frames', async () => {
    const video = await studio.shoot(sceneOf('forest', 2), { width: 96, height: 64, seconds: 5 });
    const found = boxes(video.bytes);
    const kinds = frameKinds(video.bytes);
    expect(kinds).toHaveLength(box(found, 'stts').readUInt32BE(16));
    const keys = box(found, 'stss');
    const listed = Array.from({ length: keys.readUInt32BE(12) }, (_, index) => keys.readUInt32BE(16 + index * 4));
    expect(listed.length).toBeGreaterThan(1);
    expect(listed).toEqual(kinds.flatMap((kind, index) => (kind === 1 ? [] : [index + 1])));
  });

  it('A video is the same every time, and waits for the worker', async () => {
    const shot = () => studio.shoot(sceneOf('night city', 5), { width: 64, height: 64, seconds: 0.5 });
    const [one, other] = await Promise.all([shot(), shot()]);
    expect(one.bytes.equals(other.bytes)).toBe(true);
  });

  it('A video whose size H.264 does not support is made in the next even size', async () => {
    const video = await studio.shoot(sceneOf('planet', 5), { width: 33, height: 19, seconds: 0 });
    expect([video.width % 2, video.height % 2]).toEqual([0, 0]);
    expect(video.seconds).toBeGreaterThan(0);
  });

  it('A video is refused after the studio has closed', async () => {
    const closed = openStudio();
    await closed.close();
    await expect(closed.shoot(sceneOf('planet', 5), { width: 32, height: 32, seconds: 1 })).rejects.toThrow(/closed/);
  });
});
