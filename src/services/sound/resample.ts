import { PCM_RATE } from '../../lib/pcm.ts';
import { Refusal } from '../../lib/refusal.ts';

/** A click is nothing said; models want a tenth of a second at least. */
const LEAST_SECONDS = 0.1;

/** A file in parts becomes samples as we speak them, as long as it keeps to its length. */
export async function recorded(stretches: Stretches, mostSeconds: number): Promise<Int16Array<ArrayBuffer>> {
  const parts: Int16Array[] = [];
  const most = mostSeconds * PCM_RATE;
  let length = 0;
  const add = (samples: Float32Array): void => {
    length += samples.length;
    if (length > most) throw new Refusal('refusals.soundTooLong', { most: String(mostSeconds) });
    parts.push(toIntegers(samples));
  };
  let resampler: Resampler | undefined;
  for await (const { samples, rate } of stretches) {
    // Files that were joined of several may change their rate on the way.
    if (resampler?.rate !== rate) {
      if (resampler) add(resampler.end());
      resampler = new Resampler(rate);
    }
    add(resampler.push(samples));
  }
  if (!resampler) throw new Refusal('refusals.soundUnreadable');
  add(resampler.end());
  if (length < LEAST_SECONDS * PCM_RATE) throw new Refusal('refusals.soundEmpty');
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

/** How many waves of the filter lie on each side: more of them cut sharper and take longer. */
const WAVES = 32;
/** Everything above this part of what both rates can carry is taken away, so that nothing is left to fold down by where the filter ends. */
const CUTOFF = 0.92;
/** Of the Kaiser window: what should be gone is some 90 dB below. */
const SHAPE = 9;
/** Rates that have no simple ratio to ours share so many steps between two samples. */
const MOST_PHASES = 480;

/** One channel at any rate to the one we speak: a windowed sinc, worked out once for each phase. In pieces, or the whole at once, is the same. */
export class Resampler {
  readonly rate: number;
  readonly #reach: number;
  readonly #phases: number;
  readonly #weights: Float32Array;
  /** The latest of what came in, preceded by the silence before it. */
  #held: Float32Array;
  /** Which sample of the file is the first of those held. */
  #first: number;
  #taken = 0;
  #made = 0;

  constructor(rate: number) {
    const scale = Math.min(1, PCM_RATE / rate);
    this.rate = rate;
    this.#reach = Math.ceil(WAVES / scale);
    this.#phases = Math.min(MOST_PHASES, PCM_RATE / divisor(rate, PCM_RATE));
    this.#weights = weightsOf(this.#phases, this.#reach, CUTOFF * scale);
    this.#held = new Float32Array(this.#reach);
    this.#first = -this.#reach;
  }

  push(samples: Float32Array): Float32Array {
    this.#taken += samples.length;
    if (this.rate === PCM_RATE) return samples;
    return this.#through(samples, Number.POSITIVE_INFINITY);
  }

  /** What the filter still holds, to the length that the whole has to have. */
  end(): Float32Array {
    if (this.rate === PCM_RATE) return new Float32Array();
    return this.#through(new Float32Array(this.#reach + 1), Math.round((this.#taken * PCM_RATE) / this.rate));
  }

  #through(samples: Float32Array, end: number): Float32Array {
    const held = new Float32Array(this.#held.length + samples.length);
    held.set(this.#held);
    held.set(samples, this.#held.length);
    const width = 2 * this.#reach;
    // The last sample of the window has to be there already.
    const ready = this.#first + held.length - this.#reach - 1;
    const until = Math.max(this.#made, Math.min(end, Math.ceil((ready * PCM_RATE) / this.rate)));
    const made = new Float32Array(until - this.#made);
    for (let index = 0; index < made.length; index++) {
      const place = (this.#made + index) * this.rate;
      const whole = Math.floor(place / PCM_RATE);
      const phase = Math.floor(((place % PCM_RATE) * this.#phases) / PCM_RATE);
      const from = whole - this.#reach + 1 - this.#first;
      const weights = phase * width;
      let sum = 0;
      for (let tap = 0; tap < width; tap++) sum += (held[from + tap] ?? 0) * (this.#weights[weights + tap] ?? 0);
      made[index] = sum;
    }
    this.#made = until;
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
    // What stands still keeps its height, to the last digit, in every phase.
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

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}

/** A part of a sound on its way in: one channel, -1 to 1, at the rate of its file. */
export interface Stretch {
  samples: Float32Array;
  rate: number;
}

/** A file in parts, so that hours in a small file are noticed before they fill the memory. */
export type Stretches = AsyncGenerator<Stretch> | Generator<Stretch>;
