import type { Clock } from '../../lib/clock.ts';

/** Long enough to read an answer and to be called away for a moment; a session that nobody speaks to is held for nobody. */
const MOST_SILENCE_MS = 15 * 60_000;
/** While an answer runs nobody is silent; so soon it is looked again. */
const AGAIN_MS = 60_000;

interface Watched {
  heardAt: number;
  isBusy: boolean;
}

/** Tells of conversations in which nobody has said anything for long. */
export class Silence {
  readonly #clock: Clock;
  readonly #tell: (id: string) => void;
  readonly #cancels = new Map<string, () => void>();

  constructor(clock: Clock, tell: (id: string) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  watch(id: string, watched: Watched): void {
    const { heardAt, isBusy } = watched;
    const left = heardAt + MOST_SILENCE_MS - this.#clock.now();
    const look = (): void => {
      if (watched.isBusy || watched.heardAt !== heardAt) this.watch(id, watched);
      else this.#tell(id);
    };
    this.#cancels.set(id, this.#clock.after(isBusy ? Math.max(left, AGAIN_MS) : Math.max(left, 0), look));
  }

  forget(id: string): void {
    this.#cancels.get(id)?.();
    this.#cancels.delete(id);
  }

  stop(): void {
    for (const id of [...this.#cancels.keys()]) this.forget(id);
  }
}
