import { keyvStorageCapability } from 'keyv';
import type { Row, RowStore } from '../backend.ts';

/** `expires` in Unix milliseconds. */
interface NewRow extends Row {
  expires?: number | undefined;
}

/** One namespace on a server. Writes check the lease atomically on the server, because the process may be suspended after its own check. */
export interface ServerRows {
  /** Returns texts in the order of `keys`; undefined if a row is missing or expired. */
  read(keys: readonly string[]): Promise<(string | undefined)[]>;
  write(rows: readonly NewRow[]): Promise<void>;
  /** Returns the keys that existed. */
  remove(keys: readonly string[]): Promise<ReadonlySet<string>>;
  all(): AsyncGenerator<[key: string, text: string]>;
}

/** keyv deletes an expired row when it reads it, but only the owner of a store may do that. */
export const NONE_REMOVED: ReadonlySet<string> = new Set();

/** Adapts the rows to keyv. The adapter emits no events, because keyv would rethrow errors where nothing can catch them. */
export function toRowStore(rows: ServerRows): RowStore {
  const removeAll = async (keys: readonly string[]): Promise<boolean[]> => {
    if (keys.length === 0) return [];
    const removed = await rows.remove(keys);
    return keys.map((key) => removed.has(key));
  };
  const read = async (keys: readonly string[]) => (keys.length === 0 ? [] : rows.read(keys));
  return {
    /** keyv sets it, but the rows already know their namespace. */
    namespace: undefined,
    get capabilities() {
      return keyvStorageCapability(this);
    },
    get: async (key) => (await read([key]))[0],
    getMany: read,
    has: async (key) => (await read([key]))[0] !== undefined,
    hasMany: async (keys) => (await read(keys)).map((text) => text !== undefined),
    async set(key, value, expires) {
      await rows.write([{ key, text: String(value), expires }]);
      return true;
    },
    async setMany(entries) {
      if (entries.length > 0)
        await rows.write(entries.map(({ key, value, expires }) => ({ key, text: String(value), expires })));
      return entries.map(() => true);
    },
    delete: async (key) => (await removeAll([key])).includes(true),
    deleteMany: removeAll,
    async clear() {
      for await (const [key] of rows.all()) await rows.remove([key]);
    },
    iterator: rows.all,
  };
}
