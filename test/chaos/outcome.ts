import type { Case, Evidence } from './evidence.ts';
import { orderKinds } from './kinds.ts';
import { type MessageState, mediaOf, messageState } from './message-state.ts';

export type Outcome =
  /** Discord showed "The application did not respond", and the bot did nothing. */
  | 'never accepted'
  /** Acknowledged, but the bot was killed before the order was stored, so the gateway received nothing. */
  | 'not stored'
  /** The gateway refused it, and no message could report that. */
  | 'not notified'
  | Exclude<MessageState, 'spinner' | 'progress' | 'invalid'>
  | Broken;

interface Broken {
  broken: string;
}

export interface Circumstances
  extends Pick<Evidence['servers'], 'tokensExpiredAt' | 'injectionCounts'>,
    Pick<Evidence['keeper'], 'kills'> {
  /** A kill only explains a missing step if it came this soon after the previous step. */
  stepMs?: number;
  /** Whether an order that the gateway refused is repeated if a kill came before the refusal was reported. */
  repeatsRefused?: boolean;
}

/** Two steps of the bot are at most this far apart, even on a busy machine. */
const STEP_MS = 2_000;
const TOO_MANY_REQUESTS = 429;
/** How long the bot waits for Discord's response to an acknowledgement. */
const CALLBACK_MS = 60_000;

/** The outcome of a request, or the promise that it breaks. */
export function outcomeOf(
  one: Case,
  { kills, tokensExpiredAt, injectionCounts, stepMs = STEP_MS, repeatsRefused = false }: Circumstances,
): Outcome {
  const { order, reply, freshMessages, submits, job, callback } = one;
  const { acknowledgedAt } = order;
  const isTokenExpired = tokensExpiredAt.some((at) => at >= order.at);
  // A request that the bot sent before it was killed may arrive afterwards.
  const wasKilledWithin = (ms: number, since: number): boolean =>
    kills.some((at) => at > since - STEP_MS && at - since < ms);
  const broken = (reason: string): Broken => ({ broken: `${order.prompt}: ${reason} (${factsOf(one)})` });

  // Submits that the gateway refused temporarily do not count: those tasks go back into the queue.
  const isRepeatable = ({ status, at }: Case['submits'][number], index: number): boolean =>
    status === TOO_MANY_REQUESTS || (repeatsRefused && status >= 400 && status < 500 && wasKilledBefore(index + 1, at));
  const wasKilledBefore = (nextIndex: number, since: number): boolean =>
    kills.some((at) => at > since - STEP_MS && at < (submits[nextIndex]?.at ?? 0));
  if (countJobs(submits.filter((submit, index) => !isRepeatable(submit, index))) > 1)
    return broken(`it was submitted ${submits.length} times`);
  if (acknowledgedAt === undefined) {
    if (submits.length > 0) return broken('it was submitted although Discord had given up');
    return reply || freshMessages.length > 0 ? broken('it is shown although Discord had given up') : 'never accepted';
  }
  if (!reply) return broken('its reply is missing');
  const shownMessages = [reply, ...freshMessages];
  const states = shownMessages.map(({ message }) => messageState(message));
  const ends = states.filter((state) => state !== 'spinner' && state !== 'progress' && state !== 'hint');
  const [end] = ends;
  const hints = states.filter((state) => state === 'hint');
  // A hint is only justified if the message cannot be read without its token: it may show an end that the bot does not know about.
  if (hints.length > 0 && (hints.length > 1 || !isTokenExpired || !(order.isPrivate || order.isBotAbsent)))
    return broken('its owner was sent a hint about its result for no reason');
  if (ends.length > 1) return broken('its result is shown more than once');
  if (end === 'invalid') return broken('it shows an invalid message');
  if (end !== undefined) {
    // A message cannot be edited after its token expired; then a separate message shows the end.
    const mayBeStale = isTokenExpired && freshMessages.length === 1;
    if (states.length > 1 && !mayBeStale) return broken('it still shows progress although its result is shown');
    if (!matchesGateway(end, one, { kills, injectionCounts })) return broken('it contradicts the gateway');
    if (
      end === 'done' &&
      !shownMessages.some(({ message }) => mediaOf(message).includes(orderKinds[order.kind].medium))
    )
      return broken('it shows the wrong kind of result');
    return end;
  }
  if (hints.length > 0) return 'hint';
  if (submits.length === 0) {
    // If Discord accepted the acknowledgement without confirming it, the bot could not continue.
    const waitLimit = callback?.status === 0 ? Math.max(CALLBACK_MS, stepMs) : stepMs;
    return wasKilledWithin(waitLimit, acknowledgedAt) ? 'not stored' : broken('it was acknowledged and then forgotten');
  }
  const submit = submits.at(-1);
  const isRefused = job === undefined && submit !== undefined && submit.status >= 400;
  if (isRefused && (isTokenExpired || wasKilledWithin(stepMs, submit.at))) return 'not notified';
  return broken('it never ended');
}

/** The number of jobs that were requested. Submits with the same key request the same job. */
const countJobs = (submits: Case['submits']): number =>
  new Set(submits.map(({ id, headers }) => headers['idempotency-key'] ?? id)).size;

function matchesGateway(
  end: Exclude<MessageState, 'spinner' | 'progress' | 'invalid' | 'hint'>,
  { order, job, submits }: Case,
  { kills, injectionCounts }: Pick<Circumstances, 'kills' | 'injectionCounts'>,
): boolean {
  // An answer is not a job: it arrives in the response to its submit.
  if (order.kind === 'answer' && (end === 'done' || end === 'failed')) {
    if (end === 'done') return submits.at(-1)?.status === 200;
    const wasInterrupted = [...injectionCounts].some(
      ([name, times]) => times > 0 && name.startsWith('gateway: submit'),
    );
    return wasInterrupted || kills.some((at) => at >= order.at);
  }
  switch (end) {
    case 'done':
    case 'linked':
      return job?.state === 'succeeded';
    case 'failed':
      return job?.state === 'failed';
    case 'unconfirmed':
      return true;
    default:
      return job === undefined;
  }
}

/** Details for the person who investigates a failed run. */
function factsOf({ order, reply, freshMessages, submits, job, callback }: Case): string {
  const { at, acknowledgedAt, isPrivate, interactionId, kind } = order;
  const shownStates = [reply, ...freshMessages].flatMap((one) =>
    one ? [`${messageState(one.message)} in ${one.channelId} (${JSON.stringify(one.words)})`] : [],
  );
  const submitTimes = submits.map(({ at: sentAt, status }) => `${status} at ${time(sentAt)}`);
  return [
    `${kind}, interaction ${interactionId} at ${time(at)}, ${isPrivate ? 'private' : 'public'}`,
    `acknowledged ${acknowledgedAt === undefined ? 'never' : `at ${time(acknowledgedAt)}`} with ${callback?.status}`,
    `shown as ${shownStates.join(' and ') || 'nothing'}`,
    `submitted: ${submitTimes.join(' and ') || 'never'}`,
    `job ${job ? `${job.id} ${job.state}` : 'none'}`,
  ].join('; ');
}

const time = (at: number): string => new Date(at).toISOString().slice(11, 23);
