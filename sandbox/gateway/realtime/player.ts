import type { Pace } from '../pace.ts';
import type { ReplyStep } from './reply-steps.ts';

/** Plays steps when they are due in the gateway's own time. */
export class Player {
  readonly #pace: Pace;
  readonly #steps: Iterator<ReplyStep, void, void>;
  readonly #play: (step: ReplyStep) => void;
  #dueAt: number;
  #isStopped = false;
  #cancel: () => void = () => undefined;

  constructor(pace: Pace, steps: Iterator<ReplyStep, void, void>, play: (step: ReplyStep) => void) {
    this.#pace = pace;
    this.#steps = steps;
    this.#play = play;
    this.#dueAt = pace.elapsed();
  }

  start(): void {
    this.#advance(this.#steps.next());
  }

  /** Plays no further steps. */
  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  #advance(first: IteratorResult<ReplyStep, void>): void {
    for (let next = first; !this.#isStopped && !next.done; next = this.#steps.next()) {
      const step = next.value;
      this.#dueAt += step.wait;
      const delay = this.#dueAt - this.#pace.elapsed();
      if (delay > 0) {
        this.#cancel = this.#pace.after(delay, () => {
          this.#play(step);
          if (!this.#isStopped) this.#advance(this.#steps.next());
        });
        return;
      }
      this.#play(step);
    }
  }
}
