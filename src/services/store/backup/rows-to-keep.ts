import { type Backend, type NamespacedRow, StoreError } from '../backend.ts';
import { MOVE_KEY, refuseIncompleteRow, refuseNewer, SCHEMA_KEY } from '../marks.ts';
import { namespaceNames } from '../namespaces.ts';

/** Yields all rows, and throws if the store is incomplete. `mustBeMarked`: whether a bot must have started on it, which marks its schema. */
export async function* rowsToKeep(backend: Backend, { mustBeMarked = true } = {}): AsyncGenerator<NamespacedRow> {
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
  if (mustBeMarked && !isMarked) throw missingStoreError(backend.name);
}

export const missingStoreError = (name: string): StoreError =>
  new StoreError(
    'unsupported',
    `There is no Atelier store in ${name}, so there is nothing to back up. Check STORE_URL.`,
  );
