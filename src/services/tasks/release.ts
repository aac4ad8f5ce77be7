import { DAY_MS, repeat } from '../../lib/clock.ts';
import type { OrdersParts } from './orders-parts.ts';
import { markReleased } from './transitions.ts';

const PASS_INTERVAL_MS = 10 * 60_000;
/** Older requests are not part of any period that has a limit. */
const LOOK_BACK_MS = 62 * DAY_MS;

interface ReleaseParts extends Pick<OrdersParts, 'book' | 'ledger' | 'clock' | 'log'> {
  /** How long an unknown outcome counts if its owner does not decide. */
  afterMs: number;
}

/**
 * Stops counting requests with an unknown outcome about which no one has decided. The task is changed first, so that after a crash the
 * next start can complete this.
 */
export class UnconfirmedRelease {
  readonly #parts: ReleaseParts;
  #checkedUntil: number | undefined;
  #stop: (() => Promise<void>) | undefined;
  #isStopped = false;

  constructor(parts: ReleaseParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#stop = repeat(this.#parts.clock, () => this.#runPass());
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#stop?.();
  }

  async #runPass(): Promise<number> {
    const { book, ledger, clock, log, afterMs } = this.#parts;
    const until = clock.now() - afterMs;
    try {
      for await (const { id } of ledger?.unconfirmedEntries(this.#checkedUntil ?? until - LOOK_BACK_MS, until) ?? []) {
        if (this.#isStopped) return PASS_INTERVAL_MS;
        // Erased and expired tasks have no owner who could decide later.
        if (!(await book.get(id))) continue;
        const task = await book.change(id, (known) => markReleased(known, clock.now()));
        if (task.releasedAt !== undefined) await ledger?.reconsider(task);
      }
      this.#checkedUntil = until;
    } catch (error) {
      log.error({ err: error }, 'Tasks with an unknown outcome could not be released; trying again later.');
    }
    return PASS_INTERVAL_MS;
  }
}
