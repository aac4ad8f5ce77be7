import type { Trouble } from './scheduler.ts';

/** How long a lane is left alone: the first time, and at most when the trouble lasts. It doubles in between. */
const BACKOFF: Readonly<Record<Trouble['kind'], { firstMs: number; longestMs: number }>> = {
  busy: { firstMs: 2_000, longestMs: 60_000 },
  // An operator has to top up or to change a key: that takes a while, and is noticed by the next question.
  refused: { firstMs: 30_000, longestMs: 5 * 60_000 },
  unreachable: { firstMs: 2_000, longestMs: 60_000 },
};
/** What a gateway asks for is believed within reason. */
const LEAST_ASKED_MS = 1_000;
const MOST_ASKED_MS = 5 * 60_000;

/** How long to leave a lane alone that has been left alone so many times before. */
function pauseMs({ kind, retryAfterMs }: Trouble, timesBefore: number): number {
  const { firstMs, longestMs } = BACKOFF[kind];
  const backoff = Math.min(longestMs, firstMs * 2 ** timesBefore);
  const asked = askedMs(retryAfterMs);
  if (asked === undefined) return backoff;
  return kind === 'busy' ? asked : Math.max(asked, backoff);
}

function askedMs(retryAfterMs: number | undefined): number | undefined {
  if (retryAfterMs === undefined || Number.isNaN(retryAfterMs)) return undefined;
  return Math.min(MOST_ASKED_MS, Math.max(LEAST_ASKED_MS, retryAfterMs));
}

/** Where nobody says when to ask again: a verdict that is missing, a question that reached nobody. */
const DEFAULT_GAP_MS = 5_000;
/**
 * Tasks that began together must not be asked about together for ever. A tenth either way costs 0.3 % of delay;
 * anything between nothing and twice the gap would cost a third.
 */
const JITTER = 0.1;

/** When to ask again about a task whose verdict names this moment. */
export function jittered(moment: number | undefined, now: number, random: () => number): number {
  const isKnown = moment !== undefined && Number.isFinite(moment);
  const gap = isKnown ? Math.max(0, moment - now) : DEFAULT_GAP_MS;
  return now + gap * (1 - JITTER + 2 * JITTER * random());
}

/** When to ask again about a task whose question reached nobody. */
export function afterTrouble({ retryAfterMs }: Trouble, now: number, random: () => number): number {
  return Math.max(jittered(undefined, now, random), now + (askedMs(retryAfterMs) ?? 0));
}

/** One failure is an accident of one question; so many in a row are the gateway's state. */
const UNREACHABLE_IN_A_ROW = 5;

export interface Pause {
  trouble: Trouble;
  since: number;
  /** From then on one question may be asked, to see whether the trouble is over. */
  until: number;
}

/** Whether a lane may be asked, judged by how its questions have ended. */
export class Breaker {
  #pause: Pause | undefined;
  #unreachableInARow = 0;
  #pausesInARow = 0;
  #lastPause = { kind: 'busy' as Trouble['kind'], ms: 0 };
  #endedAt = Number.NEGATIVE_INFINITY;

  get pause(): Pause | undefined {
    return this.#pause;
  }

  /** A question was answered. Says which pause ended by that; what was asked before the pause says nothing about its end. */
  answered(isProbe: boolean, now: number): Pause | undefined {
    this.#unreachableInARow = 0;
    if (!isProbe) return undefined;
    const ended = this.#pause;
    this.#pause = undefined;
    this.#endedAt = now;
    return ended;
  }

  /** A question met trouble. Says which pause began by that. */
  troubled(trouble: Trouble, isProbe: boolean, now: number): Pause | undefined {
    if (this.#pause) {
      if (isProbe) this.#pause = { trouble, since: this.#pause.since, until: now + this.#pauseMs(trouble) };
      return undefined;
    }
    if (trouble.kind === 'unreachable') {
      this.#unreachableInARow += 1;
      if (this.#unreachableInARow < UNREACHABLE_IN_A_ROW) return undefined;
    }
    // One good answer does not prove that a trouble is over: if it comes back soon, the next pause is longer.
    if (now - this.#endedAt > this.#lastPause.ms) this.#pausesInARow = 0;
    this.#pause = { trouble, since: now, until: now + this.#pauseMs(trouble) };
    return this.#pause;
  }

  #pauseMs(trouble: Trouble): number {
    if (trouble.kind !== this.#lastPause.kind) this.#pausesInARow = 0;
    const ms = pauseMs(trouble, this.#pausesInARow);
    this.#pausesInARow += 1;
    this.#lastPause = { kind: trouble.kind, ms };
    return ms;
  }
}
