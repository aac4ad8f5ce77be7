import { sumOf } from '../../lib/decimals.ts';
import { type Frozen, withoutUndefined } from '../../lib/entries.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { GatewayError } from '../gateway/errors.ts';
import type { TextResponse } from '../gateway/response-events.ts';
import { refusableParts } from '../gateway/text-request.ts';
import { failureOf } from '../orders/refused-orders.ts';
import {
  type Answer,
  type AnswerCall,
  EMPTY_ANSWER,
  type PendingPost,
  type RefusableFeature,
  type SchemaCheck,
  type StoredPart,
  type Tokens,
} from '../tasks/answer.ts';
import type { Estimate } from '../tasks/estimate.ts';
import { hasEnded, type Task } from '../tasks/task.ts';

/** A crash loses at most the text that arrived within this time. */
const SAVE_INTERVAL_MS = 5_000;

/** After this many rounds of tool calls, the model must answer: calls in its next response are not run. */
const MAX_TOOL_ROUNDS = 5;
/** One for each round, one for the last response, and one for each feature that the model may refuse. */
export const MAX_REQUESTS = MAX_TOOL_ROUNDS + 1 + refusableParts.length;

/** Whether no further response is requested after the current or next one. */
export const isLastRound = ({ rounds, requests = 0 }: Answer): boolean =>
  rounds.length >= MAX_TOOL_ROUNDS || requests >= MAX_REQUESTS;

export const answerOf = ({ answer = EMPTY_ANSWER }: Task): Answer => answer;

export function answerText(task: Task): string {
  const { rounds, draft } = answerOf(task);
  return task.text ?? joinTexts([...rounds.map(({ text }) => text), draft]);
}

const joinTexts = (paragraphs: readonly string[]): string => paragraphs.filter((text) => text !== '').join('\n\n');

export function markAnswering(
  task: Task,
  omittedFeatures: readonly RefusableFeature[],
  { leftOut = [], guessed = [], ...sent }: SentInputs = {},
): Task {
  if (hasEnded(task)) return task;
  const { without, guessed: earlierGuesses = [] } = answerOf(task);
  const changes = withoutUndefined({
    ...sent,
    leftOut: leftOut.length > 0 ? [...leftOut] : undefined,
    guessed: guessed.length > 0 ? [...new Set([...earlierGuesses, ...guessed])] : undefined,
  });
  return withAnswer(
    { ...task, state: 'running' },
    { without: [...new Set([...without, ...omittedFeatures])], ...changes, doing: 'thinking' },
  );
}

type SentInputs = Frozen<Pick<Answer, 'leftOut' | 'isMemoryCut' | 'heard' | 'requests' | 'guessed'>>;

/** For an answer whose next response is about to be requested, which will cost about as much as the first one. */
export function markContinuing(task: Task, added: Estimate | undefined): Task {
  if (hasEnded(task)) return task;
  const amount = sumOf([task.estimate, added].flatMap((one) => one?.amount ?? []));
  const estimate = task.estimate ?? added;
  const continuedTask = { ...task, state: 'running' as const };
  return withAnswer(
    estimate && amount !== undefined ? { ...continuedTask, estimate: { ...estimate, amount } } : continuedTask,
    { doing: 'thinking' },
  );
}

/** Records further text, which is stored at intervals because the gateway sends many events a second. */
export function updateDraft(task: Task, draft: string, doing: Answer['doing'], now: number): Task {
  if (hasEnded(task)) return task;
  const { keptAt = task.times.accepted ?? now } = answerOf(task);
  const isDue = now - keptAt >= SAVE_INTERVAL_MS;
  return withAnswer({ ...task, state: 'running' }, { draft, doing, ...(isDue && { keptAt: now }) });
}

export function addRound(task: Task, response: TextResponse, calls: readonly AnswerCall[], cost?: string): Task {
  if (hasEnded(task)) return task;
  const answer = answerOf(task);
  return withAnswer(task, {
    rounds: [...answer.rounds, { text: responseText(response), calls: [...calls] }],
    draft: '',
    doing: undefined,
    ...withUsage(answer, response.usage, cost),
  });
}

/** A JSON answer is stored in its formatted form. */
export function withSchemaCheck(task: Task, checked: { text: string; check: SchemaCheck } | undefined): Task {
  if (!checked || hasEnded(task)) return task;
  return withAnswer({ ...task, text: checked.text }, { schemaCheck: checked.check });
}

/** A response of unknown cost leaves the cost of the whole answer unknown. */
export const withUsage = ({ tokens, costs = [] }: Answer, usage: Tokens | undefined, cost: string | undefined) => ({
  tokens: addTokens(tokens, usage),
  costs: [...costs, cost ?? null],
});

/** Marks the answer as waiting for the member, who has to approve every call that costs money. */
export const markAwaitingApproval = (task: Task): Task =>
  hasEnded(task) ? task : withAnswer({ ...task, state: 'needs-input' }, { doing: undefined });

export interface CallOutcome {
  state: AnswerCall['state'];
  output?: AnswerCall['output'];
}

