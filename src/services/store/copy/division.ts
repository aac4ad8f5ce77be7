import type { Backend } from '../backend.ts';
import type { PartitionRow } from './copier.ts';

/** The partitions of a store, and the number of partitions of another store that is filled from them. All rows are in the right partitions. */
export interface Division {
  sources: readonly Backend[];
  count: number;
}

/** A row of the other store. */
export type DividedRow = Omit<PartitionRow, 'namespace'>;
