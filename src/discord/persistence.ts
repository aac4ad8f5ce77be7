import type { Clock } from '../lib/clock.ts';
import { pause } from '../lib/clock.ts';
import { isPassing } from './too-late.ts';

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;

export interface Until {
  clock: Clock;
  /** When there is nobody left to hear it. */
  until: number;
  stopping: AbortSignal;
}

/** Says what must be heard until Discord takes it: a refused order leaves no task behind that could tell it later. */
export async function persistently(
  say: () => Promise<void>,
  { clock, until, stopping }: Until,
  isWorthAnother: (error: unknown) => boolean = isPassing,
): Promise<void> {
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(LONGEST_PAUSE_MS, wait * 2)) {
    try {
      return await say();
    } catch (error) {
      if (!isWorthAnother(error) || stopping.aborted || clock.now() + wait >= until) throw error;
      await pause(clock, wait, stopping);
    }
  }
}
