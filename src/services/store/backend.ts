import { resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { KeyvStorageAdapter } from 'keyv';
import { decodeUrlPart } from '../../lib/text.ts';
import { StoreError } from '../tasks/store-error.ts';

export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const brokenStoreError = (name: string, error: unknown): StoreError =>
  new StoreError('failed', `The store ${name} failed: ${errorText(error)}.`, error);

export const closedError = (name: string): StoreError => new StoreError('failed', `The store ${name} is closed.`);

/** The operator chose something that cannot be used this way. */
export const unsupportedError = (message: string): StoreError => new StoreError('unsupported', message);

export const refusedWriteError = (name: string): StoreError =>
  new StoreError('failed', `The store ${name} rejected a write.`);

export const readOnlyError = (name: string): StoreError =>
  new StoreError('failed', `The store ${name} is open for reading only.`);

export const inUseError = (name: string, cause?: unknown): StoreError =>
  new StoreError(
    'in-use',
    `Another Atelier is using the store ${name}. Stop it first, or choose another store.`,
    cause,
  );

/** The setting STORE_URL, parsed. */
export interface StoreAddress {
  readonly url: string;
  readonly scheme: string;
}

export const IN_MEMORY = ':memory:';

export const isLocal = ({ scheme }: StoreAddress): boolean => scheme === 'sqlite';

/** The file of `sqlite://data/atelier.sqlite` (from the working folder), `sqlite:///var/atelier.sqlite` or `sqlite://:memory:`. */
export function fileOf({ url }: StoreAddress): string {
  const path = url.slice('sqlite://'.length);
  return path === IN_MEMORY ? IN_MEMORY : resolve(path);
}

/** Safe to show: without the user, the password and the options, which may contain a password as well. */
export function publicName(address: StoreAddress): string {
  if (isLocal(address)) return fileOf(address);
  const { protocol, host, pathname } = new URL(address.url);
  return `${protocol}//${host}${pathname}`;
}

/** All secrets in a URL, in each of their spellings. */
export function passwordsIn(address: string): string[] {
  const url = URL.parse(address);
  const options = ['password', 'sslpassword'].map((name) => url?.searchParams.get(name) ?? '');
  const spellings = [url?.password ?? '', ...options].flatMap((password) => [password, decodeUrlPart(password)]);
  return [...new Set(spellings)].filter(Boolean);
}

/**
 * `immediate`: on disk before the write returns, for paid orders. `deferred`: on disk with the next such write, in order, for data that can be
 * rebuilt.
 */
export type Durability = 'immediate' | 'deferred';

/** The text is the value as keyv serialized it, including its expiry. */
export interface Row {
  key: string;
  text: string;
}

export interface NamespacedRow extends Row {
  namespace: string;
}

/** A row to write, or to delete if it has no text. `expires` in Unix milliseconds. */
export interface Change {
  namespace: string;
  key: string;
  text?: string;
  expires?: number | undefined;
}

/** The rows whose keys are between two others. */
export interface Range {
  after: string;
  before: string;
  isReversed: boolean;
  max: number;
}

/** What keyv needs to read single rows. */
export type RowStore = Pick<
  KeyvStorageAdapter,
  'namespace' | 'capabilities' | 'get' | 'getMany' | 'has' | 'set' | 'delete' | 'deleteMany'
>;

/** The storage of rows. Every failure is thrown as a `StoreError`, and nothing hangs forever. */
export interface Backend {
  /** A name to show: a file, or a URL without its password. */
  readonly name: string;
  /** Creates the adapter of one namespace; two namespaces on one adapter would overwrite each other. */
  adapter(namespace: string): RowStore;
  /** Writes all of the changes in one transaction, or none of them. Each is of another row. */
  write(changes: readonly Change[], durability: Durability): Promise<void>;
  /** Returns rows that have not expired, in byte order of their keys, or in reverse. */
  range(namespace: string, range: Range): Promise<Row[]>;
  clearExpired(): Promise<void>;
  /** Every row in these namespaces, expired ones too, one namespace after the other. They form one consistent snapshot, except on Redis. */
  everyRow(namespaces: readonly string[]): AsyncGenerator<NamespacedRow>;
}

/** How many rows are read at once while iterating. */
export const READ_BATCH_SIZE = 1_000;

/** The namespace of orders as they were sent, whose rows may be megabytes in size. */
export const LARGE_NAMESPACE = 'sent';
const LARGE_READ_BATCH_SIZE = 8;

export const readBatchSize = (namespace: string): number =>
  namespace === LARGE_NAMESPACE ? LARGE_READ_BATCH_SIZE : READ_BATCH_SIZE;

/** Sorts after every other character. */
export const LAST_CHARACTER = '\u{10FFFF}';

/** Yields the rows between two keys, `max` at first and then ever more at a time. Rows written in the meantime may be missing. */
export async function* rowBatches(
  backend: Backend,
  namespace: string,
  { isReversed, ...range }: Range,
): AsyncGenerator<Row[]> {
  let { after, before, max } = range;
  for (;;) {
    const rows = await backend.range(namespace, { after, before, isReversed, max });
    yield rows;
    const lastRow = rows.at(-1);
    if (!lastRow || rows.length < max) return;
    if (isReversed) before = lastRow.key;
    else after = lastRow.key;
    max = Math.min(2 * max, readBatchSize(namespace));
    // SQLite responds synchronously.
    await setImmediate();
  }
}

/** Yields the rows between two keys, by default all of them, in the order of their keys, so that those already read may be deleted meanwhile. */
export async function* rowsIn(
  backend: Backend,
  namespace: string,
  after = '',
  before = LAST_CHARACTER,
): AsyncGenerator<Row> {
  const range = { after, before, isReversed: false, max: readBatchSize(namespace) };
  for await (const rows of rowBatches(backend, namespace, range)) yield* rows;
}
