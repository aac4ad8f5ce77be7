import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Resampler } from '../../../../src/services/media/sound/resample.ts';
import { runs } from '../../../support/runs.ts';
import { amplitudeOf } from './listen.ts';

const tone = (hertz: number, rate: number, seconds = 0.25): Float32Array =>
  Float32Array.from({ length: Math.round(seconds * rate) }, (_, index) =>
    Math.sin((2 * Math.PI * hertz * index) / rate),
  );

function resample(samples: Float32Array, rate: number, chunkSizes: readonly number[] = []): number[] {
  const resampler = new Resampler(rate);
  const output: number[] = [];
  let offset = 0;
  for (const size of chunkSizes) {
    output.push(...resampler.push(samples.slice(offset, offset + size)));
    offset += size;
  }
  output.push(...resampler.push(samples.slice(offset)), ...resampler.end());
  return output;
}

const decibels = (amplitude: number): number => 20 * Math.log10(Math.max(1e-9, amplitude));
/** The level of a frequency in decibels. Omits both ends, where a tone that starts abruptly contains every frequency. */
const levelOf = (hertz: number, samples: number[]): number =>
  decibels(
    amplitudeOf(
      hertz,
      samples.map((value) => value * 32_768),
      0.05,
      0.2,
    ),
  );

describe('Resampled audio', () => {
  it.each([8_000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 96_000])(
    'Resampled audio from %i Hz keeps the loudness of a voice',
    (rate) => {
      for (const hertz of [100, 1_000, 3_400])
        expect(Math.abs(levelOf(hertz, resample(tone(hertz, rate), rate)))).toBeLessThan(0.1);
    },
  );

  it.each([
    [44_100, 13_000],
    [44_100, 20_000],
    [48_000, 15_000],
    [48_000, 23_000],
    [96_000, 40_000],
  ])('Resampled audio from %i Hz has no audible aliasing of %i Hz', (rate, hertz) => {
    const alias = Math.abs(hertz - 24_000 * Math.round(hertz / 24_000));
    expect(levelOf(alias, resample(tone(hertz, rate), rate))).toBeLessThan(-70);
  });

  it('Resampled audio from 8,000 Hz has nothing above its original range', () => {
    expect(levelOf(7_000, resample(tone(1_000, 8_000), 8_000))).toBeLessThan(-70);
  });

  it('Resampled audio is the same however it is split into chunks', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(8_000, 11_025, 24_000, 44_100, 48_000, 44_101),
        fc.array(fc.integer({ min: 0, max: 900 }), { maxLength: 8 }),
        (rate, chunkSizes) => {
          const samples = tone(440, rate, 0.06);
          expect(resample(samples, rate, chunkSizes)).toEqual(resample(samples, rate));
        },
      ),
      { numRuns: runs(30, 8) },
    );
  });

  it('Resampled audio keeps its length to within half a sample', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2_000, max: 200_000 }), fc.integer({ min: 0, max: 3_000 }), (rate, length) => {
        const output = resample(new Float32Array(length), rate);
        expect(Math.abs(output.length - (length * 24_000) / rate)).toBeLessThanOrEqual(0.5);
      }),
      { numRuns: runs(25, 8) },
    );
  });
});
