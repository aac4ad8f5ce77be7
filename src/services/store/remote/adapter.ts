import { type KeyvStorageAdapter, keyvStorageCapability } from 'keyv';
import packageFile from '../../../../package.json' with { type: 'json' };
import { StoreError } from '../backend.ts';

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
      `The store that STORE_URL names needs more than is installed. Run: npm install --no-save --include=dev ${exact}`,
    );
  }
}

/** A list of keys beside the rows, which has to know of them before they come and until they are gone. */
export interface KeyOrder {
  enter(keys: readonly string[]): Promise<unknown>;
  leave(keys: readonly string[]): Promise<unknown>;
}

interface CheckedParts {
  adapter: KeyvStorageAdapter;
  /** Gives what is asked its limit of time, where the adapter's own way to the server does not. */
  ask<T>(work: () => Promise<T>): Promise<T>;
  /** Throws where the store may be another bot's by now. */
  mustBeOurs(): void;
  order?: KeyOrder | undefined;
  /** Every row once. */
  rows(): AsyncGenerator<[key: string, text: string]>;
}

/**
 * An adapter to a server, as keyv gets to see it: it writes only while the store is ours, everything has its limit of time, and failures
 * come back to whoever asked. It has no events: keyv would throw what an adapter tells there where nobody can catch it.
 */
export function checked({ adapter, ask, mustBeOurs, order, rows }: CheckedParts): KeyvStorageAdapter {
  const write = <T>(work: () => Promise<T>): Promise<T> =>
    ask(async () => {
      mustBeOurs();
      return work();
    });
  const withoutEvents: Partial<KeyvStorageAdapter> = {
    /** keyv sets it; the adapter has its own. */
    namespace: undefined,
    get capabilities() {
      return keyvStorageCapability(this);
    },
    get: <T>(key: string) => ask(() => adapter.get<T>(key)),
    getMany: <T>(keys: string[]) => ask(() => adapter.getMany<T>(keys)),
    has: (key) => ask(() => adapter.has(key)),
    hasMany: (keys) => ask(() => adapter.hasMany(keys)),
    set: (key, value, expires) =>
      write(async () => {
        await order?.enter([key]);
        // The process may have been stopped meanwhile, for longer than the store was its own.
        mustBeOurs();
        return adapter.set(key, value, expires);
      }),
    setMany: async (entries) => {
      if (entries.length === 0) return [];
      return write(async () => {
        await order?.enter(entries.map(({ key }) => key));
        mustBeOurs();
        return adapter.setMany(entries);
      });
    },
    delete: (key) =>
      write(async () => {
        const wasThere = await adapter.delete(key);
        await order?.leave([key]);
        return wasThere;
      }),
    deleteMany: async (keys) => {
      if (keys.length === 0) return [];
      return write(async () => {
        const wereThere = await adapter.deleteMany(keys);
        await order?.leave(keys);
        return wereThere;
      });
    },
    clear: () => write(() => adapter.clear()),
    iterator: rows,
  };
  return withoutEvents as KeyvStorageAdapter;
}