export function settleCall(task: Task, callId: string, { state, output }: CallOutcome) {
  const { rounds } = answerOf(task);
  const lastRound = rounds.at(-1);
  if (!lastRound || hasEnded(task)) return task;
  const calls = lastRound.calls.map((call) =>
    call.callId === callId && isOpen(call) ? { ...call, state, output } : call,
  );
  return withAnswer(task, { rounds: [...rounds.slice(0, -1), { ...lastRound, calls }] });
}

const lastCalls = (task: Task): AnswerCall[] => answerOf(task).rounds.at(-1)?.calls ?? [];
/** In order, so that a button of an earlier response never means a later call. */
export const callsOf = (task: Task): AnswerCall[] => answerOf(task).rounds.flatMap(({ calls }) => calls);
const isOpen = ({ state }: AnswerCall): boolean => state === 'waiting' || state === 'allowed';
export const waitingCalls = (task: Task): AnswerCall[] => lastCalls(task).filter(({ state }) => state === 'waiting');
export const areCallsSettled = (task: Task): boolean => !lastCalls(task).some(isOpen);

/** Whether the member has to decide what comes next, and nothing is being submitted. */
export const isWaitingForMember = (task: Task): boolean =>
  lastCalls(task).every(({ state }) => state !== 'allowed') && waitingCalls(task).length > 0;

export function completeAnswer(task: Task, incomplete: string | undefined, now: number): Task {
  return endAnswer({ ...task, state: 'ready', progress: 100 }, now, { incomplete });
}

type Cause = NonNullable<Task['failure']>['cause'];

export type StopReason = 'stopped' | 'interrupted';

export function endAnswerEarly(task: Task, cause: Cause, error: GatewayError | Refusal | undefined, now: number): Task {
  if (hasEnded(task)) return task;
  const failure = { ...failureOf(error), cause };
  return endAnswer({ ...task, state: cause === 'stopped' ? 'cancelled' : 'failed', failure }, now);
}

export function withPartialText(task: Task, response: TextResponse, cost?: string): Task {
  if (hasEnded(task)) return task;
  const answer = answerOf(task);
  return withAnswer(task, {
    draft: responseText(response) || answer.draft,
    ...withUsage(answer, response.usage, cost),
  });
}

/** Counts the unfinished response, which has probably cost something, unless the member is still deciding how to continue. */
export const withUnfinishedResponse = (task: Task): Task =>
  hasEnded(task) || task.state === 'needs-input'
    ? task
    : withAnswer(task, withUsage(answerOf(task), undefined, undefined));

/** The total cost; undefined unless the cost of every response is known. */
function costOfAll({ costs = [] }: Answer): string | undefined {
  const knownCosts = costs.filter((cost) => cost !== null);
  return knownCosts.length === costs.length ? sumOf(knownCosts) : undefined;
}

function endAnswer(task: Task, now: number, changes: Partial<Answer> = {}): Task {
  const text = answerText(task);
  const cost = costOfAll(answerOf(task));
  const outcome = { ...(text !== '' && { text }), ...(cost !== undefined && { cost }) };
  const endedTask = { ...task, ...outcome, times: { ...task.times, ended: now } };
  return withAnswer(endedTask, { ...changes, draft: '', doing: undefined });
}

/** The question of an answer in progress can be edited, also back to what was submitted. */
export function markQuestionEdited(task: Task, words: string): Task {
  const isQuestionEdited = task.request.prompt !== words.trim();
  const isKnown = isQuestionEdited === (answerOf(task).isQuestionEdited ?? false);
  return hasEnded(task) || isKnown ? task : withAnswer(task, { isQuestionEdited });
}

export const markForgotten = (task: Task): Task => withAnswer(task, { isForgotten: true });

/** Stored before the next part is posted, so a crash in between can be resolved. */
export const markPartPosting = (task: Task, posting: PendingPost): Task => withAnswer(task, { posting });

export const clearPartPosting = (task: Task): Task =>
  answerOf(task).posting ? withAnswer(task, { posting: undefined }) : task;

export function addPostedPart(task: Task, part: StoredPart): Task {
  return withAnswer(task, { parts: [...answerOf(task).parts, part], posting: undefined });
}

export function dropParts(task: Task, max: number): Task {
  const { parts } = answerOf(task);
  return parts.length <= max ? task : withAnswer(task, { parts: parts.slice(0, max) });
}

export const markPartsShown = (task: Task): Task => withAnswer(task, { areShown: true });

export function withAnswer(task: Task, changes: Partial<Answer>): Task {
  return { ...task, answer: { ...answerOf(task), ...changes } };
}

const responseText = ({ text, refusal }: Pick<TextResponse, 'text' | 'refusal'>): string => joinTexts([text, refusal]);

const TOKEN_TYPES = ['input', 'cached', 'output', 'reasoning', 'audioInput', 'audioOutput'] as const;

/** An answer may need several responses, and the tokens of all of them count. */
function addTokens(total: Tokens | undefined, added: Tokens | undefined): Tokens | undefined {
  if (!added) return total;
  const names = TOKEN_TYPES.filter((name) => total?.[name] !== undefined || added[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, (total?.[name] ?? 0) + (added[name] ?? 0)]));
}
