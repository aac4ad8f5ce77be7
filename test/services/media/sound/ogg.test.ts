import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PCM_RATE } from '../../../../src/lib/pcm.ts';
import { oggChecksum, readPackets } from '../../../../src/services/media/sound/ogg.ts';
import { decodeOpus } from '../../../../src/services/media/sound/opus.ts';
import { collectSamples } from '../../../../src/services/media/sound/resample.ts';
import { loudness } from './listen.ts';
import { oggOf } from './ogg-of.ts';
import { SECONDS } from './tones.ts';

const file = readFileSync(new URL('./files/mono.ogg', import.meta.url));
const [head = Buffer.alloc(19), tags = Buffer.alloc(16), ...voice] = readPackets(file)
  .map(({ data }) => data)
  .toArray();
const decode = (bytes: Buffer) => collectSamples(decodeOpus(bytes), 60);
const pageOffset = (number: number) => (bytes: Buffer) => {
  let offset = 0;
  for (let remaining = number; remaining > 0; remaining--) offset = bytes.indexOf('OggS', offset + 4);
  return offset;
};

/** Repeats the content of the file this many times; each of its packets lasts 20 ms. */
const repeatVoice = (times: number, { serial = 7, heads = [head, tags] } = {}): Buffer => {
  const packets = Array<Buffer[]>(times).fill(voice).flat();
  return oggOf(
    heads,
    packets.map((data, index) => ({ data, granule: (index + 1) * 960 })),
    serial,
  );
};

describe('An Ogg file', () => {
  it('An Ogg file may have packets of any length that continue across pages', () => {
    const packets = [0, 1, 254, 255, 256, 510, 600, 255 * 254].map((length, index) => Buffer.alloc(length, index + 1));
    const bytes = oggOf(
      [],
      packets.map((data, index) => ({ data, granule: index })),
      1,
    );
    expect(
      readPackets(bytes)
        .map(({ data }) => data)
        .toArray(),
    ).toEqual(packets);
  });

  it('An Ogg file with a broken page loses only that page', async () => {
    const completeFile = repeatVoice(4);
    const length = (await decode(completeFile)).length;
    const brokenFile = Buffer.from(completeFile);
    const offset = pageOffset(3)(brokenFile) + 200;
    brokenFile.writeUInt8(brokenFile.readUInt8(offset) ^ 0x55, offset);
    expect(length - (await decode(brokenFile)).length).toBe(PCM_RATE);
  });

  it('An Ogg file drops a packet whose beginning was lost, however many pages it spans', () => {
    const packets = [Buffer.alloc(10, 1), Buffer.alloc(3 * 255 * 255, 2), Buffer.alloc(10, 3)];
    const lengths = (packet: Buffer): number[] => [
      ...Array<number>(Math.floor(packet.length / 255)).fill(255),
      packet.length % 255,
    ];
    // Built by hand, because our writer puts each packet on one page.
    const segments = packets.flatMap(lengths);
    const data = Buffer.concat(packets);
    const pages: Buffer[] = [];
    for (let first = 0, offset = 0; first < segments.length; first += 255) {
      const pageSegments = segments.slice(first, first + 255);
      const size = pageSegments.reduce((sum, length) => sum + length, 0);
      const head = Buffer.alloc(27);
      head.write('OggS');
      head[5] = first > 0 && segments[first - 1] === 255 ? 1 : 0;
      head.writeUInt32LE(first / 255, 18);
      head[26] = pageSegments.length;
      const page = Buffer.concat([head, Buffer.from(pageSegments), data.subarray(offset, offset + size)]);
      page.writeUInt32LE(oggChecksum(page), 22);
      pages.push(page);
      offset += size;
    }
    const read = (remaining: Buffer[]) =>
      readPackets(Buffer.concat(remaining))
        .map(({ data: packet }) => packet)
        .toArray();
    expect(read(pages)).toEqual(packets);
    expect(read(pages.slice(1))).toEqual([packets[2]]);
    expect(read(pages.toSpliced(1, 1))).toEqual([packets[0], packets[2]]);
  });

  it('An Ogg file is decoded even if there are foreign bytes between its pages', async () => {
    const completeFile = repeatVoice(2);
    const second = pageOffset(2)(completeFile);
    const noise = Buffer.from('OggS is how a page begins. OggS\0\0\0\0');
    const withNoise = Buffer.concat([noise, completeFile.subarray(0, second), noise, completeFile.subarray(second)]);
    expect(await decode(withNoise)).toEqual(await decode(completeFile));
  });

  it('An Ogg file is decoded from its first stream only', async () => {
    const [first, other] = [repeatVoice(2), repeatVoice(3, { serial: 8 })];
    const splitAt = pageOffset(1)(first);
    const mixed = Buffer.concat([first.subarray(0, splitAt), other, first.subarray(splitAt)]);
    expect(await decode(mixed)).toEqual(await decode(first));
  });

  it('An Ogg file is decoded with the gain that its header states', async () => {
    const quieterHead = Buffer.from(head);
    quieterHead.writeInt16LE(Math.round(-6.0206 * 256), 16);
    const quietSamples = await decode(repeatVoice(1, { heads: [quieterHead, tags] }));
    expect(loudness(quietSamples) / loudness(await decode(repeatVoice(1)))).toBeCloseTo(0.5, 2);
  });

  it('An Ogg file starts after the pre-skip of its header and ends at the position of its last page', async () => {
    expect((await decode(file)).length).toBe(Math.round(SECONDS * PCM_RATE));
    const longerPreSkipHead = Buffer.from(head);
    longerPreSkipHead.writeUInt16LE(head.readUInt16LE(10) + 9_600, 10);
    expect(
      (await decode(repeatVoice(1))).length -
        (await decode(repeatVoice(1, { heads: [longerPreSkipHead, tags] }))).length,
    ).toBe(4_800);
  });

  it('An Ogg file with more than two channels is refused', async () => {
    const surroundHead = Buffer.from(head);
    surroundHead.writeUInt8(1, 18);
    await expect(decode(repeatVoice(1, { heads: [surroundHead, tags] }))).rejects.toMatchObject({
      key: 'refusals.audioNotSupported',
    });
  });
});
