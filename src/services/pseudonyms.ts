import { randomBytes } from 'node:crypto';
import { KeyedLock } from '../lib/keyed-lock.ts';

export interface PseudonymStore {
  get(memberId: string): Promise<string | undefined>;
  put(memberId: string, pseudonym: string): Promise<void>;
  remove(memberId: string): Promise<void>;
}

/**
 * The names under which members' requests are sent, so that the gateway's records can be compared with the bot's. They are
 * random, so after an erasure nothing links the old name to the member, and their next request uses another one.
 */
export class Pseudonyms {
  readonly #store: PseudonymStore;
  readonly #lock = new KeyedLock();

  constructor(store: PseudonymStore) {
    this.#store = store;
  }

  getOrCreate(memberId: string): Promise<string> {
    return this.#lock.run(memberId, async () => {
      const existing = await this.#store.get(memberId);
      if (existing !== undefined) return existing;
      const pseudonym = `atelier-${randomBytes(12).toString('hex')}`;
      await this.#store.put(memberId, pseudonym);
      return pseudonym;
    });
  }

  /** The name currently in use, for an export. */
  current(memberId: string): Promise<string | undefined> {
    return this.#store.get(memberId);
  }

  erase(memberId: string): Promise<void> {
    return this.#lock.run(memberId, () => this.#store.remove(memberId));
  }
}
