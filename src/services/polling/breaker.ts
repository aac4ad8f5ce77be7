import { pauseMs } from './patience.ts';
import type { Trouble } from './scheduler.ts';

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
