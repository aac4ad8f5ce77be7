import { randomInt } from 'node:crypto';
import { describe, expect } from 'vitest';
import { families, judgeOrder, judgePoll } from '../../../../../bench/readers/reading.ts';
import { runs } from '../../../../support/runs.ts';
import { itVariants } from '../../../../support/variants.ts';

const RESPONSE_COUNT = runs(240, 120);
const MIN_UNDERSTOOD_SHARE = 0.9;
/** The share is 0.96 on average, but differs by up to 0.07 between random samples of this size. */
const MIN_SAMPLE_SHARE = 0.85;

const FIXED_SEED = 2_026;
/** One of its responses has an id beside a negative code, and no task. */
const FORMER_SEED = 856_397_136;
/** The last seed differs in each run. */
const seeds = [FIXED_SEED, FORMER_SEED, randomInt(2 ** 31)];

const cases = seeds.flatMap((seed) => families.map(({ family, kind }) => ({ family, kind, seed })));

describe.each([
  ['orders', judgeOrder],
  ['polls', judgePoll],
] as const)('Generated responses to %s', (requestType, judge) => {
  itVariants(cases)(
    `Generated responses to ${requestType} of the $family family are read correctly or not at all, for seed $seed`,
    ({ family, kind, seed }) => {
      const judgements = Array.from({ length: RESPONSE_COUNT }, (_, index) => ({
        at: seed + index,
        ...judge(family, kind, seed + index),
      }));
      const unambiguousJudgements = judgements.filter(({ isClear }) => isClear);
      const understoodJudgements = unambiguousJudgements.filter(({ verdict }) => verdict === 'understood');
      expect(judgements.filter(({ verdict }) => verdict === 'wrong')).toEqual([]);
      const understoodShare = understoodJudgements.length / unambiguousJudgements.length;
      expect(understoodShare).toBeGreaterThan(seed === FIXED_SEED ? MIN_UNDERSTOOD_SHARE : MIN_SAMPLE_SHARE);
      expect(unambiguousJudgements.length).toBeLessThan(RESPONSE_COUNT);
    },
  );
});
