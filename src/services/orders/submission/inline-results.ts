import type { Clock } from '../../../lib/clock.ts';
import type { Snapshot } from '../../gateway/snapshot.ts';

/** Results are usually shown within seconds. After this time, a result is dropped, and its job is polled again. */
const RETENTION_MS = 60_000;
/** The maximum for all results together, in base64 characters. If a result does not fit, its job is polled again. */
const MAX_TOTAL_LENGTH = 16 * 2 ** 20;

/** Keeps results that were contained in a poll's response in memory until they are shown, so that they are not requested twice. */
export class InlineResults {
  readonly #clock: Clock;
  readonly #results = new Map<string, { snapshot: Snapshot; length: number; cancelTimer: () => void }>();
  #length = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  keep(id: string, snapshot: Snapshot): void {
    const length = snapshot.media.reduce((sum, { base64 = '' }) => sum + base64.length, 0);
    if (snapshot.state !== 'succeeded' || length === 0) return;
    this.take(id);
    if (this.#length + length > MAX_TOTAL_LENGTH) return;
    this.#length += length;
    this.#results.set(id, { snapshot, length, cancelTimer: this.#clock.after(RETENTION_MS, () => void this.take(id)) });
  }

  clear(): void {
    for (const id of [...this.#results.keys()]) this.take(id);
  }

  take(id: string): Snapshot | undefined {
    const result = this.#results.get(id);
    if (!result) return undefined;
    result.cancelTimer();
    this.#results.delete(id);
    this.#length -= result.length;
    return result.snapshot;
  }
}
