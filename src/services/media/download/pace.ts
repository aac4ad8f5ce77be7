import type { Clock } from '../../../lib/clock.ts';

interface PaceLimits {
  /** How long a host may be slower at a time. */
  readonly paceMs: number;
  /** So many bytes a second are the least. */
  readonly leastPerSecond: number;
}

/** Watches that a file arrives in earnest: a host that only drips would hold for long what others need. */
export class Pace {
  readonly #clock: Clock;
  readonly #limits: PaceLimits;
  readonly #tooSlow: () => void;
  #heard = 0;
  /** How long the host has waited for us since the last look, and since when it does now. */
  #heldUpMs = 0;
  #heldUpSince: number | undefined;
  #cancel: () => void = () => undefined;

  constructor(clock: Clock, limits: PaceLimits, tooSlow: () => void) {
    this.#clock = clock;
    this.#limits = limits;
    this.#tooSlow = tooSlow;
    this.#watch();
  }

  heard(bytes: number): void {
    this.#heard += bytes;
  }

  /** Time in which a piece waits for room is not the host's. */
  async heldUp(work: Promise<void>): Promise<void> {
    this.#heldUpSince = this.#clock.now();
    try {
      await work;
    } finally {
      this.#countHeldUp();
    }
  }

  end(): void {
    this.#cancel();
  }

  #countHeldUp(): void {
    const now = this.#clock.now();
    this.#heldUpMs += now - (this.#heldUpSince ?? now);
    this.#heldUpSince = undefined;
  }

  #watch(): void {
    const { paceMs, leastPerSecond } = this.#limits;
    this.#cancel = this.#clock.after(paceMs, () => {
      const isHeldUp = this.#heldUpSince !== undefined;
      this.#countHeldUp();
      const hostsMs = paceMs - this.#heldUpMs;
      // A look at less than half of the time says nothing of the host.
      if (hostsMs > paceMs / 2 && this.#heard < (leastPerSecond * hostsMs) / 1_000) return this.#tooSlow();
      this.#heard = 0;
      this.#heldUpMs = 0;
      if (isHeldUp) this.#heldUpSince = this.#clock.now();
      this.#watch();
    });
  }
}
