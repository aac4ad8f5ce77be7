import type { Clock } from './clock.ts';
import type { Log } from './log.ts';

/** What every part of a bot gets. */
export interface AppContext {
  readonly clock: Clock;
  readonly log: Log;
}
