import type { Clock } from '../../../lib/clock.ts';
import type { LiveTalk } from './live-talk.ts';

/** Long enough to read an answer and be away for a moment. After that, the unused session is closed. */
const MAX_SILENCE_MS = 15 * 60_000;
/** A running answer does not count as silence, so the check is repeated after this time. */
const RECHECK_MS = 60_000;

/** Reports conversations in which no member has spoken for a while. */
export class SilenceWatch {
  readonly #clock: Clock;
  readonly #onSilence: (id: string) => void;
  readonly #cancels = new Map<string, () => void>();

  constructor(clock: Clock, onSilence: (id: string) => void) {
    this.#clock = clock;
    this.#onSilence = onSilence;
  }

  watch(id: string, talk: Pick<LiveTalk, 'heardAt' | 'isBusy'>): void {
    const { heardAt, isBusy } = talk;
    const remainingMs = heardAt + MAX_SILENCE_MS - this.#clock.now();
    const checkIdle = (): void => {
      if (talk.isBusy || talk.heardAt !== heardAt) this.watch(id, talk);
      else this.#onSilence(id);
    };
    this.#cancels.set(
      id,
      this.#clock.after(isBusy ? Math.max(remainingMs, RECHECK_MS) : Math.max(remainingMs, 0), checkIdle),
    );
  }

  unwatch(id: string): void {
    this.#cancels.get(id)?.();
    this.#cancels.delete(id);
  }

  stop(): void {
    for (const id of [...this.#cancels.keys()]) this.unwatch(id);
  }
}
