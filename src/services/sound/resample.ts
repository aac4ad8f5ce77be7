import { PCM_RATE } from '../../lib/pcm.ts';
import { Refusal } from '../../lib/refusal.ts';

/** Anything shorter is a click and not speech, and models require at least a tenth of a second. */
const MIN_SECONDS = 0.1;

/** Converts the chunks of a file to the bot's sample format. Refuses a file that exceeds the length limit. */
export async function collectSamples(chunks: AudioChunks, maxSeconds: number): Promise<Int16Array<ArrayBuffer>> {
  const parts: Int16Array[] = [];
  const max = maxSeconds * PCM_RATE;
  let length = 0;
  const add = (samples: Float32Array): void => {
    length += samples.length;
    if (length > max) throw new Refusal('refusals.audioTooLong', { max: String(maxSeconds) });
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
  const whole = new Int16Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function toIntegers(samples: Float32Array): Int16Array {
  return Int16Array.from(samples, (value) => Math.max(-32_768, Math.min(32_767, Math.round(value * 32_768))));
}

/** The lobes of the filter on each side. More would be sharper but slower. */
const LOBES = 32;
/** Everything above this share of the highest common frequency of both rates is removed, to avoid aliasing at the end of the filter. */
const CUTOFF = 0.92;
/** The parameter of the Kaiser window: removed frequencies are about 90 dB lower. */
const SHAPE = 9;
/** The most steps between two samples, for rates without a simple ratio to the bot's rate. */
const MAX_PHASES = 480;

/**
 * Converts one channel to the bot's rate with a windowed sinc, calculated once per phase. The result does not depend on how the samples
 * are split.
 */
export class Resampler {
  readonly rate: number;
  readonly #reach: number;
  readonly #phases: number;
  readonly #weights: Float32Array;
  /** The latest input samples; at first, silence precedes them. */
  #held: Float32Array;
  /** The position in the file of the first held sample. */
  #first: number;
  #received = 0;
  #produced = 0;

  constructor(rate: number) {
    const scale = Math.min(1, PCM_RATE / rate);
    this.rate = rate;
    this.#reach = Math.ceil(LOBES / scale);
    this.#phases = Math.min(MAX_PHASES, PCM_RATE / greatestCommonDivisor(rate, PCM_RATE));
    this.#weights = weightsOf(this.#phases, this.#reach, CUTOFF * scale);
    this.#held = new Float32Array(this.#reach);
    this.#first = -this.#reach;
  }

  push(samples: Float32Array): Float32Array {
    this.#received += samples.length;
    if (this.rate === PCM_RATE) return samples;
    return this.#filter(samples, Number.POSITIVE_INFINITY);
  }

  /** Flushes the filter, and trims the result to its total length. */
  end(): Float32Array {
    if (this.rate === PCM_RATE) return new Float32Array();
    return this.#filter(new Float32Array(this.#reach + 1), Math.round((this.#received * PCM_RATE) / this.rate));
  }

  #filter(samples: Float32Array, end: number): Float32Array {
    const held = new Float32Array(this.#held.length + samples.length);
    held.set(this.#held);
    held.set(samples, this.#held.length);
    const width = 2 * this.#reach;
    // The last sample of the window must have arrived.
    const ready = this.#first + held.length - this.#reach - 1;
    const until = Math.max(this.#produced, Math.min(end, Math.ceil((ready * PCM_RATE) / this.rate)));
    const made = new Float32Array(until - this.#produced);
    for (let index = 0; index < made.length; index++) {
      const place = (this.#produced + index) * this.rate;
      const whole = Math.floor(place / PCM_RATE);
      const phase = Math.floor(((place % PCM_RATE) * this.#phases) / PCM_RATE);
      const from = whole - this.#reach + 1 - this.#first;
      const weights = phase * width;
      let sum = 0;
      for (let tap = 0; tap < width; tap++) sum += (held[from + tap] ?? 0) * (this.#weights[weights + tap] ?? 0);
      made[index] = sum;
    }
    this.#produced = until;
    const keep = Math.max(0, Math.floor((until * this.rate) / PCM_RATE) - this.#reach + 1 - this.#first);
    this.#held = held.slice(keep);
    this.#first += keep;
    return made;
  }
}

function weightsOf(phases: number, reach: number, cutoff: number): Float32Array {
  const width = 2 * reach;
  const weights = new Float32Array(phases * width);
  for (let phase = 0; phase < phases; phase++) {
    const row = weights.subarray(phase * width, (phase + 1) * width);
    for (let tap = 0; tap < width; tap++) {
      const distance = tap - reach + 1 - phase / phases;
      row[tap] = sinc(distance * cutoff) * kaiser(distance / reach);
    }
    // A constant signal keeps its level exactly, in every phase.
    const sum = row.reduce((total, weight) => total + weight, 0);
    for (let tap = 0; tap < width; tap++) row[tap] = (row[tap] ?? 0) / sum;
  }
  return weights;
}

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));
const kaiser = (x: number): number => (Math.abs(x) > 1 ? 0 : bessel(SHAPE * Math.sqrt(1 - x * x)) / bessel(SHAPE));

/** The modified Bessel function of order zero, by its series. */
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
