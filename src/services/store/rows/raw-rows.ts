import { type Backend, type NamespacedRow, readBatchSize, rowsIn } from '../backend.ts';
import { namespaceNames, rowFormat, UnreadableRow } from '../namespaces.ts';

// Rows as they are in the backend, for copying from one store to another.

/** Few enough that a write finishes well within a lease. */
export const MAX_WRITE_BATCH = 200;

export const writeBatchSize = (namespace: string): number => Math.min(MAX_WRITE_BATCH, readBatchSize(namespace));

export function* batchesOf<T>(items: readonly T[], max: number): Generator<T[]> {
  for (let start = 0; start < items.length; start += max) yield items.slice(start, start + max);
}

/** The time after which a row has expired, as keyv stores it in the row. */
export function expiryOf(text: string): number | undefined {
  const { value, expires } = rowFormat.parse<{ value: unknown; expires?: unknown }>(text);
  return !(value instanceof UnreadableRow) && typeof expires === 'number' ? expires : undefined;
}

/** Call this with at most `writeBatchSize` rows. */
export async function writeRows(backend: Backend, rows: readonly NamespacedRow[]): Promise<void> {
  const changes = rows.map(({ namespace, key, text }) => ({ namespace, key, text, expires: expiryOf(text) }));
  if (changes.length > 0) await backend.write(changes, 'immediate');
}

export async function deleteRows(backend: Backend, namespace: string, keys: readonly string[]): Promise<void> {
  if (keys.length > 0)
    await backend.write(
      keys.map((key) => ({ namespace, key })),
      'immediate',
    );
}

/** Whether there are any rows in these namespaces, even expired ones. */
export async function hasRows(backend: Backend, namespaces: readonly string[]): Promise<boolean> {
  for await (const _ of backend.everyRow(namespaces)) return true;
  return false;
}

/** Whether a store has no rows except its marks: a bot may have opened it, but has not used it. */
export async function isEmpty(backend: Backend): Promise<boolean> {
  for (const namespace of namespaceNames) {
    if (namespace === 'meta') continue;
    for await (const _ of rowsIn(backend, namespace)) return false;
  }
  return true;
}
