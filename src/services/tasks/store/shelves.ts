import type { Connection } from './connection.ts';
import { Shelf } from './shelf.ts';

export type Shelves = ReturnType<typeof shelvesOn>;

export function shelvesOn(connection: Connection) {
  const shelf = (name: string): Shelf => new Shelf(name, connection);
  const retrievable = (name: string): Shelf => new Shelf(name, connection, 'soon');
  return {
    /** Tasks that something is left to do for. */
    live: shelf('live'),
    /** All others, for as long as they are kept. */
    finished: shelf('finished'),
    /** The lines of each member and server; after a power cut the tasks tell what is missing. */
    index: retrievable('index'),
    /** Who used what. What tasks that are gone have left here cannot be made again. */
    ledger: shelf('ledger'),
    /** A few lost ones change nothing. */
    durations: retrievable('durations'),
    /** Messages that are kept up to date until somebody has seen enough; a lost one is begun again with a press. */
    follows: retrievable('follows'),
    /** What could not be read. */
    quarantine: shelf('quarantine'),
    /** Of the store itself. */
    meta: shelf('meta'),
  };
}
