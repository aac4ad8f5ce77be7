import { equalsInConstantTime } from '../loopback.ts';
import { seedFrom } from './random.ts';

export interface KeyGrant {
  readonly key: string;
  /** The models that the key may use; all if unset. */
  readonly models?: readonly string[];
}

export class KeyStore {
  readonly #grants: readonly KeyGrant[];

  constructor(grants: readonly KeyGrant[]) {
    this.#grants = grants;
  }

  get first(): KeyGrant | undefined {
    return this.#grants[0];
  }

  /** The grant for the key in an `Authorization` header (specification, part 5). */
  grantOf(authorization: string | undefined): KeyGrant | undefined {
    const key = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    return key === undefined ? undefined : this.#grants.find((grant) => equalsInConstantTime(grant.key, key));
  }
}

export const mayUse = (grant: KeyGrant, model: string) => grant.models === undefined || grant.models.includes(model);

/** Replaces the key in everything that is displayed. The key itself is never shown. */
export const keyName = (key: string) => `key-${seedFrom('key', key).toString(16).padStart(8, '0')}`;
