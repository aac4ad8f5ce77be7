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

/** All that must stay secret of an address, in each of its spellings. */
export function passwordsIn(address: string): string[] {
  const url = URL.parse(address);
  const options = ['password', 'sslpassword'].map((name) => url?.searchParams.get(name) ?? '');
  const spellings = [url?.password ?? '', ...options].flatMap((password) => [password, decoded(password)]);
  return [...new Set(spellings)].filter(Boolean);
}

/** Written by hand, it may hold a lone %. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return text;
  }
}
