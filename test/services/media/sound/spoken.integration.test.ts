import { OpusDecoder } from 'opus-decoder';
import { afterAll, describe, expect, it } from 'vitest';
import { createLogger } from '../../../../src/lib/log.ts';
import { PCM_RATE } from '../../../../src/lib/pcm.ts';
import { openAudio } from '../../../../src/services/media/audio.ts';
import { memoryContent } from '../../../../src/services/media/content.ts';
import { mediaProcess } from '../../../support/media-process.ts';
import { itVariants } from '../../../support/variants.ts';
import { loudness, similarity } from './listen.ts';
import { encodeVoiceMessage } from './spoken-by.ts';
import { toneSamples } from './tones.ts';

const log = createLogger({ level: 'silent', secrets: [], isPretty: false, write: () => undefined });
const audio = openAudio({ log, process: mediaProcess });
afterAll(() => audio.close());

const toInt16 = (samples: Float32Array): Int16Array => Int16Array.from(samples, (value) => Math.round(value * 32_767));
const repeatTones = (seconds: number): Int16Array => {
  const tones = toInt16(toneSamples(PCM_RATE));
  return Int16Array.from({ length: Math.round(seconds * PCM_RATE) }, (_, index) => tones[index % tones.length] ?? 0);
};

/** Returns the samples that a third-party decoder reads from verified pages, as a player would under RFC 7845. */
async function decodeAsPlayer(bytes: Buffer): Promise<{ samples: Float32Array; errors: unknown[] }> {
  const [head, , ...audioPages] = pagesOf(bytes);
  const preSkip = head?.packets[0]?.readUInt16LE(10) ?? 0;
  const decoder = new OpusDecoder({ channels: 1, preSkip });
  await decoder.ready;
  const { channelData, errors } = decoder.decodeFrames(audioPages.flatMap(({ packets }) => packets));
  decoder.free();
  const end = (audioPages.at(-1)?.granule ?? 0) - preSkip;
  return { samples: (channelData[0] ?? new Float32Array()).subarray(0, end), errors };
}

interface Page {
  flags: number;
  granule: number;
  serial: number;
  number: number;
  packets: Buffer[];
}

/**
 * Returns the pages of a file, and checks the signature and the checksum of each (computed bit by bit, as the standard does).
 */
function pagesOf(bytes: Buffer): Page[] {
  const pages: Page[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    expect(bytes.toString('latin1', offset, offset + 5)).toBe('OggS\0');
    const lengths = [...bytes.subarray(offset + 27, offset + 27 + (bytes[offset + 26] ?? 0))];
    const end = offset + 27 + lengths.length + lengths.reduce((sum, length) => sum + length, 0);
    const page = Buffer.from(bytes.subarray(offset, end));
    const sum = page.readUInt32LE(22);
    page.writeUInt32LE(0, 22);
    expect(slowChecksum(page)).toBe(sum);
    const packets: Buffer[] = [];
    let start = 27 + lengths.length;
    let length = 0;
    for (const part of lengths) {
      length += part;
      if (part === 255) continue;
      packets.push(page.subarray(start, start + length));
      start += length;
      length = 0;
    }
    expect(length).toBe(0);
    pages.push({
      flags: page[5] ?? 0,
      granule: Number(page.readBigInt64LE(6)),
      serial: page.readUInt32LE(14),
      number: page.readUInt32LE(18),
      packets,
    });
    offset = end;
  }
  return pages;
}

function slowChecksum(page: Buffer): number {
  let sum = 0n;
  for (const byte of page) {
    sum ^= BigInt(byte) << 24n;
    for (let bit = 0; bit < 8; bit++) {
      sum = (sum & 0x80000000n) === 0n ? sum << 1n : ((sum << 1n) ^ 0x04c11db7n) & 0xffffffffn;
    }
  }
  return Number(sum);
}

