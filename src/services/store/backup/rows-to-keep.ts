import { type Backend, type PlacedRow, StoreError } from '../backend.ts';
import { MOVE_KEY, refuseIncompleteRow, refuseNewer, SCHEMA_KEY } from '../marks.ts';
import { namespaceNames } from '../namespaces.ts';

/** All rows. Throws if they are not a complete store. `mustBeMarked`: a bot has started on it, which writes its schema. */
export async function* rowsToKeep(backend: Backend, { mustBeMarked = true } = {}): AsyncGenerator<PlacedRow> {
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
  if (mustBeMarked && !isMarked) throw nothingThere(backend.name);
}

export const nothingThere = (name: string): StoreError =>
  new StoreError(
    'unsupported',
    `There is no Atelier store in ${name}, so there is nothing to back up. Check STORE_URL.`,
  );
