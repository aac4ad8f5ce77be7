import { type Backend, LARGE, RANGED } from './backend.ts';
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
    /** Orders as they were sent, until it is known what became of them. */
    sent: shelf(LARGE),
    /** The lines of each member and server; after a power cut the tasks tell what is missing. */
    index: retrievable('index'),
    /** Who used what. What tasks that are gone have left here cannot be made again. */
    ledger: shelf(RANGED),
    /** Which task the gateway knows by which id; after a power cut an id that is missing is one that nobody has followed. */
    remotes: retrievable('remotes'),
    /** A few lost ones change nothing. */
    durations: retrievable('durations'),
    /** Until when questions were asked; after a power cut that is long ago. */
    asking: retrievable('asking'),
    /** Messages that are kept up to date until somebody has seen enough; a lost one is begun again with a press. */
    follows: retrievable('follows'),
    /** What could not be read. */
    quarantine: shelf('quarantine'),
    /** Members who want to be forgotten. */
    forgetting: shelf('forgetting'),
    /** Of the store itself. */
    meta: shelf('meta'),
  };
}
