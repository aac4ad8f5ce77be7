import type { Backend, Row } from '../backend.ts';

/** The partitions of a store, and the number of partitions of another store that is filled from them. All rows of the first are in their right partitions. */
export interface Division {
  from: readonly Backend[];
  count: number;
}

/** A row of the other store. */
export interface DividedRow extends Row {
  partition: number;
}
