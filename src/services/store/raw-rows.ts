import type { KeyvStorageAdapter } from 'keyv';
import { type Backend, type Row, type RowStore, refusedWriteError, rowsAtOnce } from './backend.ts';
import { namespaceNames, rowFormat, UnreadableRow } from './namespaces.ts';

// Rows as they are in the backend, for copying from one store to another.

/** Few enough that a write finishes well within a lease. */
export const WRITTEN_AT_ONCE = 200;

export const writtenAtOnce = (namespace: string): number => Math.min(WRITTEN_AT_ONCE, rowsAtOnce(namespace));

export function* batchesOf<T>(all: readonly T[], max: number): Generator<T[]> {
  for (let at = 0; at < all.length; at += max) yield all.slice(at, at + max);
}

/** The time after which a row has expired, as keyv stores it in the row. */
export function expiryOf(text: string): number | undefined {
  const { value, expires } = rowFormat.parse<{ value: unknown; expires?: unknown }>(text);
  return !(value instanceof UnreadableRow) && typeof expires === 'number' ? expires : undefined;
}

/** At most `writtenAtOnce` rows. */
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

export async function* rowsIn(side: Backend, namespace: string): AsyncGenerator<[key: string, text: string]> {
  for await (const [key, text] of adapterOf(side, namespace).iterator?.<string>() ?? [])
    if (typeof key === 'string' && typeof text === 'string') yield [key, text];
}

/** Bypasses keyv, which would parse the texts. */
export function adapterOf(side: Backend, namespace: string): RowStore {
  const adapter: RowStore & { on?: KeyvStorageAdapter['on'] } = side.adapter(namespace, 'at-once');
  adapter.namespace = namespace;
  // An interrupted iteration would look like a complete one.
  adapter.on?.('error', (error: unknown) => {
    throw side.failure ?? error;
  });
  return adapter;
}

/** A bot may have opened it, but not used it. */
export async function isEmpty(side: Backend): Promise<boolean> {
  for (const namespace of namespaceNames) {
    if (namespace === 'meta') continue;
    for await (const _ of rowsIn(side, namespace)) return false;
  }
  return true;
}
