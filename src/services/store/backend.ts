import type { KeyvStorageAdapter } from 'keyv';
import type { StoreError } from './store-error.ts';

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

/** Where rows lie. Whatever it cannot do, it throws as a `StoreError`; nothing hangs for ever. */
export interface Backend {
  /** How a person knows it: a file, or an address without its password. */
  readonly name: string;
  /** One for each namespace: two on one adapter would overwrite each other. */
  adapter(namespace: string, durability: Durability): KeyvStorageAdapter;
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
