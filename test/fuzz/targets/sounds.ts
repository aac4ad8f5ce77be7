import fc from 'fast-check';
import { Refusal } from '../../../src/lib/refusal.ts';
import type { ReadableAudioType } from '../../../src/services/media/process/jobs.ts';
import { readSamples } from '../../../src/services/media/sound/read.ts';
import { BrokenInvariant, type Target } from '../target.ts';
import { soundFiles } from './files.ts';

const MAX_SECONDS = 20;
const SAMPLE_RATE = 24_000;

const latin = (text: string): Buffer => Buffer.from(text, 'latin1');
const repeat = (times: number, chunk: Buffer): Buffer => Buffer.alloc(times * chunk.length, chunk);

async function readAndCheck(type: ReadableAudioType, input: Buffer): Promise<void> {
  const samples = await readSamples(type, input, MAX_SECONDS);
  if (samples.length > MAX_SECONDS * SAMPLE_RATE) throw new BrokenInvariant('More audio was read than is allowed.');
}

const isRefusal = (error: unknown): boolean => error instanceof Refusal;

const littleEndian = (bytes: number, value: number): Buffer => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntLE(value % 2 ** (8 * bytes), 0, bytes);
  return buffer;
};

/** A WAV file with any encoding, sample rate and number of channels, some of which are invalid. */
const wav = fc
  .record({
    coding: fc.constantFrom(0, 1, 2, 3, 6, 7, 0xfffe),
    channels: fc.constantFrom(0, 1, 2, 3, 32, 33, 65_535),
    rate: fc.constantFrom(0, 1, 1_999, 2_000, 8_000, 44_100, 48_000, 768_000, 0xffff_ffff),
    frame: fc.constantFrom(0, 1, 2, 3, 4, 6, 8, 16, 64, 65_535),
    data: fc.uint8Array({ maxLength: 3_000 }),
    claimedLength: fc.option(fc.nat(), { freq: 5 }),
    listChunk: fc.uint8Array({ maxLength: 20 }),
  })
  .map(({ coding, channels, rate, frame, data, claimedLength, listChunk }) => {
    const format = [
      littleEndian(2, coding),
      littleEndian(2, channels),
      littleEndian(4, rate),
      littleEndian(4, rate),
      littleEndian(2, frame),
      littleEndian(2, 16),
    ];
    return Buffer.concat([
      latin('RIFF\0\0\0\0WAVELIST'),
      littleEndian(4, listChunk.length),
      listChunk,
      latin('fmt '),
      littleEndian(4, 16),
      ...format,
      latin('data'),
      littleEndian(4, claimedLength ?? data.length),
      data,
    ]);
  });

const pieces = (signatures: readonly string[]): fc.Arbitrary<Buffer> =>
  fc
    .array(fc.tuple(fc.constantFrom(...signatures), fc.uint8Array({ maxLength: 60 })), { maxLength: 30 })
    .map((list) => Buffer.concat(list.flatMap(([signature, body]) => [latin(signature), Buffer.from(body)])));

const OGG = ['OggS\0\x02', 'OggS\0\0', 'OggS\0\x01', 'OggS\0\x04', 'OpusHead\x01\x01', 'OpusTags', '\xff', '\0\0\0\0'];
const MP3 = [
  'ID3\x04\0\0',
  'ID3\x03\0\0',
  '\xff\xfb\x90\x64',
  '\xff\xf3\x40\xc0',
  '\xff\xe3\x18\xc4',
  'Xing',
  'LAME',
  'TAG',
];
const WAV = ['RIFF', 'WAVE', 'fmt ', 'data', 'LIST', '\xfe\xff', '\0\0\0\0', '\xff\xff\xff\xff'];

export const soundTargets: readonly Target[] = [
  {
    name: 'wav',
    inputType: 'bytes',
    seeds: () => soundFiles('.wav').map((bytes) => bytes.subarray(0, 8_192)),
    structured: wav,
    words: WAV,
    run: (input) => readAndCheck('wav', input),
    isExpected: isRefusal,
    growing: {
      'empty chunks': (times) => Buffer.concat([latin('RIFF\0\0\0\0WAVE'), repeat(times, latin('LIST\0\0\0\0'))]),
      'samples at the lowest rate': (times) =>
        Buffer.concat([
          latin('RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0'),
          littleEndian(4, 8_000),
          littleEndian(4, 8_000),
          latin('\x01\0\x08\0data'),
          littleEndian(4, times),
          Buffer.alloc(times, 3),
        ]),
    },
    // Resampling from a low rate yields up to twelve times as many samples.
    msPerKb: 25,
    fixedMs: 60,
    maxBytes: 24 * 1024,
  },
  {
    name: 'ogg-opus',
    inputType: 'bytes',
    seeds: () => soundFiles('.ogg'),
    structured: pieces(OGG),
    words: OGG,
    run: (input) => readAndCheck('ogg', input),
    isExpected: isRefusal,
    growing: {
      'broken pages': (times) => repeat(times, latin('OggS\0\0')),
      'pages without packets': (times) => repeat(times, Buffer.concat([latin('OggS\0\x02'), Buffer.alloc(21)])),
      'broken pages with long tables': (times) =>
        repeat(times, Buffer.concat([latin('OggS\0\x02'), Buffer.alloc(20), latin('\xff'), Buffer.alloc(255, 0)])),
    },
    // A packet of two bytes can contain up to 120 ms of audio, and reading continues until `MAX_SECONDS` of audio have been read.
    fixedMs: 900,
    msPerKb: 20,
  },
  {
    name: 'mp3',
    inputType: 'bytes',
    seeds: () => soundFiles('.mp3').map((bytes) => bytes.subarray(0, 12_288)),
    structured: pieces(MP3),
    words: MP3,
    run: (input) => readAndCheck('mp3', input),
    isExpected: isRefusal,
    growing: {
      'headers without frames': (times) => repeat(times, latin('\xff\xfb\x90\x64')),
      tags: (times) => repeat(times, latin('ID3\x04\0\0\0\0\0\0')),
    },
    fixedMs: 900,
    msPerKb: 20,
  },
];
