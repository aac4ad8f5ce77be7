import { PCM_RATE } from '../../../lib/pcm.ts';
import { Refusal } from '../../../lib/refusal.ts';
import { Resampler } from './resample.ts';
import type { Stretches } from './stretch.ts';

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
