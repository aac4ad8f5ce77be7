import { describe, expect, it } from 'vitest';
import type { ContentReader } from '../../../src/services/media/content.ts';
import { decodeBase64, memoryContent } from '../../../src/services/media/content.ts';
import { recognise, recogniseContent, videoFacts } from '../../../src/services/media/files/recognise.ts';
import { mediaTypes } from '../../../src/services/media/media-types.ts';
import { isTruncatedFile } from '../../../src/services/media/videos/mp4.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Wraps a buffer so that every read is counted: each property access, and each character of a returned string. */
function countReads(bytes: Buffer): { bytes: Buffer; steps(): number } {
  let steps = 0;
  const countResult = (value: unknown): unknown => {
    if (value instanceof Buffer) return wrap(value);
    if (typeof value === 'string') steps += value.length;
    return value;
  };
  const wrap = (target: Buffer): Buffer =>
    new Proxy(target, {
      get(_, key) {
        steps += 1;
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function'
          ? (...args: unknown[]) => countResult(Reflect.apply(value, target, args))
          : value;
      },
    });
  return { bytes: wrap(bytes), steps: () => steps };
}

function ebmlHead(contentLength: number): Buffer {
  const head = Buffer.from('1a45dfa30100000000000000', 'hex');
  head.writeUInt32BE(contentLength, 8);
  return head;
}

/** A file whose header covers the elements, but not the 64 bytes after them. */
const ebmlWithElements = (length: number, element: Buffer): Buffer =>
  Buffer.concat([ebmlHead(length), Buffer.alloc(length, element), Buffer.alloc(64)]);

function longDocType(length: number): Buffer {
  const element = Buffer.from('428210000000', 'hex');
  element.writeUInt32BE(0x1000_0000 + length, 2);
  return Buffer.concat([ebmlHead(length + element.length), element, Buffer.alloc(length), latin1('x'.repeat(64))]);
}

const hostileFiles = {
  'a name that consists of zeros': longDocType,
  'a name of zeros followed by one letter': (length: number) => {
    const bytes = longDocType(length);
    bytes[bytes.length - 65] = 0x78;
    return bytes;
  },
  'empty elements': (length: number) => ebmlWithElements(length, Buffer.from('428680', 'hex')),
  voids: (length: number) => ebmlWithElements(length, Buffer.from('ec80', 'hex')),
  'a JPEG with endless fill bytes': (length: number) =>
    Buffer.concat([Buffer.from('ffd8', 'hex'), Buffer.alloc(length, 0xff)]),
  'a tag and then zeros': (length: number) => Buffer.concat([latin1('ID3\x04\0\0\0\0\0\x10'), Buffer.alloc(length)]),
  'a RIFF without its chunk': (length: number) => Buffer.concat([latin1('RIFF\0\0\0\0WAVE'), Buffer.alloc(length, 1)]),
  zeros: (length: number) => Buffer.alloc(length),
};

describe('A file made to keep the bot busy', () => {
  it.each(Object.entries(hostileFiles))(
    'A file made to keep the bot busy takes no more steps to recognise when it is twice as long: %s',
    (_name, makeFile) => {
      const [shortFileSteps, longFileSteps] = [256 * KIB, 512 * KIB].map((length) => {
        const { bytes, steps } = countReads(makeFile(length));
        recognise(bytes);
        return steps();
      });
      expect(longFileSteps).toBe(shortFileSteps);
      expect(shortFileSteps).toBeLessThan(150_000);
    },
  );

  it('A file made to keep the bot busy is recognised on disk by reading only its first bytes and those after its tag', async () => {
    const reads: [number, number][] = [];
    const file = Buffer.concat([latin1('ID3\x04\0\0\0\x7f\x7f\x7f'), Buffer.alloc(4 * MIB)]);
    const reader: ContentReader = {
      size: file.length,
      read: async (start, length) => {
        reads.push([start, length]);
        return file.subarray(start, start + length);
      },
    };
    await recogniseContent(reader);
    expect(reads.length).toBeLessThanOrEqual(2);
    for (const [, length] of reads) expect(length).toBeLessThanOrEqual(72 * KIB);
  });

  /** A hundred megabytes of `free` boxes of the smallest possible size. */
  function tinyBoxesReader(): ContentReader & { reads(): number } {
    let reads = 0;
    const head = latin1('\0\0\0\x08free\0\0\0\x08free');
    return {
      size: 100 * MIB,
      reads: () => reads,
      async read(_start, length) {
        reads += 1;
        return head.subarray(0, length);
      },
    };
  }

  it('A file made to keep the bot busy is not scanned through millions of tiny boxes', async () => {
    const reader = tinyBoxesReader();
    expect(await isTruncatedFile(reader, mediaTypes.mp4)).toBe(false);
    expect(reader.reads()).toBeLessThanOrEqual(8_000);
  });

  it('A file made to keep the bot busy has its facts read in a bounded number of steps, however many boxes it has and however deeply they are nested', async () => {
    const brands = latin1('\0\0\0\x14ftypisom\0\0\0\0isom');
    const nested = (length: number): Buffer => {
      const head = latin1('\0\0\0\0moov');
      head.writeUInt32BE(length + 8);
      return Buffer.concat([brands, head, Buffer.alloc(length, latin1('\0\0\0\x10trak\0\0\0\x08mdia'))]);
    };
    const [shortFileSteps, longFileSteps] = await Promise.all(
      [2 * MIB, 4 * MIB].map(async (length) => {
        const { bytes, steps } = countReads(nested(length));
        expect(await videoFacts(memoryContent(bytes))).toEqual({});
        return steps();
      }),
    );
    expect(longFileSteps).toBe(shortFileSteps);
  });

  it('A file made to keep the bot busy is decoded from base64 in pieces, so other work runs in between', {
    tags: ['breadth'],
  }, async () => {
    let max = 0;
    let pieces = 0;
    const base64 = Buffer.alloc(8 * MIB, 7).toString('base64');
    for await (const chunk of decodeBase64(base64, 100 * MIB)) {
      max = Math.max(max, chunk.length);
      pieces += 1;
    }
    expect(max).toBeLessThanOrEqual(192 * KIB);
    expect(pieces).toBeGreaterThan(40);
  });
});
