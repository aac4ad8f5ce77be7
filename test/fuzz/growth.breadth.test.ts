import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { readCorpus } from './corpus.ts';
import type { Growth } from './growth.ts';
import { failureOf } from './target.ts';
import { targets } from './targets/index.ts';

/** The factor by which the steps may grow for twice the input. With quadratic growth, it would be four. */
const MAX_GROWTH = 2.5;
/** When an optimizing compiler replaces code that runs, some of its blocks are counted twice or not at all. */
const WITHOUT_OPTIMIZING = ['--no-opt', '--no-maglev'];
const MAX_OUTPUT_BYTES = 2 ** 24;

const growthCases = targets.flatMap(({ name, growing }) => Object.keys(growing).map((growth) => ({ name, growth })));

describe('A reader of external input', () => {
  let measured: readonly Growth[] = [];
  beforeAll(async () => {
    const program = fileURLToPath(new URL('growth.ts', import.meta.url));
    const args = [...WITHOUT_OPTIMIZING, program];
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: MAX_OUTPUT_BYTES });
    measured = JSON.parse(stdout);
  });

  it.each(growthCases)(
    'A reader of external input takes at most two and a half times the steps for twice the input: $name, $growth',
    (growthCase) => {
      const found = measured.find(({ name, growth }) => name === growthCase.name && growth === growthCase.growth);
      expect(found).toMatchObject({ failures: [] });
      const { baseSteps = 0, doubledSteps = Number.NaN } = found ?? {};
      expect(baseSteps).toBeGreaterThan(0);
      expect(doubledSteps / baseSteps).toBeLessThanOrEqual(MAX_GROWTH);
    },
  );
});

const formerFindings = targets.flatMap((target) =>
  readCorpus(target.name).map((file) => ({ ...file, target, targetName: target.name })),
);

describe('A former finding', () => {
  it.each(formerFindings)('A former finding no longer occurs: $targetName, $name', async ({ target, bytes }) => {
    expect(await failureOf(target, bytes)).toBeUndefined();
  });
});
