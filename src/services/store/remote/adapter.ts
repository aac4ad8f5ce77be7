import { keyvStorageCapability } from 'keyv';
import packageFile from '../../../../package.json' with { type: 'json' };
import { type Row, type RowStore, StoreError } from '../backend.ts';

type Optional = keyof typeof packageFile.peerDependencies;

/** Most bots keep their tasks in a file, so what other stores need is installed only where it is wanted. */
export async function optional<T>(load: () => Promise<T>, ...names: Optional[]): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error;
    const exact = names.map((name) => `${name}@${packageFile.peerDependencies[name]}`).join(' ');
    throw new StoreError(
      'unsupported',
      `The store in STORE_URL needs packages that are not installed. Run: npm install --no-save --include=dev ${exact}`,
    );
  }
}

/** A row as it is to be written; `expires` in Unix milliseconds. */
interface NewRow extends Row {
  expires?: number | undefined;
}

/**
 * The rows of one namespace at a server. A write is one step there, all or nothing, and the server itself checks that the store is still ours: a
 * process can be suspended after its own check, and wake up when the store belongs to another.
 */
export interface RemoteRows {
  /** Texts in the order of their keys; undefined where there is none, or its time is over. */
  read(keys: readonly string[]): Promise<(string | undefined)[]>;
  write(rows: readonly NewRow[]): Promise<void>;
  /** The keys that were there. */
  remove(keys: readonly string[]): Promise<ReadonlySet<string>>;
  /** Every row once. */
  all(): AsyncGenerator<[key: string, text: string]>;
}

/** Those rows as keyv gets to see them. It has no events: keyv would throw what is told there where nobody can catch it. */
export function rowStore(rows: RemoteRows): RowStore {
  const removeAll = async (keys: readonly string[]): Promise<boolean[]> => {
    if (keys.length === 0) return [];
    const removed = await rows.remove(keys);
    return keys.map((key) => removed.has(key));
  };
  const read = async (keys: readonly string[]) => (keys.length === 0 ? [] : rows.read(keys));
  return {
    /** keyv sets it; the rows know theirs. */
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
