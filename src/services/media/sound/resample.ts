import { PCM_RATE } from '../../../lib/pcm.ts';
import { Refusal } from '../../../lib/refusal.ts';

/** Anything shorter is a click and not speech, and models require at least a tenth of a second. */
const MIN_SECONDS = 0.1;

/** Converts the chunks of a file to the bot's sample format. Refuses a file that exceeds the length limit. */
export async function collectSamples(chunks: AudioChunks, maxSeconds: number): Promise<Int16Array<ArrayBuffer>> {
  const parts: Int16Array[] = [];
  const maxLength = maxSeconds * PCM_RATE;
  let length = 0;
  const add = (samples: Float32Array): void => {
    length += samples.length;
    if (length > maxLength) throw new Refusal('refusals.audioTooLong', { duration: maxSeconds });
    parts.push(toIntegers(samples));
  };
  let resampler: Resampler | undefined;
  for await (const { samples, rate } of chunks) {
    // The rate may change in a file that was joined from several.
    if (resampler?.rate !== rate) {
      if (resampler) add(resampler.end());
      resampler = new Resampler(rate);
    }
    add(resampler.push(samples));
  }
  if (!resampler) throw new Refusal('refusals.audioDamaged');
  add(resampler.end());
  if (length < MIN_SECONDS * PCM_RATE) throw new Refusal('refusals.audioEmpty');
  const result = new Int16Array(length);
  let offset = 0;
  for (const part of parts) {
    result.set(part, offset);
    offset += part.length;
  }
  return result;
}

function toIntegers(samples: Float32Array): Int16Array {
  return Int16Array.from(samples, (value) => Math.max(-32_768, Math.min(32_767, Math.round(value * 32_768))));
}

/** The lobes of the filter on each side. More lobes would make it sharper but slower. */
const FILTER_LOBES = 32;
/** The cutoff, as a fraction of the lower Nyquist frequency. It leaves room for the filter's roll-off, which would alias otherwise. */
const CUTOFF = 0.92;
/** The parameter of the Kaiser window: it attenuates the removed frequencies by about 90 dB. */
const KAISER_BETA = 9;
/** The most steps between two samples, for rates without a simple ratio to the bot's rate. */
const MAX_PHASES = 480;

/**
 * Converts one channel to the bot's rate with a windowed sinc, calculated once per phase. The result does not depend on how the samples
 * are split.
 */
export class Resampler {
  readonly rate: number;
  readonly #halfWidth: number;
  readonly #phases: number;
  readonly #weights: Float32Array;
  /** The latest input samples; at first, silence precedes them. */
  #buffer: Float32Array;
  /** The position in the file of the first sample in the buffer. */
  #bufferStart: number;
  #receivedLength = 0;
  #producedLength = 0;

  constructor(rate: number) {
    const scale = Math.min(1, PCM_RATE / rate);
    this.rate = rate;
    this.#halfWidth = Math.ceil(FILTER_LOBES / scale);
    this.#phases = Math.min(MAX_PHASES, PCM_RATE / greatestCommonDivisor(rate, PCM_RATE));
    this.#weights = weightsOf(this.#phases, this.#halfWidth, CUTOFF * scale);
    this.#buffer = new Float32Array(this.#halfWidth);
    this.#bufferStart = -this.#halfWidth;
  }

  push(samples: Float32Array): Float32Array {
    this.#receivedLength += samples.length;
    if (this.rate === PCM_RATE) return samples;
    return this.#filter(samples, Number.POSITIVE_INFINITY);
  }

  /** Flushes the filter, and trims the result to its total length. */
  end(): Float32Array {
    if (this.rate === PCM_RATE) return new Float32Array();
    return this.#filter(
      new Float32Array(this.#halfWidth + 1),
      Math.round((this.#receivedLength * PCM_RATE) / this.rate),
    );
  }

  #filter(samples: Float32Array, end: number): Float32Array {
    const buffer = new Float32Array(this.#buffer.length + samples.length);
    buffer.set(this.#buffer);
    buffer.set(samples, this.#buffer.length);
    const width = 2 * this.#halfWidth;
    // The last sample of the window must have arrived.
    const lastReadyIndex = this.#bufferStart + buffer.length - this.#halfWidth - 1;
    const producedEnd = Math.max(
      this.#producedLength,
      Math.min(end, Math.ceil((lastReadyIndex * PCM_RATE) / this.rate)),
    );
    const output = new Float32Array(producedEnd - this.#producedLength);
    for (let index = 0; index < output.length; index++) {
      const position = (this.#producedLength + index) * this.rate;
      const inputIndex = Math.floor(position / PCM_RATE);
      const phase = Math.floor(((position % PCM_RATE) * this.#phases) / PCM_RATE);
      const start = inputIndex - this.#halfWidth + 1 - this.#bufferStart;
      const weightsStart = phase * width;
      let sum = 0;
      for (let tap = 0; tap < width; tap++)
        sum += (buffer[start + tap] ?? 0) * (this.#weights[weightsStart + tap] ?? 0);
      output[index] = sum;
    }
    this.#producedLength = producedEnd;
    const keptFrom = Math.max(
      0,
      Math.floor((producedEnd * this.rate) / PCM_RATE) - this.#halfWidth + 1 - this.#bufferStart,
    );
    this.#buffer = buffer.slice(keptFrom);
    this.#bufferStart += keptFrom;
    return output;
  }
}

function weightsOf(phases: number, halfWidth: number, cutoff: number): Float32Array {
  const width = 2 * halfWidth;
  const weights = new Float32Array(phases * width);
  for (let phase = 0; phase < phases; phase++) {
    const row = weights.subarray(phase * width, (phase + 1) * width);
    for (let tap = 0; tap < width; tap++) {
      const distance = tap - halfWidth + 1 - phase / phases;
      row[tap] = sinc(distance * cutoff) * kaiser(distance / halfWidth);
    }
    // A constant signal keeps its level exactly, in every phase.
    const sum = row.reduce((total, weight) => total + weight, 0);
    for (let tap = 0; tap < width; tap++) row[tap] = (row[tap] ?? 0) / sum;
  }
  return weights;
}

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));
const kaiser = (x: number): number =>
  Math.abs(x) > 1 ? 0 : bessel(KAISER_BETA * Math.sqrt(1 - x * x)) / bessel(KAISER_BETA);

/** The modified Bessel function of order zero, computed as a power series. */
function bessel(x: number): number {
  let [sum, term] = [1, 1];
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

/** A decoded part of a file: one channel, -1 to 1, at the file's own rate. */
export interface AudioChunk {
  samples: Float32Array;
  rate: number;
}

/** A file in chunks, so that hours of audio in a small file are noticed before they fill the memory. */
export type AudioChunks = AsyncGenerator<AudioChunk> | Generator<AudioChunk>;
