import { keyvStorageCapability } from 'keyv';
import {
  type Backend,
  type Change,
  type NamespacedRow,
  type Range,
  type Row,
  type RowStore,
  readOnlyError,
} from '../backend.ts';
import type { Lease } from '../lease.ts';
import { partitionName, type ServerConnection } from './server-connection.ts';

/** A store on a server, or one partition of it. Without a lease, it can only be read. */
export abstract class ServerStore implements Backend {
  readonly name: string;
  readonly #lease: Lease | undefined;

  constructor(connection: ServerConnection, partition: number, lease: Lease | undefined) {
    this.name = partitionName(connection.name, partition);
    this.#lease = lease;
  }

  abstract write(changes: readonly Change[]): Promise<void>;
  abstract range(namespace: string, range: Range): Promise<Row[]>;
  abstract clearExpired(): Promise<void>;
  abstract everyRow(namespaces: readonly string[]): AsyncGenerator<NamespacedRow>;
  /** Returns the texts of at least one key, in the order of `keys`; undefined if a row is missing or expired. */
  protected abstract read(namespace: string, keys: readonly string[]): Promise<(string | undefined)[]>;

  /** The adapter emits no events, because keyv would rethrow errors where nothing can catch them. */
  adapter(namespace: string): RowStore {
    const readAll = async (keys: readonly string[]) => (keys.length === 0 ? [] : this.read(namespace, keys));
    // keyv deletes an expired row when it reads it, but only the owner of a store may do that.
    const isOwned = this.#lease !== undefined;
    const removeAll = async (keys: readonly string[]): Promise<boolean[]> => {
      if (isOwned && keys.length > 0) await this.write(keys.map((key) => ({ namespace, key })));
      return keys.map(() => isOwned);
    };
    const write = (changes: readonly Change[]) => this.write(changes);
    return {
      /** keyv sets it, but the rows already know their namespace. */
      namespace: undefined,
      get capabilities() {
        return keyvStorageCapability(this);
      },
      get: async (key) => (await readAll([key]))[0],
      getMany: readAll,
      has: async (key) => (await readAll([key]))[0] !== undefined,
      async set(key, value, expires) {
        await write([{ namespace, key, text: String(value), expires }]);
        return true;
      },
      delete: async (key) => (await removeAll([key])).includes(true),
      deleteMany: removeAll,
    };
  }

  /** Sends a change, which the server carries out only while the holder has the lease. `send` returns false if it has lost the lease. */
  protected async change(send: (holder: string) => Promise<boolean>): Promise<void> {
    const lease = this.#lease;
    if (!lease) throw readOnlyError(this.name);
    await lease.write(async () => {
      if (!(await send(lease.holder))) throw lease.lose();
    });
  }
}
