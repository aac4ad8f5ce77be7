import { createHmac } from 'node:crypto';

/** Replaces a name in rows that must not contain it. */
export const hashedName = (name: string, secret: string): string =>
  createHmac('sha256', secret).update(name).digest('hex').slice(0, 24);

/** The hashes of one store's names. Its secret is read once, before anything is hashed. */
export class StoreSecret {
  #secret: string | undefined;

  async open(store: { hashSecret(): Promise<string> }): Promise<void> {
    this.#secret = await store.hashSecret();
  }

  get value(): string {
    if (this.#secret === undefined) throw new Error('The secret of the store has not been read yet.');
    return this.#secret;
  }

  readonly hashOf = (name: string): string => hashedName(name, this.value);
}
