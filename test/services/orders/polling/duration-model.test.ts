import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ageOfNextPoll } from '../../../../src/services/orders/polling/allowance.ts';
import { DurationModel, POLLING_PROFILES } from '../../../../src/services/orders/polling/duration-model.ts';
import { fitHistogram } from '../../../../src/services/orders/polling/histogram.ts';
import { specPollCount } from '../../../../src/services/orders/polling/schedule.ts';
import { logNormal, observationsOf } from './drawn.ts';

const second = 1_000;
const modelOf = (durations: readonly number[], gapMs?: number): DurationModel =>
  new DurationModel(fitHistogram(observationsOf(durations, gapMs)), POLLING_PROFILES.video);

/** The ages at which a job of this duration is polled until its end is found. */
function pollAges(model: DurationModel, ms: number, pressure = 1): number[] {
  const ages = [0];
  for (let age = 0; age < ms; ages.push(age)) age = Math.max(model.nextAge(age, pressure), ageOfNextPoll(ages.length));
  return ages;
}

function measureModel(model: DurationModel, durations: readonly number[], pressure = 1) {
  const runs = durations.map((ms) => ({ ms, ages: pollAges(model, ms, pressure) }));
  const mean = (pick: (one: (typeof runs)[number]) => number): number =>
    runs.reduce((sum, one) => sum + pick(one), 0) / runs.length;
  return { polls: mean(({ ages }) => ages.length), delay: mean(({ ms, ages }) => (ages.at(-1) ?? 0) - ms) / second };
}

/** Measures the specification's schedule in the same way as a model. */
function measureSpec(durations: readonly number[]) {
  const gap = (age: number): number => (age < 30 * second ? 2_500 : 7_500);
  const runs = durations.map((ms) => {
    const ages = [0];
    for (let age = 0; age < ms; ages.push(age)) age += gap(age);
    return { polls: ages.length, delay: (ages.at(-1) ?? 0) - ms };
  });
  const sum = (pick: (one: (typeof runs)[number]) => number): number =>
    runs.reduce((total, one) => total + pick(one), 0);
  return { polls: sum(({ polls }) => polls) / runs.length, delay: sum(({ delay }) => delay) / runs.length / second };
}

const images = logNormal(400, 20 * second, 0.4);
const videos = logNormal(400, 120 * second, 0.4);
const bimodal = [...logNormal(240, 10 * second, 0.2), ...logNormal(160, 40 * second, 0.2)];

describe('A duration model', () => {
  it.each([
    ['images', images],
    ['videos', videos],
    ['jobs of two kinds', bimodal],
  ])('A duration model of %s estimates the share of jobs that run longer than a given duration', (_what, durations) => {
    const model = modelOf(durations);
    for (const share of [0.1, 0.25, 0.5, 0.75, 0.9]) {
      const age = durations.toSorted((a, b) => a - b)[Math.floor(share * durations.length)] ?? 0;
      expect(Math.abs(model.survival(age) - (1 - share))).toBeLessThan(0.06);
    }
  });

  it.each([
    ['images', images, 0.7],
    ['videos', videos, 0.55],
    ['jobs of two kinds', bimodal, 0.7],
  ])(
    "A duration model of %s detects the end of a job sooner than the specification's schedule, with no more polls",
    (_what, durations, maxRatio) => {
      const learned = measureModel(modelOf(durations), durations);
      const spec = measureSpec(durations);
      expect(learned.polls).toBeLessThanOrEqual(spec.polls);
      expect(learned.delay).toBeLessThan(maxRatio * spec.delay);
    },
  );

  it('A duration model detects the end of a job sooner even if it underestimates durations by half', () => {
    for (const durations of [images, videos]) {
      const wrongModel = modelOf(durations.map((ms) => ms / 2));
      expect(measureModel(wrongModel, durations).delay).toBeLessThan(measureSpec(durations).delay);
    }
  });

  it('A duration model polls rarely between two peaks', () => {
    const model = modelOf([...logNormal(120, 10 * second, 0.1), ...logNormal(80, 60 * second, 0.1)]);
    const gapAt = (age: number): number => model.nextAge(age) - age;
    expect(gapAt(20 * second)).toBeGreaterThan(2 * gapAt(10 * second));
    expect(gapAt(20 * second)).toBeGreaterThan(2 * gapAt(58 * second));
  });

  it('A duration model increases the gaps gently beyond all observed durations', () => {
    const model = modelOf(images);
    const gaps = [120, 240, 480, 960].map((seconds) => model.nextAge(seconds * second) - seconds * second);
    expect(gaps).toEqual(gaps.toSorted((a, b) => a - b));
    expect(gaps.at(0)).toBeGreaterThan(2 * second);
    expect(gaps.at(-1)).toBeLessThanOrEqual(20 * second);
  });

  it('A duration model polls less the higher the pressure is', () => {
    const model = modelOf(images);
    const polls = [1, 3, 6, 12].map((pressure) => measureModel(model, images, pressure).polls);
    expect(polls).toEqual(polls.toSorted((a, b) => b - a));
    expect(polls[3]).toBeLessThan(0.5 * (polls[0] ?? 0));
  });

  it('For any data, a duration model keeps every gap between two seconds and the limit, and never moves the next poll back as a job ages', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ from: fc.integer({ min: -10, max: 10_000_000 }), gap: fc.integer({ min: -10, max: 9_000_000 }) }),
          {
            minLength: 1,
            maxLength: 40,
          },
        ),
        fc.integer({ min: 0, max: 20_000_000 }),
        fc.constantFrom('image', 'video'),
        (ends, age, profileName) => {
          const model = new DurationModel(
            fitHistogram(ends.map(({ from, gap }) => ({ atLeastMs: from, atMostMs: from + gap, weight: 1 }))),
            POLLING_PROFILES[profileName],
          );
          const next = model.nextAge(age);
          expect(next - age).toBeGreaterThanOrEqual(2_000);
          expect(next - age).toBeLessThanOrEqual(profileName === 'image' ? 9_500 : 20_000);
          expect(model.nextAge(age + 1_000)).toBeGreaterThanOrEqual(next - 1e-6);
        },
      ),
    );
  });

  it('A duration model predicts the number of polls that the schedule of the specification needs', () => {
    const model = modelOf(videos);
    expect(specPollCount((age) => model.survival(age))).toBeCloseTo(measureSpec(videos).polls, -0.5);
  });

  it('A duration model handles ends that are only known to lie within a wide range', () => {
    const durations = [...logNormal(60, 20 * second, 0.3)];
    const model = new DurationModel(
      fitHistogram([...observationsOf(durations), ...observationsOf(durations, 300 * second)]),
      POLLING_PROFILES.image,
    );
    expect(model.survival(60 * second)).toBeLessThan(0.15);
  });
});
