import { resolve } from 'node:path';
import type { KeyvStorageAdapter } from 'keyv';

/**
 * full: no room left; locked: another program holds the database for too long; in-use: another Atelier runs on it; newer: written by a
 * later version; corrupt: not readable as a database; unsupported: not ours to open; unreachable: its server does not answer; denied: its
 * server does not let us in; lost: it was ours, and another bot may have it now; failed: anything else.
 */
export type StoreErrorKind =
  | 'full'
  | 'locked'
  | 'in-use'
  | 'newer'
  | 'corrupt'
  | 'unsupported'
  | 'unreachable'
  | 'denied'
  | 'lost'
  | 'failed';

/** What the store could not do. The message is one sentence or two that tell an operator what to do about it. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly kind: StoreErrorKind;

  constructor(kind: StoreErrorKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const notWorking = (name: string, error: unknown): StoreError =>
  new StoreError('failed', `The store ${name} failed: ${reasonOf(error)}.`, error);

export const closed = (name: string): StoreError => new StoreError('failed', `The store ${name} is closed.`);

export const refusedWrite = (name: string): StoreError =>
  new StoreError('failed', `The store ${name} rejected a write.`);

export const inUse = (name: string, cause?: unknown): StoreError =>
  new StoreError(
    'in-use',
    `Another Atelier is using the store ${name}. Stop it first, or set a different STORE_URL for this one.`,
    cause,
  );

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

/**
 * `at-once`: on the disk before it is believed, for an order that is paid for must survive a power cut. `soon`: on the disk with the next
 * write that is there at once, and never out of order; it saves waiting for the disk where what is lost can be made again.
 */
export type Durability = 'at-once' | 'soon';

/** A row as it lies there; its text is what keyv made of the value, with the moment when it is over. */
export interface Row {
  key: string;
  text: string;
}

export interface Range {
  /** The first key that may be among them, or the one after which they begin. */
  from: { first: string } | { after: string };
  /** The first key that is not among them any more. */
  end: string;
  most: number;
}

/** What keyv asks of the place where the rows of one namespace lie. */
export type RowStore = Pick<
  KeyvStorageAdapter,
  | 'namespace'
  | 'capabilities'
  | 'get'
  | 'getMany'
  | 'has'
  | 'hasMany'
  | 'set'
  | 'setMany'
  | 'delete'
  | 'deleteMany'
  | 'clear'
  | 'iterator'
>;

/** Where rows lie. Whatever it cannot do, it throws as a `StoreError`; nothing hangs for ever. */
export interface Backend {
  /** How a person knows it: a file, or an address without its password. */
  readonly name: string;
  /** One for each namespace: two on one adapter would overwrite each other. */
  adapter(namespace: string, durability: Durability): RowStore;
  /** In the order of their keys' bytes. keyv knows no ranges. */
  range(namespace: string, range: Range): Promise<Row[]>;
  /** Removes every row of the whole store whose time is over. */
  clearExpired(): Promise<void>;
  /** Rows that the adapter takes for gone already, and that are still there. */
  countExpired(now: number): Promise<number>;
  /** The latest failure: an adapter tells of a broken iteration in words only. */
  readonly failure: StoreError | undefined;
  close(): void | Promise<void>;
}

/** So many rows at once while going through a namespace; the adapters' own ten make it slow beyond measure. */
export const ROWS_AT_ONCE = 1_000;

/** Its rows may have megabytes each: orders as they were sent. */
export const LARGE = 'sent';
const LARGE_ROWS_AT_ONCE = 8;

export const rowsAtOnce = (namespace: string): number => (namespace === LARGE ? LARGE_ROWS_AT_ONCE : ROWS_AT_ONCE);

/** Its keys are asked for in ranges: the ledger's, by day. */
export const RANGED = 'ledger';
