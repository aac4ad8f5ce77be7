import { setFlagsFromString } from 'node:v8';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCorpus } from './corpus.ts';
import { Coverage } from './coverage.ts';
import { bytesOf, type Target } from './target.ts';

/** The factor by which the steps may grow for twice the input. With quadratic growth, it would be four. */
const MAX_GROWTH = 2.5;
// Larger than the sizes above which some readers make a second pass.
const BASE_SIZE = 1_200;

// When an optimizing compiler replaces code that runs, some of its blocks are counted twice or not at all.
for (const compiler of ['opt', 'maglev']) setFlagsFromString(`--no-${compiler}`);

// Blocks are counted only in code that is compiled after the coverage has started.
const coverage = new Coverage((url) => url.includes('/src/') && !url.includes('/node_modules/'));
coverage.start();
const { targets } = await import('./targets/index.ts');

afterAll(() => {
  coverage.stop();
  for (const compiler of ['opt', 'maglev']) setFlagsFromString(`--${compiler}`);
});

async function failureOf({ run, isExpected }: Target, input: Buffer): Promise<unknown> {
  try {
    await run(input);
  } catch (error) {
    if (!isExpected(error)) return error;
  }
  return undefined;
}

async function stepsOf(target: Target, input: Buffer): Promise<number> {
  coverage.countSteps();
  expect(await failureOf(target, input)).toBeUndefined();
  return coverage.countSteps();
}

const growthCases = targets.flatMap((target) =>
  Object.entries(target.growing).map(([growth, make]) => ({ growth, make, target, name: target.name })),
);

describe('A reader of external input', () => {
  // A first run loads codecs, tables and lazy imports.
  beforeAll(async () => {
    for (const { target, make } of growthCases) await failureOf(target, bytesOf(make(2)));
  });

  it.each(growthCases)(
    'A reader of external input takes at most two and a half times the steps for twice the input: $name, $growth',
    async ({ target, make }) => {
      const baseSteps = await stepsOf(target, bytesOf(make(BASE_SIZE)));
      const doubledInput = bytesOf(make(2 * BASE_SIZE));
      // A timer of the code under test may fire during a run and add steps to it.
      const doubledSteps = Math.min(await stepsOf(target, doubledInput), await stepsOf(target, doubledInput));
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
