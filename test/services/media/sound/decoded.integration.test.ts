import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { createLogger } from '../../../../src/lib/log.ts';
import { PCM_RATE, secondsOf } from '../../../../src/lib/pcm.ts';
import { Refusal } from '../../../../src/lib/refusal.ts';
import { openAudio } from '../../../../src/services/media/audio.ts';
import { memoryContent } from '../../../../src/services/media/content.ts';
import { collectSamples } from '../../../../src/services/media/sound/resample.ts';
import { mediaProcess } from '../../../support/media-process.ts';
import { itVariants } from '../../../support/variants.ts';
import { amplitudeOf, loudness, similarity } from './listen.ts';
import { oggOf } from './ogg-of.ts';
import { encodeVoiceMessage } from './spoken-by.ts';
import { SECONDS, TONE_SECONDS, toneSamples, tones } from './tones.ts';
import { wavOf } from './wav-file.ts';

const lines: string[] = [];
const log = createLogger({ level: 'info', secrets: [], isPretty: false, write: (line) => lines.push(line) });
const audio = openAudio({ log, process: mediaProcess });
afterAll(() => audio.close());

const readTestFile = (name: string): Buffer => readFileSync(new URL(`./files/${name}`, import.meta.url));
const decode = (bytes: Uint8Array, maxSeconds = 60) => audio.decode(memoryContent(Buffer.from(bytes)), { maxSeconds });
const outcomeOf = async (bytes: Uint8Array, maxSeconds = 60): Promise<string> =>
  await decode(bytes, maxSeconds).then(
    (pcm) => `${pcm.length} samples`,
    (error: unknown) => (error instanceof Refusal ? error.key : String(error)),
  );

const original = toneSamples(PCM_RATE);

/** A file of Opus packets, with the header of a real file. */
const opusFile = (packets: readonly Buffer[], samples: number): Buffer =>
  oggOf(
    [readTestFile('mono.ogg').subarray(28, 28 + 19), Buffer.from('OpusTags\0\0\0\0\0\0\0\0')],
    packets.map((data, index) => ({ data, granule: (index + 1) * samples })),
    7,
  );

