import { DiscordAPIError, HTTPError } from '@discordjs/rest';
import { type Clock, withTimeout } from '../../src/lib/clock.ts';
import { compare, sumOf } from '../../src/lib/decimals.ts';
import { GatewayError } from '../../src/services/gateway/errors.ts';
import type { Recorder, Responses } from './recorder.ts';
import { type KnownWords, Vocabulary } from './words.ts';

export interface Step {
  side: 'discord' | 'gateway' | 'member';
  name: string;
  /** In US dollars; undefined if it is paid but no price is known. A step without this field is free. */
  cost?: { estimate: string | undefined };
  run(): Promise<void>;
}

export interface StepResult {
  side: Step['side'];
  name: string;
  outcome: 'worked' | 'failed' | 'left out';
  reason?: string;
  ms: number;
  responses: Responses[];
}

/** Ends a step that is impossible here, for a reason without names. */
export class LeftOut extends Error {
  override readonly name = 'LeftOut';
}

export interface TrialRun {
  recorder: Recorder;
  clock: Clock;
  /** In US dollars. */
  maxCost: string;
  /** Whether to run paid steps without a known price. */
  runsUnpriced: boolean;
  known: KnownWords;
  /** Read after each step, because a step may learn of more. */
  ownTexts: () => readonly string[];
  onStart(step: Step, number: number): void;
  onEnd(result: StepResult): void;
}

/** Longer than a video takes. */
const STEP_LIMIT_MS = 15 * 60_000;

/** Runs the steps one by one. A failed step does not end the trial. */
export async function runSteps(
  steps: readonly Step[],
  trial: TrialRun,
): Promise<{ results: StepResult[]; spent: string }> {
  const results: StepResult[] = [];
  let spent = '0';
  for (const [index, step] of steps.entries()) {
    trial.onStart(step, index + 1);
    const startedAt = trial.clock.now();
    const total = sumOf([spent, step.cost?.estimate ?? '0']) ?? spent;
    const refusal = refusalOf(step, total, trial);
    if (refusal === undefined) spent = total;
    const outcome =
      refusal === undefined ? await runStep(step, trial) : ({ outcome: 'left out', reason: refusal } as const);
    const recorded = await trial.recorder.take(trial.known, trial.ownTexts());
    // The bot's other requests go on while members press buttons, and belong to no step.
    const isOfStep = ({ route }: Responses): boolean => step.side !== 'member' || route.startsWith('INTERACTION');
    const responses = recorded.filter(isOfStep);
    const result: StepResult = {
      side: step.side,
      name: step.name,
      ...outcome,
      ms: trial.clock.now() - startedAt,
      responses,
    };
    results.push(result);
    trial.onEnd(result);
  }
  return { results, spent };
}

function refusalOf({ cost }: Step, total: string, { maxCost, runsUnpriced }: TrialRun): string | undefined {
  if (!cost) return undefined;
  if (cost.estimate === undefined) return runsUnpriced ? undefined : 'no price is known for it';
  return compare(total, maxCost) > 0 ? 'it would exceed the spending cap' : undefined;
}

async function runStep(
  step: Step,
  { clock, known, ownTexts }: TrialRun,
): Promise<Pick<StepResult, 'outcome' | 'reason'>> {
  try {
    const inTime = await withTimeout(
      clock,
      STEP_LIMIT_MS,
      step.run().then(() => true),
    );
    return inTime ? { outcome: 'worked' } : { outcome: 'failed', reason: 'it took longer than 15 minutes' };
  } catch (error) {
    if (error instanceof LeftOut) return { outcome: 'left out', reason: error.message };
    return { outcome: 'failed', reason: reasonOf(error, new Vocabulary(known, ownTexts())) };
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

/** A response is not what the step needs; the message has no values of it. */
export class Unexpected extends Error {
  override readonly name = 'Unexpected';
}
