import { keyvStorageCapability } from 'keyv';
import type { Change, RowStore } from '../backend.ts';

/** One namespace on a server. */
export interface ServerRows {
  namespace: string;
  /** Returns texts in the order of `keys`; undefined if a row is missing or expired. */
  read(keys: readonly string[]): Promise<(string | undefined)[]>;
  write(changes: readonly Change[]): Promise<void>;
  all(): AsyncGenerator<[key: string, text: string]>;
  /** keyv deletes an expired row when it reads it, but only the owner of a store may do that. */
  isOwned: boolean;
}

/** Adapts the rows to keyv. The adapter emits no events, because keyv would rethrow errors where nothing can catch them. */
export function toRowStore({ namespace, read, write, all, isOwned }: ServerRows): RowStore {
  const readAll = async (keys: readonly string[]) => (keys.length === 0 ? [] : read(keys));
  const removeAll = async (keys: readonly string[]): Promise<boolean[]> => {
    if (isOwned && keys.length > 0) await write(keys.map((key) => ({ namespace, key })));
    return keys.map(() => isOwned);
  };
  return {
    /** keyv sets it, but the rows already know their namespace. */
    namespace: undefined,
    get capabilities() {
      return keyvStorageCapability(this);
    },
    get: async (key) => (await readAll([key]))[0],
    getMany: readAll,
    has: async (key) => (await readAll([key]))[0] !== undefined,
    hasMany: async (keys) => (await readAll(keys)).map((text) => text !== undefined),
    async set(key, value, expires) {
      await write([{ namespace, key, text: String(value), expires }]);
      return true;
    },
    async setMany(entries) {
      await write(entries.map(({ key, value, expires }) => ({ namespace, key, text: String(value), expires })));
      return entries.map(() => true);
    },
    delete: async (key) => (await removeAll([key])).includes(true),
    deleteMany: removeAll,
    async clear() {
      for await (const [key] of all()) await removeAll([key]);
    },
    iterator: all,
  };
}
