import { DAY_MS } from '../../lib/clock.ts';
import { repeat } from '../../lib/repeat.ts';
import type { OrdersParts } from './tasks-parts.ts';
import { markReleased } from './transitions.ts';

const PASS_INTERVAL_MS = 10 * 60_000;
/** Older requests are not part of any period that has a limit. */
const LOOK_BACK_MS = 62 * DAY_MS;

type ReleaseParts = Pick<OrdersParts, 'book' | 'clock' | 'ledger' | 'log'>;

/**
 * Stops counting requests with an unknown outcome about which no one has decided for this long. The task is changed first, so that after a
 * crash the next start can complete this. The returned function ends it.
 */
export function startRelease({ book, clock, ledger, log }: ReleaseParts, afterMs: number): () => Promise<void> {
  let checkedUntil: number | undefined;
  return repeat(clock, async (signal) => {
    const until = clock.now() - afterMs;
    try {
      for await (const { id } of ledger?.unconfirmedEntries(checkedUntil ?? until - LOOK_BACK_MS, until) ?? []) {
        if (signal.aborted) return PASS_INTERVAL_MS;
        // Erased and expired tasks have no owner who could decide later.
        if (!(await book.get(id))) continue;
        const task = await book.change(id, (known) => markReleased(known, clock.now()));
        if (task.releasedAt !== undefined) await ledger?.reconsider(task);
      }
      checkedUntil = until;
    } catch (error) {
      log.error({ err: error }, 'Tasks with an unknown outcome could not be released; trying again later.');
    }
    return PASS_INTERVAL_MS;
  });
}
