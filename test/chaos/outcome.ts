import type { Case, Evidence } from './evidence.ts';
import { orderKinds } from './kinds.ts';
import { mediaOf, type Sight, sightOf } from './sight.ts';

export type Outcome =
  /** Discord said "The application did not respond", and the bot did nothing. */
  | 'never taken'
  /** Acknowledged, but the bot was killed before it was stored, so the gateway received nothing. */
  | 'not stored'
  /** The gateway refused it, and no message could report that. */
  | 'not told'
  | Exclude<Sight, 'spinner' | 'progress' | 'odd'>
  | Broken;

interface Broken {
  broken: string;
}

interface Circumstances
  extends Pick<Evidence['sides'], 'tokensExpiredAt' | 'struck'>,
    Pick<Evidence['keeper'], 'kills'> {
  /** A kill only explains a missing step if it came this soon after the step before. */
  stepMs?: number;
}

/** Two steps of the bot are at most this far apart, even on a busy machine. */
const STEP_MS = 2_000;
const TOO_MANY = 429;
/** How long the bot waits for Discord's response to an acknowledgement. */
const CALLBACK_MS = 60_000;

/** The outcome of a request, or the promise that it breaks. */
export function outcomeOf(one: Case, { kills, tokensExpiredAt, struck, stepMs = STEP_MS }: Circumstances): Outcome {
  const { order, answer, fresh, submits, job, callback } = one;
  const { acknowledgedAt } = order;
  const isTokenDead = tokensExpiredAt.some((at) => at >= order.at);
  // A request that the bot sent before it died may arrive after its death.
  const diedWithin = (ms: number, since: number): boolean =>
    kills.some((at) => at > since - STEP_MS && at - since < ms);
  const broken = (why: string): Broken => ({ broken: `${order.prompt}: ${why} (${factsOf(one)})` });

  // The gateway accepted none of those that it refused temporarily; they wait for their turn again.
  if (timesAsked(submits) > 1) return broken(`the gateway was asked ${submits.length} times`);
  if (acknowledgedAt === undefined) {
    if (submits.length > 0) return broken('the gateway was asked although Discord had given up');
    return answer || fresh.length > 0 ? broken('it is shown although Discord had given up') : 'never taken';
  }
  if (!answer) return broken('its answer is gone');
  const shown = [answer, ...fresh];
  const sights = shown.map(({ message }) => sightOf(message));
  const ends = sights.filter((sight) => sight !== 'spinner' && sight !== 'progress' && sight !== 'pointed');
  const [end] = ends;
  const hints = sights.filter((sight) => sight === 'pointed');
  // Only a message that cannot be read without its token may show an end that the bot does not know about.
  if (hints.length > 0 && (hints.length > 1 || !isTokenDead || !(order.isPrivate || order.isElsewhere)))
    return broken('its owner was told where to find it for no reason');
  if (ends.length > 1) return broken('its end is shown more than once');
  if (end === 'odd') return broken('it shows what no bot should');
  if (end !== undefined) {
    // A message cannot be edited after its token expired; then a separate message shows the end.
    const mayBeStale = isTokenDead && fresh.length === 1;
    if (sights.length > 1 && !mayBeStale) return broken('it still shows progress beside its end');
    if (!fits(end, one, { kills, struck })) return broken('it says other than the gateway');
    if (end === 'done' && !shown.some(({ message }) => mediaOf(message).includes(orderKinds[order.kind].shows)))
      return broken('it shows another result');
    return end;
  }
  if (hints.length > 0) return 'pointed';
  if (submits.length === 0) {
    // If Discord accepted the acknowledgement without confirming it, the bot could not continue.
    const waitLimit = callback?.status === 0 ? Math.max(CALLBACK_MS, stepMs) : stepMs;
    return diedWithin(waitLimit, acknowledgedAt) ? 'not stored' : broken('it was acknowledged and then forgotten');
  }
  const submit = submits.at(-1);
  const isRefused = job === undefined && submit !== undefined && submit.status >= 400;
  if (isRefused && (isTokenDead || diedWithin(stepMs, submit.at))) return 'not told';
  return broken('it never came to its end');
}

/** The number of jobs that were wanted. Requests with the same key want the same one, and those refused temporarily want none. */
function timesAsked(submits: Case['submits']): number {
  const taken = submits.filter(({ status }) => status !== TOO_MANY);
  return new Set(taken.map(({ id, headers }) => headers['idempotency-key'] ?? id)).size;
}

function fits(
  end: Exclude<Sight, 'spinner' | 'progress' | 'odd' | 'pointed'>,
  { order, job, submits }: Case,
  { kills, struck }: Pick<Circumstances, 'kills' | 'struck'>,
): boolean {
  // An answer is not a job: it arrives in the response to its submit.
  if (order.kind === 'answer' && (end === 'done' || end === 'failed')) {
    if (end === 'done') return submits.at(-1)?.status === 200;
    const isCut = [...struck].some(([name, times]) => times > 0 && name.startsWith('gateway: submit'));
    return isCut || kills.some((at) => at >= order.at);
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
function factsOf({ order, answer, fresh, submits, job, callback }: Case): string {
  const { at, acknowledgedAt, isPrivate, interactionId, kind } = order;
  const shown = [answer, ...fresh].flatMap((one) =>
    one ? [`${sightOf(one.message)} in ${one.channelId} (${JSON.stringify(one.words)})`] : [],
  );
  const sent = submits.map(({ at: when, status }) => `${status} at ${time(when)}`);
  return [
    `${kind}, interaction ${interactionId} at ${time(at)}, ${isPrivate ? 'private' : 'public'}`,
    `acknowledged ${acknowledgedAt === undefined ? 'never' : `at ${time(acknowledgedAt)}`} with ${callback?.status}`,
    `shown as ${shown.join(' and ') || 'nothing'}`,
    `asked for: ${sent.join(' and ') || 'never'}`,
    `job ${job ? `${job.id} ${job.state}` : 'none'}`,
  ].join('; ');
}

const time = (at: number): string => new Date(at).toISOString().slice(11, 23);