describe('An audio file from a member', () => {
  itVariants([
    ['mono.ogg', 1],
    ['stereo.ogg', 0.75],
    ['constant-with-title.mp3', 1],
    ['variable-stereo.mp3', 0.75],
    ['slow.mp3', 1],
    ['eight-bits.wav', 1],
    ['twenty-four-bits.wav', 1],
    ['floats.wav', 1],
    ['with-a-list.wav', 1],
  ])('An audio file from a member is decoded as it was recorded: %s', async (name, amplitude) => {
    const pcm = await decode(readTestFile(name));
    expect(secondsOf(pcm)).toBeCloseTo(SECONDS, 2);
    expect(similarity(original, pcm)).toBeGreaterThan(0.99);
    // LAME leaves five percent of headroom.
    const gain = loudness(pcm) / loudness(original.map((value) => value * 32_768 * amplitude));
    expect(gain).toBeGreaterThan(0.93);
    expect(gain).toBeLessThan(1.03);
    for (const [number, tone] of tones.entries()) {
      const [from, to] = [number * TONE_SECONDS + 0.05, (number + 1) * TONE_SECONDS - 0.05];
      const amplitudes = tones.map(({ hertz }) => amplitudeOf(hertz, pcm, from, to));
      expect(amplitudes[number]).toBeGreaterThan(0.85 * tone.amplitude * amplitude);
      expect(amplitudes.filter((_, other) => other !== number).every((other) => other < 0.02)).toBe(true);
    }
  });

  itVariants([
    [8_000, 1, 1, false],
    [11_025, 2, 2, false],
    [22_050, 1, 3, false],
    [24_000, 1, 2, false],
    [32_000, 2, 4, false],
    [44_100, 2, 4, true],
    [44_101, 1, 2, false],
    [48_000, 6, 2, false],
    [96_000, 1, 8, true],
    [192_000, 1, 3, false],
  ] as const)(
    'A WAV of %i Hz, %i channels and %i bytes per sample keeps its length and content',
    async (rate, count, bytes, isFloat) => {
      const channels = Array.from({ length: count }, () => toneSamples(rate));
      const pcm = await decode(wavOf(channels, rate, { bytes, isFloat }));
      expect(secondsOf(pcm)).toBeCloseTo(SECONDS, 3);
      expect(similarity(original, pcm, 2)).toBeGreaterThan(0.999);
    },
  );

  it('An audio file from a member is decoded as far as possible if its end is missing', {
    tags: ['breadth'],
  }, async () => {
    const longSamples = Int16Array.from(
      { length: 4 * original.length },
      (_, index) => 32_767 * (original[index % original.length] ?? 0),
    );
    const { bytes: message } = await encodeVoiceMessage(audio, longSamples);
    for (const completeFile of [
      message,
      readTestFile('constant-with-title.mp3'),
      readTestFile('twenty-four-bits.wav'),
    ]) {
      const seconds = secondsOf(await decode(completeFile));
      const pcm = await decode(completeFile.subarray(0, Math.round(completeFile.length * 0.7)));
      expect(secondsOf(pcm)).toBeGreaterThan(0.3 * seconds);
      expect(secondsOf(pcm)).toBeLessThan(0.85 * seconds);
      expect(similarity(longSamples.subarray(0, pcm.length), pcm)).toBeGreaterThan(0.98);
    }
  });

  it('An audio file from a member is decoded if its writer did not know its length yet', async () => {
    const wav = wavOf([toneSamples(8_000)], 8_000, { bytes: 2 });
    wav.writeUInt32LE(0xffffffff, 4);
    wav.writeUInt32LE(0xffffffff, 40);
    expect(secondsOf(await decode(wav))).toBeCloseTo(SECONDS, 3);
  });

  it('An audio file from a member has silence in place of samples that are not numbers', async () => {
    const pcm = await decode(wavOf([toneSamples(8_000).fill(Number.NaN, 0, 800)], 8_000, { bytes: 4, isFloat: true }));
    expect(Math.abs(pcm[1_000] ?? 1)).toBe(0);
    expect(loudness(pcm)).toBeGreaterThan(0.1);
  });

  it('An audio file from a member may be exactly as long as the limit, but no longer', async () => {
    const second = wavOf([new Float32Array(8_000)], 8_000, { bytes: 2 });
    const tooLong = wavOf([new Float32Array(8_001)], 8_000, { bytes: 2 });
    expect(secondsOf(await decode(second, 1))).toBe(1);
    await expect(decode(tooLong, 1)).rejects.toMatchObject({
      key: 'refusals.audioTooLong',
      variables: { duration: 1 },
    });
  });
});

describe('A file without usable audio', () => {
  it('An empty file, a file shorter than a syllable and a bare header are refused as empty', async () => {
    const click = wavOf([toneSamples(8_000).subarray(0, 700)], 8_000, { bytes: 2 });
    const header = wavOf([new Float32Array()], 8_000, { bytes: 2 });
    for (const bytes of [Buffer.alloc(0), click, header]) expect(await outcomeOf(bytes)).toBe('refusals.audioEmpty');
  });

  it('A file without usable audio is refused as broken if none of the announced data is present', async () => {
    const headersOnly = opusFile([], 0);
    const damaged = Buffer.from(readTestFile('mono.ogg'));
    damaged.writeUInt8(damaged.readUInt8(2_000) ^ 1, 2_000);
    const withoutData = wavOf([toneSamples(8_000)], 8_000, { bytes: 2 });
    withoutData.write('atad', 36);
    for (const bytes of [headersOnly, damaged, withoutData])
      expect(await outcomeOf(bytes)).toBe('refusals.audioDamaged');
  });

  it('A file without usable audio is refused according to its type, not to how decoding fails', async () => {
    expect(await outcomeOf(readTestFile('vorbis.ogg'))).toBe('refusals.audioNotSupported');
    expect(await outcomeOf(readTestFile('tones.m4a'))).toBe('refusals.audioNotSupported');
    expect(await outcomeOf(Buffer.from('This is a text, and was called voice-message.ogg.'))).toBe(
      'refusals.audioNotSupported',
    );
    const telephone = wavOf([toneSamples(8_000)], 8_000, { bytes: 1 });
    telephone.writeUInt16LE(7, 20);
    expect(await outcomeOf(telephone)).toBe('refusals.audioNotSupported');
  });

  it('A file without usable audio is refused if a WAV states an impossible format', async () => {
    const changedWav = (change: (wav: Buffer) => void): Buffer => {
      const wav = wavOf([toneSamples(8_000)], 8_000, { bytes: 2 });
      change(wav);
      return wav;
    };
    const invalidWavs = [
      changedWav((wav) => wav.writeUInt16LE(0, 22)),
      changedWav((wav) => wav.writeUInt16LE(0, 32)),
      changedWav((wav) => wav.writeUInt32LE(1, 24)),
      changedWav((wav) => wav.writeUInt32LE(0xffffffff, 24)),
      changedWav((wav) => wav.writeUInt32LE(4, 16)),
    ];
    for (const wav of invalidWavs)
      expect(await outcomeOf(wav)).toMatch(/^refusals\.audio(NotSupported|Damaged|Empty)$/);
  });
});

