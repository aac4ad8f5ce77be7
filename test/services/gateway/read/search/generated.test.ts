import { randomInt } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { families, judgeOrder, judgePoll } from '../../../../../bench/readers/reading.ts';

const ANSWERS = 400;
const LEAST_UNDERSTOOD = 0.9;

/** A fixed seed, and one that differs in each run. */
const seeds = [2_026, randomInt(2 ** 31)];

const cases = seeds.flatMap((seed) => families.map(({ family, kind }) => ({ family, kind, seed })));

describe.each([
  ['orders', judgeOrder],
  ['polls', judgePoll],
] as const)('Generated responses to %s', (what, judge) => {
  it.each(cases)(
    `Generated responses to ${what} of the $family family are read correctly or not at all, for seed $seed`,
    ({ family, kind, seed }) => {
      const judged = Array.from({ length: ANSWERS }, (_, at) => ({ at: seed + at, ...judge(family, kind, seed + at) }));
      const clear = judged.filter(({ isClear }) => isClear);
      const understood = clear.filter(({ verdict }) => verdict === 'understood');
      expect(judged.filter(({ verdict }) => verdict === 'wrong')).toEqual([]);
      expect(understood.length / clear.length).toBeGreaterThan(LEAST_UNDERSTOOD);
      expect(clear.length).toBeLessThan(ANSWERS);
    },
  );
});
