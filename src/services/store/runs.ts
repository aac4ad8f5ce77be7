import { z } from 'zod';
import type { AppContext } from '../../lib/app-context.ts';
import type { StoredRows } from '../../lib/stored-rows.ts';

/** One run of the bot, from a start to its end. */
export const runRow = z.object({
  at: z.number(),
  version: z.string(),
  /** When it was last known to be running. */
  seenAt: z.number(),
  /** When it stopped on request; undefined if it is still running, ended unexpectedly or could not store its end. */
  stoppedAt: z.number().optional(),
  /** Whether its end is unknown because it comes from a backup that was made while it was running. */
  isRestored: z.boolean().optional(),
});
export type Run = z.output<typeof runRow>;

const MAX_RUNS = 10;
/** How often the time is stored, so the time of a crash is known to this accuracy. */
const SEEN_INTERVAL_MS = 60_000;

/** Whether this run was in progress at that time, as far as is known: a run that ended unexpectedly has no end. */
export const isRunAt = ({ seenAt, stoppedAt }: Run, at: number): boolean =>
  stoppedAt === undefined && at - seenAt < 2 * SEEN_INTERVAL_MS;

/** The recent starts of the bot, and how each run ended. */
export class Runs {
  readonly #context: AppContext;
  readonly #store: StoredRows<Run>;
  readonly #version: string;
  #runs: Run[] = [];
  #writing: Promise<unknown> = Promise.resolve();

  constructor(context: AppContext, store: StoredRows<Run>, version: string) {
    this.#context = context;
    this.#store = store;
    this.#version = version;
  }

  async open(): Promise<void> {
    const storedRuns = (await this.#store.all()).toSorted((a, b) => b.at - a.at);
    this.#runs = storedRuns.slice(0, MAX_RUNS - 1);
    for (const run of storedRuns.slice(MAX_RUNS - 1)) await this.#store.remove(run);
  }

  /** Records this run once the bot has started, so that a start that failed is not taken for a run that ended. */
  begin(): void {
    const { clock } = this.#context;
    const at = clock.now();
    this.#runs = [{ at, version: this.#version, seenAt: at }, ...this.#runs];
    this.#write();
  }

  /** Newest first, beginning with this run once it has begun. */
  get recent(): readonly Run[] {
    return this.#runs;
  }

  /** Call this often; the time is stored only once a minute. */
  noteSeen(): void {
    const now = this.#context.clock.now();
    const [current] = this.#runs;
    if (current && now - current.seenAt >= SEEN_INTERVAL_MS) this.#change({ ...current, seenAt: now });
  }

  async stop(): Promise<void> {
    const now = this.#context.clock.now();
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
      .then(() => this.#store.put(run))
      // From these two, an idle bot learns that its store fails, or works again.
      .then(() => this.#store.get(run))
      .catch((error: unknown) => this.#context.log.info({ err: error }, 'This run of the bot could not be recorded.'));
  }
}
