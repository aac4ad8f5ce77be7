import type { Clock } from '../../src/lib/clock.ts';

/**
 * A clock that runs faster than the real one by a factor and can be moved forward: minutes pass while a test awaits
 * their effect.
 */
export class QuickClock implements Clock {
  readonly #speed: number;
  readonly #start = Date.now();
  #ahead = 0;
  readonly #waiting = new Set<{ at: number; arm(): void }>();

  constructor(speed = 30) {
    this.#speed = speed;
  }

  now(): number {
    return Math.floor(this.#start + (Date.now() - this.#start) * this.#speed + this.#ahead);
  }

  after(ms: number, task: () => void): () => void {
    const at = this.now() + ms;
    let timer: NodeJS.Timeout | undefined;
    const waiting = {
      at,
      arm: (): void => {
        clearTimeout(timer);
        timer = setTimeout(fire, Math.max(0, (at - this.now()) / this.#speed));
      },
    };
    const fire = (): void => {
      this.#waiting.delete(waiting);
      task();
    };
    this.#waiting.add(waiting);
    waiting.arm();
    return () => {
      clearTimeout(timer);
      this.#waiting.delete(waiting);
    };
  }

  /** Skips this much time at once; timers that came due run next. */
  advance(ms: number): void {
    this.#ahead += ms;
    for (const { arm } of this.#waiting) arm();
  }
}
