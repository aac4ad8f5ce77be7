import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type Shelf, Unreadable } from './shelf.ts';

/** Rows that nobody can read are set aside, where they harm nothing and a person may still look at them. */
export class Quarantine {
  readonly #shelf: Shelf;
  readonly #log: Log;
  readonly #clock: Clock;

  constructor(shelf: Shelf, { log, clock }: { log: Log; clock: Clock }) {
    this.#shelf = shelf;
    this.#log = log;
    this.#clock = clock;
  }

  /** Written there before it is taken from here: a crash in between leaves it in both places, and never in none. */
  async take(from: Shelf, key: string, value: unknown, why: string): Promise<void> {
    const at = this.#clock.now();
    const text = value instanceof Unreadable ? value.text : JSON.stringify(value);
    await this.#shelf.put(`${from.name}:${key}:${at}`, { from: from.name, key, text, why, at });
    await from.delete(key);
    this.#log.error({ namespace: from.name, key, why }, 'A stored row was set aside; `npm run doctor` tells more.');
  }
}
