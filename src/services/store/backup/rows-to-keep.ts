import { type Backend, type PlacedRow, StoreError } from '../backend.ts';
import { MOVE_KEY, refuseIncompleteRow, refuseNewer, SCHEMA_KEY } from '../marks.ts';
import { namespaceNames } from '../namespaces.ts';

/** Yields all rows. Throws if together they are not a store that a bot may start on. */
export async function* rowsToKeep(backend: Backend): AsyncGenerator<PlacedRow> {
  let isMarked = false;
  for await (const row of backend.everyRow(namespaceNames)) {
    if (row.namespace === 'meta' && row.key === MOVE_KEY) {
      refuseIncompleteRow(backend.name, row.text);
      continue;
    }
    if (row.namespace === 'meta' && row.key === SCHEMA_KEY) {
      refuseNewer(backend.name, row.text);
      isMarked = true;
    }
    yield row;
  }
  if (!isMarked) throw nothingThere(backend.name);
}

export const nothingThere = (name: string): StoreError =>
  new StoreError(
    'unsupported',
    `There is no Atelier store in ${name}, so there is nothing to back up. Check STORE_URL.`,
  );
