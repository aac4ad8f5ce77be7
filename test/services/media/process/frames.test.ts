import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BrokenFrame, FrameReader, writeFrame } from '../../../../src/services/media/process/frames.ts';

const encodeFrames = (frames: readonly { note: object; body: Uint8Array }[]): Buffer => {
  const pipe = new PassThrough({ highWaterMark: 1_000_000 });
  for (const { note, body } of frames) writeFrame(pipe, note, body);
  return Buffer.from(pipe.read() ?? []);
};

describe('Frames between two processes', () => {
  it('Frames between two processes arrive unchanged however the pipe splits them', () => {
    const frame = fc.record({ note: fc.dictionary(fc.string(), fc.string()), body: fc.uint8Array({ maxLength: 300 }) });
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 5 }), fc.array(fc.integer({ min: 1, max: 90 })), (frames, sizes) => {
        const bytes = encodeFrames(frames);
        const received: { note: object; body: Uint8Array }[] = [];
        const reader = new FrameReader(300, ({ metadata, body }) =>
          received.push({ note: JSON.parse(metadata), body: new Uint8Array(body) }),
        );
        for (let offset = 0, turn = 0; offset < bytes.length; turn++) {
          const size = sizes[turn % Math.max(1, sizes.length)] ?? 7;
          reader.read(bytes.subarray(offset, offset + size));
          offset += size;
        }
        expect(received).toEqual(frames.map(({ note, body }) => ({ note: JSON.parse(JSON.stringify(note)), body })));
      }),
    );
  });

  it('Frames between two processes are refused before any memory is allocated for an oversized body', () => {
    const bytes = encodeFrames([{ note: {}, body: new Uint8Array(301) }]);
    expect(() => new FrameReader(300, () => undefined).read(bytes)).toThrow(BrokenFrame);
  });
});