describe('A voice message', () => {
  itVariants([0.05, 1.2, 3.7, 12.3456])(
    'A voice message of %d s is the same in another decoder, from the first sample to the last',
    async (seconds) => {
      const pcm = repeatTones(seconds);
      const message = await encodeVoiceMessage(audio, pcm);
      const { samples, errors } = await decodeAsPlayer(message.bytes);
      expect(errors).toEqual([]);
      expect(message.seconds).toBe(pcm.length / PCM_RATE);
      expect(samples.length).toBe(2 * pcm.length);
      const downsampled = Int16Array.from({ length: pcm.length }, (_, index) =>
        Math.round((samples[2 * index] ?? 0) * 32_767),
      );
      expect(similarity(pcm, downsampled, 2)).toBeGreaterThan(0.98);
      expect(loudness(downsampled) / loudness(pcm)).toBeCloseTo(1, 1);
    },
  );

  it('A voice message is decoded by the bot as it was recorded', async () => {
    const pcm = repeatTones(2.5);
    const { bytes } = await encodeVoiceMessage(audio, pcm);
    const decoded = await audio.decode(memoryContent(bytes), { maxSeconds: 3 });
    expect(decoded.length).toBe(pcm.length);
    expect(similarity(pcm, decoded, 2)).toBeGreaterThan(0.98);
  });

  it('A voice message on a single page ends at the right position', async () => {
    for (const seconds of [0.1, 0.37, 0.9]) {
      const pcm = repeatTones(seconds);
      expect(
        (await audio.decode(memoryContent((await encodeVoiceMessage(audio, pcm)).bytes), { maxSeconds: 3 })).length,
      ).toBe(pcm.length);
    }
  });

  it('A voice message has its pages in order, separate header pages, positions one second apart, and an end', async () => {
    const pages = pagesOf((await encodeVoiceMessage(audio, repeatTones(5.5))).bytes);
    const [head, tags, ...audioPages] = pages;
    expect(pages.map(({ number }) => number)).toEqual(pages.keys().toArray());
    expect(new Set(pages.map(({ serial }) => serial)).size).toBe(1);
    expect(pages.map(({ flags }) => flags)).toEqual([2, ...Array<number>(pages.length - 2).fill(0), 4]);
    expect(head?.packets.map((packet) => packet.toString('latin1', 0, 8))).toEqual(['OpusHead']);
    expect(tags?.packets.map((packet) => packet.toString('latin1', 0, 8))).toEqual(['OpusTags']);
    const opusHead = head?.packets[0] ?? Buffer.alloc(19);
    const preSkip = opusHead.readUInt16LE(10);
    expect([...opusHead.subarray(8, 10), opusHead.readUInt32LE(12), opusHead[18]]).toEqual([1, 1, PCM_RATE, 0]);
    expect(preSkip).toBeGreaterThan(0);
    expect(audioPages.map(({ granule }) => granule)).toEqual([
      ...audioPages.slice(0, -1).map((_, index) => (index + 1) * 48_000),
      Math.round(preSkip + 5.5 * 48_000),
    ]);
    expect(audioPages.flatMap(({ packets }) => packets).every((packet) => packet.length > 0)).toBe(true);
  });

  it('A voice message has about 32 kbit/s', async () => {
    const { bytes } = await encodeVoiceMessage(audio, repeatTones(10));
    expect((bytes.length * 8) / 10).toBeGreaterThan(20_000);
    expect((bytes.length * 8) / 10).toBeLessThan(40_000);
  });

  it('A voice message has a waveform column per tenth of a second, in which the loudest column is full and silence is empty', async () => {
    const pcm = new Int16Array(2 * PCM_RATE);
    pcm.set(repeatTones(0.3), PCM_RATE);
    const columns = [...Buffer.from((await encodeVoiceMessage(audio, pcm)).waveform, 'base64')];
    expect(columns).toHaveLength(20);
    expect(Math.max(...columns)).toBe(255);
    expect(columns.map((column) => column > 0)).toEqual(columns.map((_, index) => index >= 10 && index < 13));
  });

  it('A voice message has at least one and at most 256 waveform columns, which are flat for noise', {
    tags: ['breadth'],
  }, async () => {
    const waveformOf = async (pcm: Int16Array) =>
      Buffer.from((await encodeVoiceMessage(audio, pcm)).waveform, 'base64');
    expect(await waveformOf(repeatTones(27))).toHaveLength(256);
    expect(await waveformOf(repeatTones(0.01))).toHaveLength(1);
    const hiss = Int16Array.from({ length: PCM_RATE }, (_, index) => (index % 2 === 0 ? 9 : -9));
    expect(Math.max(...(await waveformOf(hiss)))).toBeLessThan(10);
    expect(Math.max(...(await waveformOf(new Int16Array(PCM_RATE))))).toBe(0);
  });

  it('A voice message cannot be made without samples', async () => {
    await expect(encodeVoiceMessage(audio, new Int16Array())).rejects.toThrow('needs at least one sample');
  });

  it('A voice message leaves its input unchanged', async () => {
    const pcm = repeatTones(0.5);
    await encodeVoiceMessage(audio, pcm);
    expect(pcm).toEqual(repeatTones(0.5));
  });
});
