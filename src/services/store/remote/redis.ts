import type { createClient } from '@keyv/redis';
import type { KeyvStorageAdapter } from 'keyv';
import type { Log } from '../../../lib/log.ts';
import { type Backend, RANGED, type Range, ROWS_AT_ONCE, type Row, rowsAtOnce } from '../backend.ts';
import { StoreError } from '../store-error.ts';
import { checked, type KeyOrder } from './checked-adapter.ts';
import type { Line } from './line.ts';
import { optional } from './optional-package.ts';
import { LEASE_NUMBER } from './redis-lease.ts';

type Client = ReturnType<typeof newClient>['client'];
type AdapterClass = typeof import('@keyv/redis')['default'];
/** The very client, under its widest type. */
type Taken = ConstructorParameters<AdapterClass>[0];

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;
/** Other programs may keep theirs in the same database. */
const PREFIX = 'atelier:';
/** What the adapter puts between a namespace and a key. */
const SEPARATOR = '::';
/** The keys of the namespace that is asked for in ranges, in order. */
const KEYS_IN_ORDER = `${PREFIX}${RANGED}:keys`;

interface RedisParts {
  url: string;
  line: Line;
  /** The address without its password. */
  name: string;
  mustBeOurs(): void;
}

/** A store in a Redis: one connection that all namespaces share, so that everything reaches the server in the order in which it was asked. */
export class Redis implements Backend {
  readonly name: string;
  readonly client: Client;
  readonly #parts: RedisParts;
  readonly #Adapter: AdapterClass;

  private constructor(parts: RedisParts, client: Client, Adapter: AdapterClass) {
    this.name = parts.name;
    this.client = client;
    this.#parts = parts;
    this.#Adapter = Adapter;
  }

  static async open(parts: RedisParts): Promise<Redis> {
    const { createClient, default: Adapter } = await optional(() => import('@keyv/redis'), '@keyv/redis');
    const { client, stay } = newClient(createClient, parts);
    try {
      await parts.line.ask(() => client.connect());
      stay();
      return new Redis(parts, client, Adapter);
    } catch (error) {
      if (client.isOpen) client.destroy();
      throw error;
    }
  }

  /** Whether no bot was ever here. */
  async isEmpty(): Promise<boolean> {
    return (await this.#ask(() => this.client.exists(LEASE_NUMBER))) === 0;
  }

  get failure(): StoreError | undefined {
    return this.#parts.line.failure;
  }

  adapter(namespace: string): KeyvStorageAdapter {
    const { line, mustBeOurs } = this.#parts;
    const adapter = new this.#Adapter(this.client as unknown as Taken, {
      namespace: PREFIX + namespace,
      throwOnErrors: true,
    });
    const order = this.#orderOf(namespace);
    const ask = <T>(work: () => Promise<T>): Promise<T> => line.ask(work);
    return checked({ adapter, ask, mustBeOurs, order, rows: () => this.#rows(namespace) });
  }

  async range(namespace: string, { from, end, most }: Range): Promise<Row[]> {
    if (namespace !== RANGED) throw new Error(`The keys of ${namespace} are not kept in order.`);
    const start = 'first' in from ? `[${from.first}` : `(${from.after}`;
    const rows: Row[] = [];
    let next = start;
    // A key is there before its row, and may be left behind by it: those are passed over.
    for (;;) {
      const limit = { offset: 0, count: most - rows.length };
      const keys = await this.#ask(() =>
        this.client.zRange(KEYS_IN_ORDER, next, `(${end}`, { BY: 'LEX', LIMIT: limit }),
      );
      rows.push(...(await this.#rowsOf(namespace, keys)));
      const last = keys.at(-1);
      if (last === undefined || rows.length === most) return rows;
      next = `(${last}`;
    }
  }

  /** The server does that by itself. */
  async clearExpired(): Promise<void> {
    return undefined;
  }

  async countExpired(): Promise<number> {
    return 0;
  }

  /** What an operator should know of this server before they rely on it. */
  async warn(log: Log): Promise<void> {
    const told = await this.#ask(() => this.client.info());
    if (!/^aof_enabled:1\r?$/m.test(told))
      log.warn(
        { store: this.name },
        'This Redis keeps no append-only file, so what was stored last is lost when it is killed. Set appendonly to yes.',
      );
    if (!/^maxmemory_policy:noeviction\r?$/m.test(told))
      log.warn(
        { store: this.name },
        'This Redis may throw tasks away when its memory is full. Set maxmemory-policy to noeviction.',
      );
  }

  close(): void {
    if (this.client.isOpen) this.client.destroy();
  }

  /** SCAN may name a key twice, and one that has gone meanwhile has no value. */
  async *#rows(namespace: string): AsyncGenerator<[key: string, text: string]> {
    const beginning = PREFIX + namespace + SEPARATOR;
    const seen = new Set<string>();
    let cursor = '0';
    do {
      const page = await this.#ask(() =>
        this.client.scan(cursor, { MATCH: `${beginning}*`, COUNT: ROWS_AT_ONCE, TYPE: 'string' }),
      );
      cursor = String(page.cursor);
      const keys = page.keys.map((key) => key.slice(beginning.length)).filter((key) => !seen.has(key));
      for (const key of keys) seen.add(key);
      const most = rowsAtOnce(namespace);
      const fresh = [...new Set(keys)];
      for (let at = 0; at < fresh.length; at += most)
        for (const { key, text } of await this.#rowsOf(namespace, fresh.slice(at, at + most))) yield [key, text];
    } while (cursor !== '0');
  }

  async #rowsOf(namespace: string, keys: readonly string[]): Promise<Row[]> {
    if (keys.length === 0) return [];
    const texts = await this.#ask(() => this.client.mGet(keys.map((key) => PREFIX + namespace + SEPARATOR + key)));
    return keys.flatMap((key, at) => (typeof texts[at] === 'string' ? [{ key, text: texts[at] }] : []));
  }

  /** The list of keys is written first and cleaned last: no row is ever without its place in it. */
  #orderOf(namespace: string): KeyOrder | undefined {
    if (namespace !== RANGED) return undefined;
    return {
      enter: (keys) =>
        this.client.zAdd(
          KEYS_IN_ORDER,
          keys.map((value) => ({ score: 0, value })),
        ),
      leave: (keys) => this.client.zRem(KEYS_IN_ORDER, [...keys]),
    };
  }

  #ask<T>(work: () => Promise<T>): Promise<T> {
    return this.#parts.line.ask(work);
  }
}

function newClient(create: typeof createClient, { url, name }: RedisParts) {
  let stays = false;
  const client = made(name, () =>
    create({
      url,
      // Without a connection a request fails at once: in a queue it would wait for as long as the server is away.
      disableOfflineQueue: true,
      socket: {
        // The first connection is there or it is not; one that was there is sought until it is back.
        reconnectStrategy: (tries) => stays && Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS),
      },
    }),
  );
  // Whoever asks is told; without a listener a lost connection would end the process.
  client.on('error', () => undefined);
  return {
    client,
    stay: () => {
      stays = true;
    },
  };
}

/** What is thrown for an address holds the address, and so the password. */
function made<T>(name: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new StoreError(
      'unsupported',
      `STORE_URL ${name} is no address of a Redis (${error.message}), such as redis://host:6379/0.`,
    );
  }
}
