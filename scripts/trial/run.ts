import { DiscordAPIError, HTTPError } from '@discordjs/rest';
import { isDoneWithin, systemClock } from '../../src/lib/clock.ts';
import { compare, sumOf } from '../../src/lib/decimals.ts';
import { GatewayError } from '../../src/services/gateway/errors.ts';
import type { StepResult } from './report.ts';
import type { Sides } from './sides.ts';
import { type KnownWords, Vocabulary } from './words.ts';

export interface Step {
  side: StepResult['side'];
  name: string;
  /** In US dollars; undefined if it is paid but no price is known. A step without this field is free. */
  cost?: { estimate: string | undefined };
  run(): Promise<unknown>;
}

export const stepsOf = (side: Step['side'], runs: Readonly<Record<string, Step['run']>>): Step[] =>
  Object.entries(runs).map(([name, run]) => ({ side, name, run }));

/** Ends a step that is impossible here, for a reason without names. */
export class LeftOut extends Error {}

/** A response is not what the step needs; the message has no values of it. */
export class Unexpected extends Error {}

export interface RunOptions {
  /** In US dollars. */
  maxCost: string;
  /** Whether to run paid steps without a known price. */
  runsUnpriced: boolean;
  known: KnownWords;
  /** The step waits for it, if it returns a promise. */
  onStart?: (step: Step, number: number) => Promise<void> | void;
  onEnd?: (result: StepResult) => void;
}

/** Longer than a video takes. */
const STEP_LIMIT_MS = 15 * 60_000;

/** Runs the steps one by one. A failed step does not end the trial. */
export async function runSteps(
  steps: readonly Step[],
  { recorder, ownTexts }: Sides,
  { maxCost, runsUnpriced, known, onStart, onEnd }: RunOptions,
): Promise<{ results: StepResult[]; spent: string }> {
  const results: StepResult[] = [];
  let spent = '0';
  for (const [index, step] of steps.entries()) {
    await onStart?.(step, index + 1);
    const startedAt = systemClock.now();
    const outcome = await outcomeOf(new Vocabulary(known, ownTexts), async () => {
      const { estimate } = step.cost ?? { estimate: '0' };
      if (estimate === undefined && !runsUnpriced) throw new LeftOut('no price is known for it');
      const total = sumOf([spent, estimate ?? '0']) ?? spent;
      if (step.cost && compare(total, maxCost) > 0) throw new LeftOut('it would exceed the spending cap');
      spent = total;
      const isInTime = await isDoneWithin(systemClock, STEP_LIMIT_MS, step.run());
      if (!isInTime) throw new Unexpected('it took longer than 15 minutes');
    });
    const recorded = await recorder.take(known, ownTexts);
    // The bot's other requests go on while members press buttons, and belong to no step.
    const responses = recorded.filter(({ route }) => step.side !== 'member' || route.startsWith('INTERACTION'));
    const result = { side: step.side, name: step.name, ...outcome, ms: systemClock.now() - startedAt, responses };
    results.push(result);
    onEnd?.(result);
  }
  return { results, spent };
}

async function outcomeOf(vocabulary: Vocabulary, run: () => Promise<void>) {
  try {
    await run();
    return { outcome: 'worked' } as const;
  } catch (error) {
    if (error instanceof LeftOut) return { outcome: 'left out', reason: error.message } as const;
    return { outcome: 'failed', reason: reasonOf(error, vocabulary) } as const;
  }
}

/** Messages may quote what was sent, so only codes are kept. */
function reasonOf(error: unknown, vocabulary: Vocabulary): string {
  if (error instanceof Unexpected) return error.message;
  if (error instanceof GatewayError) {
    const code = error.code === undefined ? 'no code' : `code ${vocabulary.wordOf(error.code)}`;
    return `gateway error of the kind ${error.kind}, status ${error.status ?? 'none'}, ${code}`;
  }
  if (error instanceof DiscordAPIError) return `Discord error, status ${error.status}, code ${error.code}`;
  if (error instanceof HTTPError) return `Discord error, status ${error.status}`;
  return `unexpected ${error instanceof Error ? vocabulary.wordOf(error.name) : 'error'}`;
}

/** The response, or the refusal: both are of interest. */
export async function orRefusal(request: Promise<unknown>): Promise<void> {
  await request.catch((error: unknown) => {
    if (!(error instanceof GatewayError || error instanceof DiscordAPIError)) throw error;
  });
}
