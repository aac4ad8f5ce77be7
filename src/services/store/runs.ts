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

export type Runs = ReturnType<typeof createRuns>;

/** The recent starts of the bot, and how each run ended. */
export function createRuns({ clock, log }: AppContext, store: StoredRows<Run>, version: string) {
  let runs: Run[] = [];
  let writing: Promise<unknown> = Promise.resolve();
  const write = (run: Run): void => {
    writing = writing
      .then(() => store.put(run))
      // From these two, an idle bot learns that its store fails, or works again.
      .then(() => store.get(run))
      .catch((error: unknown) => log.info({ err: error }, 'This run of the bot could not be recorded.'));
  };
  const change = (run: Run): void => {
    runs = [run, ...runs.slice(1)];
    write(run);
  };
  return {
    async open(): Promise<void> {
      const storedRuns = (await store.all()).toSorted((a, b) => b.at - a.at);
      runs = storedRuns.slice(0, MAX_RUNS - 1);
      for (const run of storedRuns.slice(MAX_RUNS - 1)) await store.remove(run);
    },
    /** Records this run once the bot has started, so that a start that failed is not taken for a run that ended. */
    begin(): void {
      const at = clock.now();
      const run = { at, version, seenAt: at };
      runs = [run, ...runs];
      write(run);
    },
    /** Newest first, beginning with this run once it has begun. */
    get recent(): readonly Run[] {
      return runs;
    },
    /** Call this often; the time is stored only once a minute. */
    noteSeen(): void {
      const now = clock.now();
      const [current] = runs;
      if (current && now - current.seenAt >= SEEN_INTERVAL_MS) change({ ...current, seenAt: now });
    },
    async stop(): Promise<void> {
      const now = clock.now();
      const [current] = runs;
      if (current) change({ ...current, seenAt: now, stoppedAt: now });
      await writing;
    },
  };
}
