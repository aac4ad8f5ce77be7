import { StoreError } from '../../tasks/store-error.ts';
import { type Change, type NamespacedRow, type Range, READ_BATCH_SIZE, type Row, rowsIn } from '../backend.ts';
import type { Lease, LeaseServer } from '../lease.ts';
import { namespaceNames } from '../namespaces.ts';
import { MAX_PARTITIONS } from '../rows/marks.ts';
import { openRedisClient, type RedisClient } from './redis-client.ts';
import type { Server, ServerConnection } from './server-connection.ts';
import { ServerStore } from './server-store.ts';

/** The prefix of every key of a partition, because other programs may use the same database. */
const prefixOf = (partition: number): string => (partition === 0 ? 'atelier:' : `atelier:p${partition}:`);

/** The key that stores the holder's name, and how often the lease was renewed. */
const leaseKey = (partition: number): string => `${prefixOf(partition)}lease`;
const leaseNumberKey = (partition: number): string => `${prefixOf(partition)}lease:number`;

const ACQUIRE = `
  local held = redis.call('HMGET', KEYS[1], 'holder', 'renewals')
  if held[1] and held[1] ~= ARGV[3] then return { held[1], held[2], redis.call('PTTL', KEYS[1]) } end
  redis.call('HSET', KEYS[1], 'holder', ARGV[1], 'renewals', 0)
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return redis.call('INCR', KEYS[2])`;

