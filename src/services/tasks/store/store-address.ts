import { resolve } from 'node:path';
import { StoreError } from './store-error.ts';

/** As the setting STORE_URL is read: the address, and which driver it asks for. */
export interface StoreAddress {
  readonly url: string;
  readonly scheme: string;
}

export const IN_MEMORY = ':memory:';

/** The file behind `sqlite://data/atelier.sqlite` (from the working folder), `sqlite:///var/atelier.sqlite` or `sqlite://:memory:`. */
export function fileOf({ url, scheme }: StoreAddress): string {
  // An address of the other kinds may hold a password, so it is not repeated.
  if (scheme !== 'sqlite')
    throw new StoreError(
      'unsupported',
      `STORE_URL begins with ${scheme}://, but only sqlite:// is supported so far, such as sqlite://data/atelier.sqlite.`,
    );
  const path = url.slice('sqlite://'.length);
  return path === IN_MEMORY ? IN_MEMORY : resolve(path);
}
