import type { Clock } from '../../src/lib/clock.ts';

/**
 * A clock that runs faster than the real one by the given factor and can be moved forward, so that tests do not have
 * to wait for minutes to pass.
 */
export class FastClock implements Clock {
  readonly #speed: number;
  readonly #start = Date.now();
  #stoppedAt: number | undefined;
  #offsetMs = 0;
  readonly #pending = new Set<{ at: number; arm(): void }>();

  constructor(speed = 30) {
    this.#speed = speed;
  }

  now(): number {
    const real = this.#stoppedAt ?? Date.now();
    return Math.floor(this.#start + (real - this.#start) * this.#speed + this.#offsetMs);
  }

  after(ms: number, task: () => void): () => void {
    const at = this.now() + ms;
    let timer: NodeJS.Timeout | undefined;
    const pending = {
      at,
      arm: (): void => {
        clearTimeout(timer);
        const delayMs = Math.max(0, (at - this.now()) / this.#speed);
        if (this.#stoppedAt === undefined || delayMs === 0) timer = setTimeout(fire, delayMs);
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

  /** From now on, time passes only through `advance`. */
  stop(): void {
    this.#stoppedAt = Date.now();
    for (const { arm } of this.#pending) arm();
  }

  /** Skips this much time; timers that have come due run next. */
  advance(ms: number): void {
    this.#offsetMs += ms;
    for (const { arm } of this.#pending) arm();
  }
}
