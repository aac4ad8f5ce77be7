import { PCM_RATE } from '../../../../src/lib/pcm.ts';

/**
 * The similarity of two signals at the best delay of up to `max` samples: 1 if they are equal, regardless of
 * loudness.
 */
export function similarity(one: ArrayLike<number>, other: ArrayLike<number>, max = 60): number {
  let best = -1;
  for (let delay = -max; delay <= max; delay += 1) best = Math.max(best, similarityAt(one, other, delay));
  return best;
}

function similarityAt(one: ArrayLike<number>, other: ArrayLike<number>, delay: number): number {
  let [product, energyOfOne, energyOfOther] = [0, 0, 0];
  for (let index = Math.max(0, -delay); index < Math.min(one.length, other.length - delay); index++) {
    const [a, b] = [one[index] ?? 0, other[index + delay] ?? 0];
    product += a * b;
    energyOfOne += a * a;
    energyOfOther += b * b;
  }
  return energyOfOne === 0 || energyOfOther === 0 ? 0 : product / Math.sqrt(energyOfOne * energyOfOther);
}

/** The amplitude of one frequency between two points in time, at most 1. */
export function amplitudeOf(hertz: number, pcm: ArrayLike<number>, from: number, to: number, rate = PCM_RATE): number {
  let [cosines, sines] = [0, 0];
  const [first, last] = [Math.round(from * rate), Math.min(pcm.length, Math.round(to * rate))];
  for (let index = first; index < last; index++) {
    const angle = (2 * Math.PI * hertz * index) / rate;
    cosines += (pcm[index] ?? 0) * Math.cos(angle);
    sines += (pcm[index] ?? 0) * Math.sin(angle);
  }
  return (2 * Math.hypot(cosines, sines)) / (last - first) / 32_768;
}

export function loudness(pcm: ArrayLike<number>): number {
  return Math.sqrt(Array.from(pcm).reduce((sum, value) => sum + value * value, 0) / Math.max(1, pcm.length)) / 32_768;
}
