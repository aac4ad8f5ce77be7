import type { Backend, Row } from '../backend.ts';

/** The partitions of a store, and how many another one has that is filled from them. Their rows are where they belong. */
export interface Division {
  from: readonly Backend[];
  count: number;
}

/** A row of the other store. */
export interface DividedRow extends Row {
  partition: number;
}
