import {
  type NamespacedRow,
  RANGED_NAMESPACE,
  type Range,
  READ_BATCH_SIZE,
  type Row,
  type RowStore,
  readBatchSize,
  type StoreError,
} from '../backend.ts';
import type { Lease, LeaseServer } from '../lease.ts';
import { MAX_PARTITIONS } from '../marks.ts';
import { namespaceNames } from '../namespaces.ts';
import { toRowStore } from './adapter.ts';
import { connectRedis, type RedisClient } from './redis-client.ts';
import { createLeaseServer, leaseKey, leaseNumberKey, prefixOf, readHolders } from './redis-lease.ts';
import { partitionName, type Server, type ServerParts, type ServerStore } from './server.ts';
import type { ServerConnection } from './server-connection.ts';

/**
 * Writes rows with text and expiry (empty: none), and adds their keys to the sorted list if there is one, so that no row is without its key there.
 * KEYS: the lease, the list or '', the rows. ARGV: the holder, then key, text and expiry of each.
 */
const WRITE = `
  if redis.call('HGET', KEYS[1], 'holder') ~= ARGV[1] then return 0 end
  for at = 3, #KEYS do
    local key, text, ends = ARGV[3 * at - 7], ARGV[3 * at - 6], ARGV[3 * at - 5]
    if KEYS[2] ~= '' then redis.call('ZADD', KEYS[2], 0, key) end
    if ends == '' then redis.call('SET', KEYS[at], text) else redis.call('SET', KEYS[at], text, 'PXAT', ends) end
  end
  return 1`;

/** KEYS as for writing. ARGV: the holder, then the key of each. */
const REMOVE = `
  if redis.call('HGET', KEYS[1], 'holder') ~= ARGV[1] then return 0 end
  local removed = {}
  for at = 3, #KEYS do
    if KEYS[2] ~= '' then redis.call('ZREM', KEYS[2], ARGV[at - 1]) end
    removed[at - 2] = redis.call('UNLINK', KEYS[at])
  end
  return removed`;

/** Removes the keys of rows that have expired from the list. KEYS and ARGV as for removing. */
const REMOVE_EXPIRED = `
  if redis.call('HGET', KEYS[1], 'holder') ~= ARGV[1] then return 0 end
  for at = 3, #KEYS do
    if redis.call('EXISTS', KEYS[at]) == 0 then redis.call('ZREM', KEYS[2], ARGV[at - 1]) end
  end
  return 1`;

/** Returns the positions of the keys that exist, counted from 0. */
const FIND_EXISTING = `
  local found = {}
  for at, key in ipairs(KEYS) do
    if redis.call('EXISTS', key) == 1 then found[#found + 1] = at - 1 end
  end
  return found`;

const SEPARATOR = '::';

/** One connection, so that requests reach the server in order. */
export async function openRedis(parts: ServerParts): Promise<Server> {
  const { name, connection } = parts;
  const client = await connectRedis(parts);
  return {
    name,
    connection,
    store: (partition, lease) =>
      new Redis({ name: partitionName(name, partition), client, connection, lease, partition }),
    holders: (count) => readHolders(client, connection, count),
    async usedPartitions() {
      // Every bot writes to `meta` when it starts. Partition 0 has no list of its keys, so its lease is checked instead.
      const keys = Array.from({ length: MAX_PARTITIONS }, (_, partition) =>
        partition === 0 ? leaseNumberKey(0) : `${prefixOf(partition)}meta:keys`,
      );
      const existingIndexes = await connection.run(() => client.eval(FIND_EXISTING, { keys }));
      return Array.isArray(existingIndexes) ? existingIndexes.map(Number) : [];
    },
    async warn(log) {
      const info = await connection.run(() => client.info());
      if (!/^aof_enabled:1\r?$/m.test(info))
        log.warn(
          { store: name },
          'This Redis has no append-only file, so recent writes are lost if it is killed. Set appendonly to yes.',
        );
      if (!/^maxmemory_policy:noeviction\r?$/m.test(info))
        log.warn(
          { store: name },
          'This Redis may evict tasks when its memory is full. Set maxmemory-policy to noeviction.',
        );
    },
    async close() {
      connection.close();
      if (client.isOpen) client.destroy();
    },
  };
}

