import { DiscordAPIError, HTTPError } from '@discordjs/rest';
import { systemClock, withTimeout } from '../../src/lib/clock.ts';
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
export class LeftOut extends Error {
  override readonly name = 'LeftOut';
}

/** A response is not what the step needs; the message has no values of it. */
export class Unexpected extends Error {
  override readonly name = 'Unexpected';
}

export interface RunOptions {
  /** In US dollars. */
  maxCost: string;
  /** Whether to run paid steps without a known price. */
  runsUnpriced: boolean;
  known: KnownWords;
  onStart?: (step: Step, number: number) => void;
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
    onStart?.(step, index + 1);
    const startedAt = systemClock.now();
    const total = sumOf([spent, step.cost?.estimate ?? '0']) ?? spent;
    const isUnpriced = step.cost !== undefined && step.cost.estimate === undefined;
    let outcome: Pick<StepResult, 'outcome' | 'reason'>;
    if (isUnpriced && !runsUnpriced) outcome = { outcome: 'left out', reason: 'no price is known for it' };
    else if (step.cost && compare(total, maxCost) > 0)
      outcome = { outcome: 'left out', reason: 'it would exceed the spending cap' };
    else {
      spent = total;
      outcome = await runStep(step, new Vocabulary(known, ownTexts));
    }
    const recorded = await recorder.take(known, ownTexts);
    // The bot's other requests go on while members press buttons, and belong to no step.
    const responses = recorded.filter(({ route }) => step.side !== 'member' || route.startsWith('INTERACTION'));
    const result = { side: step.side, name: step.name, ...outcome, ms: systemClock.now() - startedAt, responses };
    results.push(result);
    onEnd?.(result);
  }
  return { results, spent };
}

async function runStep({ run }: Step, vocabulary: Vocabulary): Promise<Pick<StepResult, 'outcome' | 'reason'>> {
  try {
    const inTime = await withTimeout(
      systemClock,
      STEP_LIMIT_MS,
      run().then(() => true),
    );
    return inTime ? { outcome: 'worked' } : { outcome: 'failed', reason: 'it took longer than 15 minutes' };
  } catch (error) {
    if (error instanceof LeftOut) return { outcome: 'left out', reason: error.message };
    return { outcome: 'failed', reason: reasonOf(error, vocabulary) };
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