describe('A small file with minutes of audio', () => {
  it('A small file with minutes of audio is refused in Ogg Opus, whose packets may hold a tenth of a second in two bytes', async () => {
    const bomb = opusFile(Array<Buffer>(1_250).fill(Buffer.from([0x1b, 2])), 5_760);
    expect(bomb.length).toBeLessThan(5_000);
    expect(await outcomeOf(bomb, 60)).toBe('refusals.audioTooLong');
    expect(secondsOf(await decode(bomb, 150))).toBeCloseTo(150, 1);
  });

  it('A small file with minutes of audio is refused in MP3 at the lowest rate', { tags: ['breadth'] }, async () => {
    const frame = Buffer.alloc(72);
    frame.writeUInt32BE(0xffe31800);
    const bomb = Buffer.concat(Array<Buffer>(700).fill(frame));
    expect(await outcomeOf(bomb, 30)).toBe('refusals.audioTooLong');
    expect(secondsOf(await decode(bomb, 60))).toBeCloseTo(50.4, 0);
  });

  it('A small file with minutes of audio is not read to its end', async () => {
    let readCount = 0;
    const endlessChunks = (function* () {
      for (;;) yield { samples: new Float32Array(8_000), rate: 8_000 + 0 * readCount++ };
    })();
    await expect(collectSamples(endlessChunks, 5)).rejects.toMatchObject({ key: 'refusals.audioTooLong' });
    expect(readCount).toBeLessThan(8);
  });
});

describe('A damaged audio file', () => {
  const names = [
    'mono.ogg',
    'stereo.ogg',
    'constant-with-title.mp3',
    'slow.mp3',
    'eight-bits.wav',
    'twenty-four-bits.wav',
  ];
  const refusalPattern = /^refusals\.audio(NotSupported|Damaged|Empty|TooLong)$/;
  const isExpectedOutcome = async (bytes: Uint8Array): Promise<boolean> => {
    const refusalKey = await outcomeOf(bytes, 5);
    return refusalPattern.test(refusalKey) || /^\d+ samples$/.test(refusalKey);
  };

  it('A damaged audio file is decoded as far as possible or refused after any change', async () => {
    const change = fc.record({
      name: fc.constantFrom(...names),
      from: fc.double({ min: 0, max: 1, noNaN: true }),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 40 }),
      removed: fc.integer({ min: 0, max: 400 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const [first] = changes;
        if (!first) return;
        let bytes = readTestFile(first.name);
        for (const { from, bytes: inserted, removed } of changes) {
          const offset = Math.floor(from * bytes.length);
          bytes = Buffer.concat([bytes.subarray(0, offset), inserted, bytes.subarray(offset + removed)]);
        }
        expect(await isExpectedOutcome(bytes)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  it('A damaged audio file in Opus is decoded or refused, whatever its intact packets contain', {
    tags: ['breadth'],
  }, async () => {
    const packet = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
    await fc.assert(
      fc.asyncProperty(fc.array(packet, { maxLength: 60 }), fc.nat(200_000), async (packets, samples) => {
        expect(await isExpectedOutcome(opusFile(packets, samples))).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  it('A damaged audio file with only a valid beginning is refused or decoded, and the next file is decoded', {
    tags: ['breadth'],
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), fc.uint8Array({ maxLength: 4_000 }), async (name, noise) => {
        expect(await isExpectedOutcome(Buffer.concat([readTestFile(name).subarray(0, 300), noise]))).toBe(true);
      }),
      { numRuns: 60 },
    );
    expect(secondsOf(await decode(readTestFile('mono.ogg')))).toBeCloseTo(SECONDS, 3);
  });

  it('A damaged audio file never crashes the worker', () => {
    expect(lines.filter((line) => line.includes('end of its worker'))).toEqual([]);
  });
});
