import { createHmac } from 'node:crypto';
import { RecentMap } from '../../lib/recent-map.ts';

/** Replaces a name in rows that must not contain it. */
export const hashedName = (name: string, secret: string): string =>
  createHmac('sha256', secret).update(name).digest('hex').slice(0, 24);

/** The names of members and servers that are hashed again for each of their tasks. */
const MAX_KEPT_HASHES = 1_000;

/** The hashes of one store's names. Its secret is read once, before anything is hashed. */
export class StoreSecret {
  readonly #hashes = new RecentMap<string, string>(MAX_KEPT_HASHES);
  #secret: string | undefined;

  async open(store: { hashSecret(): Promise<string> }): Promise<void> {
    this.#secret = await store.hashSecret();
  }

  get value(): string {
    if (this.#secret === undefined) throw new Error('The secret of the store has not been read yet.');
    return this.#secret;
  }

  readonly hashOf = (name: string): string => {
    const hash = this.#hashes.get(name) ?? hashedName(name, this.value);
    this.#hashes.set(name, hash);
    return hash;
  };
}
