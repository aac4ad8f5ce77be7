import { z } from 'zod';
import type { KeyedLock } from '../../lib/keyed-lock.ts';
import { type Duration, KEPT_DURATIONS } from '../tasks/task-store.ts';
import type { Quarantine } from './quarantine.ts';
import type { Shelf } from './shelf.ts';

export const durationsSchema = z.object({
  durations: z.array(
    z.object({ atLeastMs: z.number(), atMostMs: z.number(), at: z.number(), waitedMs: z.number().optional() }),
  ),
});

/** How long jobs took, the latest of each key. */
export class DurationBook {
  readonly #shelf: Shelf;
  readonly #quarantine: Quarantine;
  readonly #locks: KeyedLock;

  constructor(shelf: Shelf, quarantine: Quarantine, locks: KeyedLock) {
    this.#shelf = shelf;
    this.#quarantine = quarantine;
    this.#locks = locks;
  }

  add(key: string, duration: Duration): Promise<void> {
    return this.#alone(key, async () => {
      const durations = [...(await this.#read(key)), duration].slice(-KEPT_DURATIONS);
      await this.#shelf.put(rowKey(key), { durations });
    });
  }

  of(key: string): Promise<Duration[]> {
    return this.#alone(key, () => this.#read(key));
  }

  #alone<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.#locks.run(`durations ${key}`, work);
  }

  async #read(key: string): Promise<Duration[]> {
    const value = await this.#shelf.get(rowKey(key));
    if (value === undefined) return [];
    const { data } = durationsSchema.safeParse(value);
    if (!data) await this.#quarantine.take(this.#shelf, rowKey(key), value, 'cannot be read');
    return data?.durations ?? [];
  }
}

/** The key comes from outside: an empty one is no key to keyv, and one that begins like the namespace loses its beginning. */
const rowKey = (key: string): string => `of ${key}`;