const RENEW = `
  if redis.call('HGET', KEYS[1], 'holder') ~= ARGV[1] then return 0 end
  redis.call('HINCRBY', KEYS[1], 'renewals', 1)
  return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;

const RELEASE = `
  if redis.call('HGET', KEYS[1], 'holder') ~= ARGV[1] then return 0 end
  return redis.call('DEL', KEYS[1])`;

const READ_HOLDERS = `
  local holders = {}
  for at, key in ipairs(KEYS) do holders[at] = redis.call('HGET', key, 'holder') end
  return holders`;

function createRedisLeaseServer(client: RedisClient, partition: number): LeaseServer {
  const keys = [leaseKey(partition), leaseNumberKey(partition)];
  return {
    async acquire(holder, ms, ended = '') {
      const result = await client.eval(ACQUIRE, keys, [holder, ms, ended]);
      if (!Array.isArray(result)) return Number(result);
      const [heldBy, renewals, endsInMs] = result;
      return { holder: String(heldBy), renewals: String(renewals), endsInMs: Number(endsInMs) };
    },
    renew: async (holder, ms) => Number(await client.eval(RENEW, keys, [holder, ms])) === 1,
    async release(holder) {
      await client.eval(RELEASE, keys, [holder]);
    },
  };
}

/** The current lease holders of the first `count` partitions. */
async function readRedisHolders(client: RedisClient, count: number): Promise<Map<number, string>> {
  const keys = Array.from({ length: count }, (_, partition) => leaseKey(partition));
  const result = await client.eval(READ_HOLDERS, keys);
  const holders = Array.isArray(result) ? result : [];
  return new Map(
    holders.flatMap((holder, partition) => (typeof holder === 'string' ? [[partition, holder] as const] : [])),
  );
}

/**
 * Writes rows with text and expiry (empty: none), and adds their keys to the sorted list of their namespace, so that no row is without its key there. An expiry
 * of 0 deletes the row. KEYS: the lease, then the list and the row of each. ARGV: the holder, then key, text and expiry of each.
 */
const WRITE = `
  if redis.call('HGET', KEYS[1], 'holder') ~= ARGV[1] then return 0 end
  for at = 1, (#KEYS - 1) / 2 do
    local list, row = KEYS[2 * at], KEYS[2 * at + 1]
    local key, text, ends = ARGV[3 * at - 1], ARGV[3 * at], ARGV[3 * at + 1]
    if ends == '0' then
      redis.call('ZREM', list, key)
      redis.call('UNLINK', row)
    else
      redis.call('ZADD', list, 0, key)
      if ends == '' then redis.call('SET', row, text) else redis.call('SET', row, text, 'PXAT', ends) end
    end
  end
  return 1`;

/** Removes the keys of rows that have expired from the list. KEYS: the lease, the list, the rows. ARGV: the holder, then the key of each. */
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

export async function openRedis(connection: ServerConnection): Promise<Server> {
  const client = await openRedisClient(connection);
  return {
    connection,
    store: (partition, lease) => new Redis(client, partition, lease),
    leaseServer: (partition) => createRedisLeaseServer(client, partition),
    isEmpty: async (partition) => (await client.run((redis) => redis.exists(leaseNumberKey(partition)))) === 0,
    holders: (count) => readRedisHolders(client, count),
    async usedPartitions() {
      // Every bot writes to `meta` when it starts.
      const keys = Array.from({ length: MAX_PARTITIONS }, (_, partition) => `${prefixOf(partition)}meta:keys`);
      const existingIndexes = await client.eval(FIND_EXISTING, keys);
      return Array.isArray(existingIndexes) ? existingIndexes.map(Number) : [];
    },
    warnings: () => findWarnings(client),
    close: client.close,
  };
}

/** Settings with which a confirmed order can be lost. */
async function findWarnings(client: RedisClient): Promise<string[]> {
  const { appendonly, appendfsync, 'maxmemory-policy': eviction } = await readSettings(client);
  if (!appendonly || !appendfsync || !eviction)
    return [
      'This Redis does not reveal its settings. Make sure that it has appendonly yes, appendfsync always and maxmemory-policy noeviction, or orders can be lost.',
    ];
  const warnings = [];
  if (appendonly !== 'yes')
    warnings.push(
      'This Redis has no append-only file, so recent orders are lost if it is killed. Set appendonly to yes and appendfsync to always.',
    );
  else if (appendfsync !== 'always')
    warnings.push(
      'This Redis writes to its disk once a second or less often, so the last orders are lost in a power failure. Set appendfsync to always.',
    );
  if (eviction !== 'noeviction')
    warnings.push('This Redis may evict tasks when its memory is full. Set maxmemory-policy to noeviction.');
  return warnings;
}

/** Some managed servers do not allow CONFIG, or do not know a setting. */
async function readSettings(client: RedisClient): Promise<Record<string, string | undefined>> {
  try {
    const [persistence, memory] = await client.run((redis) =>
      Promise.all([redis.configGet('append*'), redis.configGet('maxmemory-policy')]),
    );
    return { ...persistence, ...memory };
  } catch (error) {
    if (!(error instanceof StoreError) || error.kind === 'unreachable') throw error;
    return {};
  }
}

class Redis extends ServerStore {
  readonly #client: RedisClient;
  /** The prefix of every key. */
  readonly #prefix: string;
  readonly #leaseKey: string;

  constructor(client: RedisClient, partition: number, lease: Lease | undefined) {
    super(client.connection, partition, lease);
    this.#client = client;
    this.#prefix = prefixOf(partition);
    this.#leaseKey = leaseKey(partition);
  }

  async write(changes: readonly Change[]): Promise<void> {
    const keys = changes.flatMap(({ namespace, key }) => [this.#listOf(namespace), this.#keyOf(namespace, key)]);
    const values = changes.flatMap(({ key, text, expires = '' }) => [
      key,
      text ?? '',
      text === undefined ? 0 : expires,
    ]);
    await this.#change(WRITE, keys, values);
  }

  async range(namespace: string, { after, before, isReversed, max }: Range): Promise<Row[]> {
    const list = this.#listOf(namespace);
    const rows: Row[] = [];
    let [start, end] = isReversed ? [before, after] : [after, before];
    // A key is listed before its row is written, and may outlive it; keys without a row are skipped.
    for (;;) {
      const options = { BY: 'LEX', REV: isReversed, LIMIT: { offset: 0, count: max - rows.length } } as const;
      const keys = await this.#client.run((client) => client.zRange(list, `(${start}`, `(${end}`, options));
      rows.push(...(await this.#rowsOf(namespace, keys)));
      const lastKey = keys.at(-1);
      if (lastKey === undefined || rows.length === max) return rows;
      start = lastKey;
    }
  }

  /** The server removes expired rows, but not their keys in the lists. */
  async clearExpired(): Promise<void> {
    for (const namespace of namespaceNames)
      for await (const keys of this.#keys(namespace)) {
        const rows = keys.map((key) => this.#keyOf(namespace, key));
        await this.#change(REMOVE_EXPIRED, [this.#listOf(namespace), ...rows], keys);
      }
  }

  /** There is no snapshot: a row that changes in the meantime is returned as it was before or after. */
  async *everyRow(namespaces: readonly string[]): AsyncGenerator<NamespacedRow> {
    for (const namespace of namespaces) for await (const row of rowsIn(this, namespace)) yield { namespace, ...row };
  }

  /** Yields the listed keys in order. A scan would read the keys of all partitions instead, which takes seconds if there are a million. */
  async *#keys(namespace: string): AsyncGenerator<string[]> {
    const list = this.#listOf(namespace);
    let start = '-';
    for (;;) {
      const limit = { offset: 0, count: READ_BATCH_SIZE };
      const keys = await this.#client.run((client) => client.zRange(list, start, '+', { BY: 'LEX', LIMIT: limit }));
      const lastKey = keys.at(-1);
      if (lastKey === undefined) return;
      yield keys;
      start = `(${lastKey}`;
    }
  }

  /** Keys that were deleted in the meantime are skipped. */
  async #rowsOf(namespace: string, keys: readonly string[]): Promise<Row[]> {
    const texts = keys.length === 0 ? [] : await this.read(namespace, keys);
    return keys.flatMap((key, index) => (texts[index] === undefined ? [] : [{ key, text: texts[index] }]));
  }

  protected async read(namespace: string, keys: readonly string[]): Promise<(string | undefined)[]> {
    const texts = await this.#client.run((client) => client.mGet(keys.map((key) => this.#keyOf(namespace, key))));
    return texts.map((text) => text?.toString());
  }

  /** Runs a script whose first key is the lease, whose first value is its holder, and which returns 0 if the lease is no longer valid. */
  async #change(script: string, keys: readonly string[], values: readonly (string | number)[]): Promise<void> {
    await this.change(
      async (holder) => (await this.#client.eval(script, [this.#leaseKey, ...keys], [holder, ...values])) !== 0,
    );
  }

  /** The key of the list with the sorted keys of a namespace. */
  #listOf(namespace: string): string {
    return `${this.#prefix}${namespace}:keys`;
  }

  #keyOf(namespace: string, key: string): string {
    return this.#prefix + namespace + SEPARATOR + key;
  }
}
