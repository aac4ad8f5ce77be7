import { inspect } from 'node:util';
import { Coverage } from './coverage.ts';
import { bytesOf, failureOf, type Target } from './target.ts';

// A process of its own, because blocks are counted only in code that is compiled after the coverage has started: neither before, nor for a cache.
// Prints the steps of each reader for inputs that grow, as JSON.

// Larger than the sizes above which some readers make a second pass.
const BASE_SIZE = 1_200;

/** How many steps a reader took for an input, and for one that is twice as large. */
export interface Growth {
  name: string;
  growth: string;
  baseSteps: number;
  doubledSteps: number;
  /** Why an input was refused that should have been read. */
  failures: string[];
}

const coverage = new Coverage((url) => url.includes('/src/') && !url.includes('/node_modules/'));
coverage.start();
const { targets } = await import('./targets/index.ts');

async function measure(target: Target, growth: string, make: Target['growing'][string]): Promise<Growth> {
  const failures: string[] = [];
  const stepsOf = async (input: Buffer): Promise<number> => {
    coverage.countSteps();
    const failure = await failureOf(target, input);
    if (failure !== undefined) failures.push(inspect(failure));
    return coverage.countSteps();
  };
  const baseSteps = await stepsOf(bytesOf(make(BASE_SIZE)));
  const doubledInput = bytesOf(make(2 * BASE_SIZE));
  // A timer of the code under test may fire during a run and add steps to it.
  const doubledSteps = Math.min(await stepsOf(doubledInput), await stepsOf(doubledInput));
  return { name: target.name, growth, baseSteps, doubledSteps, failures };
}

const cases = targets.flatMap((target) =>
  Object.entries(target.growing).map(([growth, make]) => ({ target, growth, make })),
);
// A first run loads codecs, tables and lazy imports.
for (const { target, make } of cases) await failureOf(target, bytesOf(make(2)));
const measured: Growth[] = [];
for (const { target, growth, make } of cases) measured.push(await measure(target, growth, make));
process.stdout.write(JSON.stringify(measured), () => process.exit());
