import type { KeyvStorageAdapter } from 'keyv';
import { type Backend, type Row, type RowStore, readBatchSize, refusedWriteError } from '../backend.ts';
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
export async function writeRows({ name }: Backend, target: RowStore, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  const written = await target.setMany(
    rows.map(({ key, text }) => {
      const expires = expiryOf(text);
      return { key, value: text, ...(expires !== undefined && { expires }) };
    }),
  );
  if (written?.some((done) => !done)) throw refusedWriteError(name);
}

export async function* rowsIn(backend: Backend, namespace: string): AsyncGenerator<[key: string, text: string]> {
  for await (const [key, text] of adapterOf(backend, namespace).iterator?.<string>() ?? [])
    if (typeof key === 'string' && typeof text === 'string') yield [key, text];
}

/** Returns the adapter of a namespace, to be used without keyv, which would parse the rows. */
export function adapterOf(backend: Backend, namespace: string): RowStore {
  const adapter: RowStore & { on?: KeyvStorageAdapter['on'] } = backend.adapter(namespace, 'immediate');
  adapter.namespace = namespace;
  // An interrupted iteration would look like a complete one.
  adapter.on?.('error', (error: unknown) => {
    throw backend.failure ?? error;
  });
  return adapter;
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
