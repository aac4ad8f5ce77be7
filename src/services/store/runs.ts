import { z } from 'zod';
import type { AppContext } from '../../lib/app-context.ts';

/** One run of the bot, from a start to its end. */
export const runRow = z.object({
  at: z.number(),
  version: z.string(),
  /** When it was last known to be running. */
  seenAt: z.number(),
  /** When it stopped on request; undefined if it is still running or ended unexpectedly. */
  stoppedAt: z.number().optional(),
  /** Whether its end is unknown because it comes from a backup that was made while it was running. */
  isRestored: z.boolean().optional(),
});
export type Run = z.output<typeof runRow>;

export interface RunStore {
  all(): Promise<Run[]>;
  put(run: Run): Promise<void>;
  remove(run: Run): Promise<void>;
}

const MAX_RUNS = 10;
/** How often the time is stored, so the time of a crash is known to this accuracy. */
const SEEN_INTERVAL_MS = 60_000;

interface RunsParts extends AppContext {
  store: RunStore;
  version: string;
}

/** The recent starts of the bot, and how each run ended. */
export class Runs {
  readonly #parts: RunsParts;
  #runs: Run[] = [];
  #writing: Promise<void> = Promise.resolve();

  constructor(parts: RunsParts) {
    this.#parts = parts;
  }

  async open(): Promise<void> {
    const { store } = this.#parts;
    const storedRuns = (await store.all()).sort((a, b) => b.at - a.at);
    this.#runs = storedRuns.slice(0, MAX_RUNS - 1);
    for (const run of storedRuns.slice(MAX_RUNS - 1)) await store.remove(run);
  }

  /** Records this run once the bot has started, so that a start that failed is not taken for a run that ended. */
  begin(): void {
    const { version, clock } = this.#parts;
    const at = clock.now();
    this.#runs = [{ at, version, seenAt: at }, ...this.#runs];
    this.#write();
  }

  /** Newest first, beginning with this run once it has begun. */
  get recent(): readonly Run[] {
    return this.#runs;
  }

  /** Call this often; the time is stored only once a minute. */
  noteSeen(): void {
    const now = this.#parts.clock.now();
    const [current] = this.#runs;
    if (current && now - current.seenAt >= SEEN_INTERVAL_MS) this.#change({ ...current, seenAt: now });
  }

  async stop(): Promise<void> {
    const now = this.#parts.clock.now();
    const [current] = this.#runs;
    if (current) this.#change({ ...current, seenAt: now, stoppedAt: now });
    await this.#writing;
  }

  #change(run: Run): void {
    this.#runs = [run, ...this.#runs.slice(1)];
    this.#write();
  }

  #write(): void {
    const [run] = this.#runs;
    if (!run) return;
    this.#writing = this.#writing
      .then(() => this.#parts.store.put(run))
      .catch((error: unknown) => this.#parts.log.info({ err: error }, 'This run of the bot could not be recorded.'));
  }
}
