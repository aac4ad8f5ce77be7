import { randomBytes } from 'node:crypto';
import { KeyedLock } from '../../lib/keyed-lock.ts';

export interface PseudonymStore {
  get(memberId: string): Promise<string | undefined>;
  put(memberId: string, pseudonym: string): Promise<void>;
  remove(memberId: string): Promise<void>;
}

/** The other parts of a store, in which the same members may have names already. */
export interface PseudonymsElsewhere {
  find(memberId: string): Promise<string | undefined>;
  /** Whether the member is being erased, here or there. */
  isErasing(memberId: string): Promise<boolean>;
}

/**
 * The names under which members' requests are sent, so that the gateway's records can be compared with the bot's. They are
 * random, so after an erasure nothing links the old name to the member, and their next request uses another one.
 */
export class Pseudonyms {
  readonly #store: PseudonymStore;
  readonly #elsewhere: PseudonymsElsewhere | undefined;
  readonly #lock = new KeyedLock();

  /** `elsewhere`: undefined if this store contains all members. */
  constructor(store: PseudonymStore, elsewhere?: PseudonymsElsewhere) {
    this.#store = store;
    this.#elsewhere = elsewhere;
  }

  getOrCreate(memberId: string): Promise<string> {
    return this.#lock.run(memberId, async () => {
      const existing = await this.#store.get(memberId);
      if (existing !== undefined) return existing;
      const pseudonym = (await this.#findElsewhere(memberId)) ?? `atelier-${randomBytes(12).toString('hex')}`;
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

  /** An erasure that has already covered this store must not be followed by a name that it has yet to erase elsewhere. */
  async #findElsewhere(memberId: string): Promise<string | undefined> {
    if (!this.#elsewhere || (await this.#elsewhere.isErasing(memberId))) return undefined;
    return this.#elsewhere.find(memberId);
  }
}
