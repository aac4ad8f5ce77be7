import { MIN_GAP_MS } from './allowance.ts';
import type { Trouble } from './lane.ts';

/** How long a lane is paused at first and at most. The time doubles in between. */
const BACKOFF: Readonly<Record<Trouble['kind'], { firstMs: number; longestMs: number }>> = {
  busy: { firstMs: 2_000, longestMs: 60_000 },
  // An operator has to top up or change a key, which takes a while; the next poll notices.
  refused: { firstMs: 30_000, longestMs: 5 * 60_000 },
  unreachable: { firstMs: 2_000, longestMs: 60_000 },
};
/** A gateway's retry-after only counts within these limits. */
const MIN_RETRY_AFTER_MS = 1_000;
const MAX_RETRY_AFTER_MS = 5 * 60_000;

function retryAfterOf({ retryAfterMs }: Trouble): number | undefined {
  if (retryAfterMs === undefined || Number.isNaN(retryAfterMs)) return undefined;
  return Math.min(MAX_RETRY_AFTER_MS, Math.max(MIN_RETRY_AFTER_MS, retryAfterMs));
}

/** The gap if the schedule gives no time, or after a poll that failed again. */
const DEFAULT_GAP_MS = 5_000;
/** The gap after a single failure: short, so that it hardly delays showing the end of a task. The task's allowance still counts. */
const FIRST_RETRY_MS = MIN_GAP_MS;
/** Keeps tasks that began together from being polled together forever. More jitter would delay results; 100% would delay them by a third. */
const JITTER = 0.05;

export function addJitter(time: number | undefined, now: number, random: () => number): number {
  const isKnown = time !== undefined && Number.isFinite(time);
  const gap = isKnown ? Math.max(0, time - now) : DEFAULT_GAP_MS;
  return now + gap * (1 - JITTER + 2 * JITTER * random());
}

/** `isFirst`: the poll before this one did not fail. */
export function retryAt(trouble: Trouble, isFirst: boolean, now: number, random: () => number): number {
  const time = isFirst ? now + FIRST_RETRY_MS : addJitter(undefined, now, random);
  return Math.max(time, now + (retryAfterOf(trouble) ?? 0));
}

/** A single failure may be chance; this many in a row show the gateway's state. */
const UNREACHABLE_THRESHOLD = 5;

export interface Pause {
  trouble: Trouble;
  since: number;
  probeAt: number;
}

export class Breaker {
  #pause: Pause | undefined;
  #unreachableCount = 0;
  #lastBackoff: { kind: Trouble['kind']; ms: number } = { kind: 'busy', ms: 0 };
  #endedAt = Number.NEGATIVE_INFINITY;

  get pause(): Pause | undefined {
    return this.#pause;
  }

  /** Returns the pause that this response ended. Only a probe can end a pause, because polls that were sent earlier say nothing about its end. */
  recordResponse(isProbe: boolean, now: number): Pause | undefined {
    this.#unreachableCount = 0;
    if (!isProbe) return undefined;
    const endedPause = this.#pause;
    this.#pause = undefined;
    this.#endedAt = now;
    return endedPause;
  }

  recordTrouble(trouble: Trouble, isProbe: boolean, now: number): Pause | undefined {
    if (this.#pause) {
      if (isProbe) this.#pause = { ...this.#pause, trouble, probeAt: now + this.#pauseMs(trouble) };
      return undefined;
    }
    if (trouble.kind === 'unreachable') {
      this.#unreachableCount += 1;
      if (this.#unreachableCount < UNREACHABLE_THRESHOLD) return undefined;
    }
    // One good response does not prove recovery: if failures return soon, the next pause is longer.
    if (now - this.#endedAt > this.#lastBackoff.ms) this.#lastBackoff.ms = 0;
    this.#pause = { trouble, since: now, probeAt: now + this.#pauseMs(trouble) };
    return this.#pause;
  }

  #pauseMs(trouble: Trouble): number {
    const { kind } = trouble;
    const { firstMs, longestMs } = BACKOFF[kind];
    const previousMs = kind === this.#lastBackoff.kind ? this.#lastBackoff.ms : 0;
    const ms = Math.min(longestMs, Math.max(firstMs, 2 * previousMs));
    this.#lastBackoff = { kind, ms };
    const requestedMs = retryAfterOf(trouble) ?? ms;
    return kind === 'busy' ? requestedMs : Math.max(requestedMs, ms);
  }
}
