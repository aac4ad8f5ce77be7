import { Refusal } from '../../../lib/refusal.ts';
import type { ReadableAudioType } from '../process/jobs.ts';
import { type AudioChunk, type AudioChunks, collectSamples } from './resample.ts';

/** Each codec is loaded for the first file that needs it. */
const readers: Readonly<Record<ReadableAudioType, (bytes: Buffer) => Promise<AudioChunks>>> = {
  ogg: async (bytes) => (await import('./opus.ts')).decodeOpus(bytes),
  mp3: async (bytes) => mp3Chunks(bytes),
  wav: async (bytes) => wavChunks(bytes),
};

export async function readSamples(
  type: ReadableAudioType,
  bytes: Buffer,
  maxSeconds: number,
): Promise<Int16Array<ArrayBuffer>> {
  return await collectSamples(await readers[type](bytes), maxSeconds);
}

/** MP3 files are read in small chunks, because at the lowest bit rate a minute fits into 60 KB. */
const CHUNK_BYTES = 16_384;

async function* mp3Chunks(bytes: Buffer): AsyncGenerator<AudioChunk> {
  const { MPEGDecoder } = await import('mpg123-decoder');
  const decoder = new MPEGDecoder();
  await decoder.ready;
  try {
    for (let offset = 0; offset < bytes.length; offset += CHUNK_BYTES) {
      const { channelData, sampleRate } = decoder.decode(bytes.subarray(offset, offset + CHUNK_BYTES));
      const [left, right] = channelData;
      if (!left?.length) continue;
      const samples = right ? left.map((value, index) => (value + (right[index] ?? 0)) / 2) : left;
      yield { samples, rate: sampleRate };
    }
  } finally {
    decoder.free();
  }
}

const INTEGER_FORMAT = 1;
const FLOAT_FORMAT = 3;
/** With this value, the actual encoding follows after the usual fields. */
const EXTENSIBLE_FORMAT = 0xfffe;
/** No real recording is outside of these limits. Without them, the author of a file could make the output arbitrarily long. */
const MIN_SAMPLE_RATE = 2_000;
const MAX_SAMPLE_RATE = 768_000;
const MAX_CHANNELS = 32;
const FRAMES_PER_CHUNK = 32_768;

/** Reads the samples of a WAV file. A file that was truncated, or written without a known length, is read as far as possible. */
function* wavChunks(bytes: Buffer): Generator<AudioChunk> {
  const { channels, rate, frameBytes, sample } = formatOf(findChunk(bytes, 'fmt '));
  const data = findChunk(bytes, 'data');
  if (!data) throw new Refusal('refusals.audioDamaged');
  if (data.length === 0) throw new Refusal('refusals.audioEmpty');
  const sampleBytes = frameBytes / channels;
  const frames = Math.floor(data.length / frameBytes);
  for (let firstFrame = 0; firstFrame < frames; firstFrame += FRAMES_PER_CHUNK) {
    const samples = new Float32Array(Math.min(FRAMES_PER_CHUNK, frames - firstFrame));
    for (let index = 0; index < samples.length; index++) {
      const offset = (firstFrame + index) * frameBytes;
      let sum = 0;
      for (let channel = 0; channel < channels; channel++) sum += sample(data, offset + channel * sampleBytes);
      samples[index] = Number.isFinite(sum) ? sum / channels : 0;
    }
    yield { samples, rate };
  }
}

function findChunk(bytes: Buffer, name: string): Buffer | undefined {
  for (let offset = 12; offset + 8 <= bytes.length; ) {
    const length = bytes.readUInt32LE(offset + 4);
    if (bytes.toString('latin1', offset, offset + 4) === name) return bytes.subarray(offset + 8, offset + 8 + length);
    offset += 8 + length + (length % 2);
  }
  return undefined;
}

function formatOf(fields: Buffer | undefined) {
  if (!fields || fields.length < 16) throw new Refusal('refusals.audioDamaged');
  const declaredFormat = fields.readUInt16LE(0);
  const encoding =
    declaredFormat === EXTENSIBLE_FORMAT && fields.length >= 26 ? fields.readUInt16LE(24) : declaredFormat;
  const channels = fields.readUInt16LE(2);
  const rate = fields.readUInt32LE(4);
  const frameBytes = fields.readUInt16LE(12);
  const sample = samplers.get(`${encoding} ${frameBytes / channels}`);
  if (!sample) throw new Refusal('refusals.audioNotSupported');
  if (channels > MAX_CHANNELS || rate < MIN_SAMPLE_RATE || rate > MAX_SAMPLE_RATE)
    throw new Refusal('refusals.audioDamaged');
  return { channels, rate, frameBytes, sample };
}

/** Functions that read one sample, by encoding and number of bytes per sample. If only some of the bits are used, they are the highest ones, so this needs no special case. */
const samplers = new Map([
  [`${INTEGER_FORMAT} 1`, (data: Buffer, offset: number) => ((data[offset] ?? 0) - 2 ** 7) / 2 ** 7],
  [`${INTEGER_FORMAT} 2`, (data: Buffer, offset: number) => data.readInt16LE(offset) / 2 ** 15],
  [`${INTEGER_FORMAT} 3`, (data: Buffer, offset: number) => data.readIntLE(offset, 3) / 2 ** 23],
  [`${INTEGER_FORMAT} 4`, (data: Buffer, offset: number) => data.readInt32LE(offset) / 2 ** 31],
  [`${FLOAT_FORMAT} 4`, (data: Buffer, offset: number) => data.readFloatLE(offset)],
  [`${FLOAT_FORMAT} 8`, (data: Buffer, offset: number) => data.readDoubleLE(offset)],
]);
