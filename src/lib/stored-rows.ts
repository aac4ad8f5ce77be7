/** Stored rows of one kind, each of which is found by the properties in `Named`. Every method throws if the store fails. */
export interface StoredRows<Row extends Named, Named extends object = Row> {
  /** In the order of their names. */
  all(): Promise<readonly Row[]>;
  get(named: Named): Promise<Row | undefined>;
  put(row: Row, ttlMs?: number): Promise<void>;
  remove(...rows: readonly Named[]): Promise<void>;
  /** Those whose names start with this. */
  startingWith(prefix: string): Promise<Row[]>;
  /** The same, read one after the other. */
  each(prefix?: string): AsyncIterable<Row>;
}
