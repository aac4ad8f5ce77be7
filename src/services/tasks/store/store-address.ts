import { resolve } from 'node:path';

/** As the setting STORE_URL is read: the address, and which driver it asks for. */
export interface StoreAddress {
  readonly url: string;
  readonly scheme: string;
}

export const IN_MEMORY = ':memory:';

/** Whether it lies on this machine, and no server has to be asked. */
export const isLocal = ({ scheme }: StoreAddress): boolean => scheme === 'sqlite';

/** The file behind `sqlite://data/atelier.sqlite` (from the working folder), `sqlite:///var/atelier.sqlite` or `sqlite://:memory:`. */
export function fileOf({ url }: StoreAddress): string {
  const path = url.slice('sqlite://'.length);
  return path === IN_MEMORY ? IN_MEMORY : resolve(path);
}

/** As it may be shown: without a user, a password, and options, which may hold one as well. */
export function publicName(address: StoreAddress): string {
  if (isLocal(address)) return fileOf(address);
  const { protocol, host, pathname } = new URL(address.url);
  return `${protocol}//${host}${pathname}`;
}
