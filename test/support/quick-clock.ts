import type { Clock } from '../../src/lib/clock.ts';

/**
 * A clock that runs faster than the real one by the given factor and can be moved forward, so that tests do not have
 * to wait for minutes to pass.
 */
export class FastClock implements Clock {
  readonly #speed: number;
  readonly #start = Date.now();
  #offsetMs = 0;
  readonly #pending = new Set<{ at: number; arm(): void }>();

  constructor(speed = 30) {
    this.#speed = speed;
  }

  now(): number {
    return Math.floor(this.#start + (Date.now() - this.#start) * this.#speed + this.#offsetMs);
  }

  after(ms: number, task: () => void): () => void {
    const at = this.now() + ms;
    let timer: NodeJS.Timeout | undefined;
    const pending = {
      at,
      arm: (): void => {
        clearTimeout(timer);
        timer = setTimeout(fire, Math.max(0, (at - this.now()) / this.#speed));
      },
    };
    const fire = (): void => {
      this.#pending.delete(pending);
      task();
    };
    this.#pending.add(pending);
    pending.arm();
    return () => {
      clearTimeout(timer);
      this.#pending.delete(pending);
    };
  }

  /** Skips this much time; timers that have come due run next. */
  advance(ms: number): void {
    this.#offsetMs += ms;
    for (const { arm } of this.#pending) arm();
  }
}
