import { runWithoutOptions } from '../usage.ts';
import { openEmbeddedSides, tryEmbeddedSides } from './embedded.ts';
import { type Expected, type profiles, writeExpected } from './expected.ts';
import type { StepResult } from './run.ts';

/** Slow enough that every state of a job is seen. */
const SPEED = 20;
/** The embedded sides have nothing to hide. */
const ANYTHING = { has: () => true };

async function observe(profile: (typeof profiles)[number]): Promise<StepResult[]> {
  const sides = await openEmbeddedSides(profile, { speed: SPEED });
  try {
    return await tryEmbeddedSides(sides, ANYTHING);
  } finally {
    await sides.close();
  }
}

/** Runs the trial with the embedded sides, whose responses the trial of real ones is compared with. */
async function observeEmbeddedSides(): Promise<Expected> {
  const [spec, stock] = [await observe('spec'), await observe('stock')];
  const on = (side: string, all: typeof spec) => all.filter((step) => step.side === side);
  return {
    discord: on('discord', spec),
    gateway: { spec: on('gateway', spec), stock: on('gateway', stock) },
    member: [],
  };
}

if (import.meta.main)
  await runWithoutOptions(
    'npm run trial:expected',
    'Runs the trial with the embedded sides and stores what they respond in scripts/trial/expected.json.',
    async () => writeExpected(await observeEmbeddedSides()),
  );
