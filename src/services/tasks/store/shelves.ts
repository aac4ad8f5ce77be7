import { type Backend, RANGED } from './backend.ts';
import { Shelf } from './shelf.ts';

export type Shelves = ReturnType<typeof shelvesOn>;

export function shelvesOn(backend: Backend) {
  const shelf = (name: string): Shelf => new Shelf(name, backend);
  const retrievable = (name: string): Shelf => new Shelf(name, backend, 'soon');
  return {
    /** Tasks that something is left to do for. */
    live: shelf('live'),
    /** All others, for as long as they are kept. */
    finished: shelf('finished'),
    /** The lines of each member and server; after a power cut the tasks tell what is missing. */
    index: retrievable('index'),
    /** Who used what. What tasks that are gone have left here cannot be made again. */
    ledger: shelf(RANGED),
    /** A few lost ones change nothing. */
    durations: retrievable('durations'),
    /** What could not be read. */
    quarantine: shelf('quarantine'),
    /** Of the store itself. */
    meta: shelf('meta'),
  };
}
