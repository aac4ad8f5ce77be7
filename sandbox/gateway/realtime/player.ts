import type { Pace } from '../pace.ts';
import type { Stroke } from './strokes.ts';

/** Plays strokes when they are due by the gateway's own clock. */
export class Player {
  readonly #pace: Pace;
  readonly #strokes: Iterator<Stroke, void, void>;
  readonly #play: (stroke: Stroke) => void;
  #due: number;
  #isStopped = false;
  #cancel: () => void = () => undefined;

  constructor(pace: Pace, strokes: Iterator<Stroke, void, void>, play: (stroke: Stroke) => void) {
    this.#pace = pace;
    this.#strokes = strokes;
    this.#play = play;
    this.#due = pace.elapsed();
  }

  start(): void {
    this.#goOn(this.#strokes.next());
  }

  /** Nothing is played any more. */
  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  #goOn(first: IteratorResult<Stroke, void>): void {
    for (let next = first; !this.#isStopped && !next.done; next = this.#strokes.next()) {
      const stroke = next.value;
      this.#due += stroke.wait;
      const late = this.#due - this.#pace.elapsed();
      if (late > 0) {
        this.#cancel = this.#pace.after(late, () => {
          this.#play(stroke);
          if (!this.#isStopped) this.#goOn(this.#strokes.next());
        });
        return;
      }
      this.#play(stroke);
    }
  }
}