interface RedisParts {
  name: string;
  client: RedisClient;
  connection: ServerConnection;
  lease: () => Lease;
  partition: number;
}

/** A store in Redis, or one partition of it. */
class Redis implements ServerStore {
  readonly name: string;
  readonly leaseServer: LeaseServer;
  readonly #parts: RedisParts;
  /** The prefix of every key. */
  readonly #prefix: string;
  readonly #leaseKey: string;

  constructor(parts: RedisParts) {
    const { client, connection, partition } = parts;
    this.name = parts.name;
    this.#parts = parts;
    this.#prefix = prefixOf(partition);
    this.#leaseKey = leaseKey(partition);
    this.leaseServer = createLeaseServer(client, connection, partition);
  }

  async isEmpty(): Promise<boolean> {
    return (await this.#run((client) => client.exists(leaseNumberKey(this.#parts.partition)))) === 0;
  }

  get failure(): StoreError | undefined {
    return this.#parts.connection.failure;
  }

  adapter(namespace: string): RowStore {
    return toRowStore({
      read: (keys) => this.#read(namespace, keys),
      write: async (rows) => {
        const keys = rows.map(({ key }) => key);
        const values = rows.flatMap(({ key, text, expires }) => [key, text, String(expires ?? '')]);
        await this.#change(WRITE, namespace, keys, values);
      },
      remove: async (keys) => {
        const removed = await this.#change(REMOVE, namespace, keys, keys);
        return new Set(Array.isArray(removed) ? keys.filter((_, index) => removed[index] === 1) : []);
      },
      all: () => this.#rows(namespace),
    });
  }

  async range(namespace: string, { from, end, max }: Range): Promise<Row[]> {
    if (!this.#isListed(namespace)) return this.#sortedRange(namespace, { from, end, max });
    const start = 'first' in from ? `[${from.first}` : `(${from.after}`;
    const list = this.#listOf(namespace);
    const rows: Row[] = [];
    let nextStart = start;
    // A key is listed before its row is written, and may outlive it; keys without a row are skipped.
    for (;;) {
      const limit = { offset: 0, count: max - rows.length };
      const keys = await this.#run((client) => client.zRange(list, nextStart, `(${end}`, { BY: 'LEX', LIMIT: limit }));
      rows.push(...(await this.#rowsOf(namespace, keys)));
      const lastKey = keys.at(-1);
      if (lastKey === undefined || rows.length === max) return rows;
      nextStart = `(${lastKey}`;
    }
  }

  /** Reads all keys of the namespace, because no list has them in order; only an erasure needs this. */
  async #sortedRange(namespace: string, { from, end, max }: Range): Promise<Row[]> {
    const isInRange = (key: string): boolean => ('first' in from ? key >= from.first : key > from.after) && key < end;
    const matchingKeys = new Set<string>();
    for await (const keys of this.#keys(namespace)) for (const key of keys.filter(isInRange)) matchingKeys.add(key);
    return this.#rowsOf(namespace, [...matchingKeys].sort().slice(0, max));
  }

  /** The server removes expired rows, but not their keys in the lists. */
  async clearExpired(): Promise<void> {
    if (!this.#hasLists) return;
    for (const namespace of namespaceNames)
      for await (const keys of this.#listedKeys(namespace)) await this.#change(REMOVE_EXPIRED, namespace, keys, keys);
  }

  async countExpired(): Promise<number> {
    return 0;
  }

  /** There is no snapshot: a row that changes in the meantime is returned as it was before or after, and may be returned twice. */
  async *everyRow(namespaces: readonly string[]): AsyncGenerator<NamespacedRow> {
    for (const namespace of namespaces)
      for await (const keys of this.#keys(namespace))
        for await (const row of this.#rowsAt(namespace, keys)) yield { namespace, ...row };
  }

  /** Yields each row once, although SCAN may return a key twice. */
  async *#rows(namespace: string): AsyncGenerator<[key: string, text: string]> {
    const seen = new Set<string>();
    for await (const keys of this.#keys(namespace)) {
      const newKeys = [...new Set(keys)].filter((key) => !seen.has(key));
      for (const key of newKeys) seen.add(key);
      for await (const { key, text } of this.#rowsAt(namespace, newKeys)) yield [key, text];
    }
  }

  /** Whether the keys of the namespace are in a sorted list. */
  #isListed(namespace: string): boolean {
    return this.#hasLists || namespace === RANGED_NAMESPACE;
  }

  #keys(namespace: string): AsyncGenerator<string[]> {
    return this.#hasLists ? this.#listedKeys(namespace) : this.#scannedKeys(namespace);
  }

  async *#listedKeys(namespace: string): AsyncGenerator<string[]> {
    const list = this.#listOf(namespace);
    let start = '-';
    for (;;) {
      const limit = { offset: 0, count: READ_BATCH_SIZE };
      const keys = await this.#run((client) => client.zRange(list, start, '+', { BY: 'LEX', LIMIT: limit }));
      const lastKey = keys.at(-1);
      if (lastKey === undefined) return;
      yield keys;
      start = `(${lastKey}`;
    }
  }

  async *#scannedKeys(namespace: string): AsyncGenerator<string[]> {
    const keyPrefix = this.#keyOf(namespace, '');
    let cursor = '0';
    do {
      const page = await this.#run((client) =>
        client.scan(cursor, { MATCH: `${keyPrefix}*`, COUNT: READ_BATCH_SIZE, TYPE: 'string' }),
      );
      cursor = String(page.cursor);
      yield page.keys.map((key) => key.slice(keyPrefix.length));
    } while (cursor !== '0');
  }

  /** Reads rows in batches. Keys that were deleted in the meantime are skipped. */
  async *#rowsAt(namespace: string, keys: readonly string[]): AsyncGenerator<Row> {
    const max = readBatchSize(namespace);
    for (let start = 0; start < keys.length; start += max)
      yield* await this.#rowsOf(namespace, keys.slice(start, start + max));
  }

  async #rowsOf(namespace: string, keys: readonly string[]): Promise<Row[]> {
    const texts = await this.#read(namespace, keys);
    return keys.flatMap((key, index) => (texts[index] === undefined ? [] : [{ key, text: texts[index] }]));
  }

  async #read(namespace: string, keys: readonly string[]): Promise<(string | undefined)[]> {
    if (keys.length === 0) return [];
    const texts = await this.#run((client) => client.mGet(keys.map((key) => this.#keyOf(namespace, key))));
    return texts.map((text) => text?.toString());
  }

  async #change(script: string, namespace: string, keys: readonly string[], values: readonly string[]) {
    const { lease } = this.#parts;
    const list = this.#isListed(namespace) ? this.#listOf(namespace) : '';
    const result = await this.#run((client) =>
      client.eval(script, {
        keys: [this.#leaseKey, list, ...keys.map((key) => this.#keyOf(namespace, key))],
        arguments: [lease().holder, ...values],
      }),
    );
    if (result === 0) throw lease().lostError();
    return result;
  }

  /**
   * Whether the keys of every namespace are listed: a scan reads the keys of all partitions, and takes seconds if there are a million. The store of a
   * bot without partitions lists only those of the namespace that is read in ranges.
   */
  get #hasLists(): boolean {
    return this.#parts.partition > 0;
  }

  /** The key of the list with the sorted keys of a namespace. */
  #listOf(namespace: string): string {
    return `${this.#prefix}${namespace}:keys`;
  }

  #keyOf(namespace: string, key: string): string {
    return this.#prefix + namespace + SEPARATOR + key;
  }

  #run<T>(work: (client: RedisClient) => Promise<T>): Promise<T> {
    return this.#parts.connection.run(() => work(this.#parts.client));
  }
}
