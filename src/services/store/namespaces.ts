import { Keyv } from 'keyv';
import type { Clock } from '../../lib/clock.ts';
import { keysOf } from '../../lib/entries.ts';
import { isRecord, parsePlainJson } from '../../lib/exact-json.ts';
import { StoreError, type StoreErrorKind } from '../tasks/store-error.ts';
import {
  type Backend,
  type Change,
  type Durability,
  LARGE_NAMESPACE,
  type Range,
  refusedWriteError,
  rowBatches,
  rowsIn,
} from './backend.ts';
import { WriteQueue } from './write-queue.ts';

/** Stands for an unreadable row, because throwing would end the iteration over all others. */
export class UnreadableRow {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** keyv wraps every value, so a row without a `value` inside was not written by the bot. */
export const rowFormat = {
  stringify: JSON.stringify,
  parse: parseRow,
};

/** The content of a row, or an `UnreadableRow` if it cannot be read. */
export const valueIn = (text: string): unknown => rowFormat.parse<{ value: unknown }>(text).value;

function parseRow<T>(text: string): T;
function parseRow(text: string): unknown {
  const row = parsePlainJson(text);
  return isRecord(row) && 'value' in row ? row : { value: new UnreadableRow(text) };
}

export interface StoreUse {
  operation: 'read' | 'write' | 'delete';
  ms: number;
  failure: StoreErrorKind | undefined;
}

export type StoreUseListener = (use: StoreUse) => void;

interface StoreFailure {
  since: number;
  kind: StoreErrorKind;
}

/** Tracks whether the latest read from the store and the latest write to it succeeded. */
export class StoreHealth {
  readonly #clock: Clock;
  readonly #failures = new Map<'reads' | 'writes', StoreFailure>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  record({ operation, failure }: StoreUse): void {
    // A full disk can still be read.
    const direction = operation === 'read' ? 'reads' : 'writes';
    if (failure === undefined) this.#failures.delete(direction);
    else if (this.#failures.get(direction)?.kind !== failure)
      this.#failures.set(direction, { since: this.#clock.now(), kind: failure });
  }

  /** Undefined if the store works. */
  get failure(): StoreFailure | undefined {
    return this.#failures.get('writes') ?? this.#failures.get('reads');
  }
}

/** One namespace of the store. Every failure is thrown as a `StoreError`. Single rows are read with keyv, which has neither ranges nor transactions. */
export class Namespace {
  readonly name: string;
  readonly #backend: Backend;
  readonly #durability: Durability;
  readonly #queue: WriteQueue;
  readonly #keyv: Keyv;
  readonly #onUse: StoreUseListener | undefined;

  constructor(
    name: string,
    backend: Backend,
    durability: Durability = 'immediate',
    queue = new WriteQueue(backend),
    onUse?: StoreUseListener,
  ) {
    this.name = name;
    this.#backend = backend;
    this.#durability = durability;
    this.#queue = queue;
    this.#onUse = onUse;
    // There is no listener for `error`, because with one, failures would go there instead of being thrown.
    this.#keyv = new Keyv({
      store: backend.adapter(name),
      namespace: name,
      serialization: rowFormat,
    });
  }

  get(key: string): Promise<unknown> {
    return this.#measure('read', () => this.#keyv.get(key));
  }

  has(key: string): Promise<boolean> {
    return this.#measure('read', () => this.#keyv.has(key));
  }

  async getMany(keys: readonly string[]): Promise<Map<string, unknown>> {
    if (keys.length === 0) return new Map();
    const values = await this.#measure('read', () => this.#keyv.getMany([...keys]));
    return new Map(keys.flatMap((key, index) => (values[index] === undefined ? [] : [[key, values[index]] as const])));
  }

  row(key: string, value: unknown, ttlMs?: number): Change {
    if (key === '') throw refusedWriteError(this.#backend.name);
    const expires = ttlMs === undefined ? undefined : Date.now() + ttlMs;
    return { namespace: this.name, key, text: rowFormat.stringify({ value, expires }), expires };
  }

  readonly removal = (key: string): Change => ({ namespace: this.name, key });

  /** Writes all of the changes or none of them. They may be of other namespaces too, for which this one's durability applies. */
  async write(
    changes: readonly Change[],
    operation: StoreUse['operation'] = 'write',
    durability = this.#durability,
  ): Promise<void> {
    if (changes.length > 0) await this.#measure(operation, () => this.#queue.write(changes, durability));
  }

  async put(key: string, value: unknown, ttlMs?: number): Promise<void> {
    await this.write([this.row(key, value, ttlMs)]);
  }

  async putMany(entries: readonly { key: string; value: unknown }[], ttlMs?: number): Promise<void> {
    await this.write(entries.map(({ key, value }) => this.row(key, value, ttlMs)));
  }

  async delete(...keys: string[]): Promise<void> {
    await this.write(keys.map(this.removal), 'delete');
  }

  /** Yields the rows between two keys, by default all of them, in the order of their keys. Rows written in the meantime may be missing. */
  async *entries(after?: string, before?: string): AsyncGenerator<[key: string, value: unknown]> {
    for await (const { key, text } of rowsIn(this.#backend, this.name, after, before)) yield [key, valueIn(text)];
  }

  /** Yields the rows between two keys, `max` at first and then ever more at a time, without those whose text is not wanted. */
  async *batches(range: Range, isWanted: (text: string) => boolean): AsyncGenerator<[key: string, value: unknown][]> {
    for await (const rows of rowBatches(this.#backend, this.name, range))
      yield rows.filter(({ text }) => isWanted(text)).map(({ key, text }) => [key, valueIn(text)]);
  }

  /** Clears expired rows in the whole store, not only in this namespace. */
  clearExpired(): Promise<void> {
    return this.#backend.clearExpired();
  }

  async #measure<T>(operation: StoreUse['operation'], work: () => Promise<T>): Promise<T> {
    const onUse = this.#onUse;
    if (!onUse) return work();
    const startedAt = performance.now();
    let failure: StoreErrorKind | undefined;
    try {
      return await work();
    } catch (error) {
      failure = error instanceof StoreError ? error.kind : 'failed';
      throw error;
    } finally {
      onUse({ operation, ms: performance.now() - startedAt, failure });
    }
  }
}

export type Namespaces = ReturnType<typeof openNamespaces>;

function everyNamespace<T>(create: (name: string, durability: Durability) => T) {
  const immediate = (name: string): T => create(name, 'immediate');
  const deferred = (name: string): T => create(name, 'deferred');
  return {
    /** Tasks for which something is left to do. */
    live: immediate('live'),
    /** All others, until they expire. */
    finished: immediate('finished'),
    /** Orders as they were sent, until their outcome is known. */
    sent: immediate(LARGE_NAMESPACE),
    /** The lists of each member and server; after a power cut they are rebuilt from the tasks. */
    index: deferred('index'),
    /** The usage of each member. Entries of erased tasks could not be created again. */
    ledger: immediate('ledger'),
    /** Tasks by remote id; after a power cut a missing id counts as one that was never followed. */
    remotes: deferred('remotes'),
    /** The fingerprints of the files of settled tasks; the doctor recreates a missing row. */
    fingerprints: deferred('fingerprints'),
    /** How long recent tasks took; a few may be lost. */
    durations: deferred('durations'),
    /** The recent outcomes of each model; lost ones are observed again. */
    models: deferred('models'),
    /** What jobs of each model have cost; lost costs are learned again. */
    costs: deferred('costs'),
    /** When the gateway was last polled. A power cut lasts longer than the gap between polls, so a lost time does not matter. */
    asking: deferred('asking'),
    /** Messages that are updated for a while; pressing the button again starts a lost one. */
    follows: deferred('follows'),
    /** The sums that anonymous ledger entries still count in, until their periods are over. */
    allowances: immediate('allowances'),
    /** The admins' decisions about spending. */
    budgets: immediate('budgets'),
    /** The admins' rules for content. */
    rules: immediate('rules'),
    /** Reports of results to moderators. */
    reports: immediate('reports'),
    /** The messages that the bot posted in the log channels of servers. */
    serverLogs: immediate('server-logs'),
    /** Which steps of their set-up the admins of servers have finished. */
    setups: immediate('setups'),
    /** Orders that wait for the member's confirmation, for a quarter of an hour. */
    proposals: immediate('proposals'),
    /** Drafts of forms, for an hour. */
    drafts: immediate('drafts'),
    /** What members, channels and servers want unless a request says otherwise. */
    preferences: immediate('preferences'),
    /** Named templates of members and servers. */
    presets: immediate('presets'),
    /** The pseudonym of each member at the gateway. */
    pseudonyms: immediate('pseudonyms'),
    /** Notices to the operator, and the messages that carry them. */
    notices: deferred('notices'),
    /** The recent starts of the bot. */
    runs: deferred('runs'),
    /** Rows that could not be read. */
    quarantine: immediate('quarantine'),
    erasures: immediate('forgetting'),
    meta: immediate('meta'),
  };
}

export function openNamespaces(backend: Backend, onUse?: StoreUseListener) {
  const queue = new WriteQueue(backend);
  return everyNamespace((name, durability) => new Namespace(name, backend, durability, queue, onUse));
}

const names = everyNamespace((name) => name);
export type NamespaceKey = keyof Namespaces;
export const namespaceKeys: readonly NamespaceKey[] = keysOf(names);
export const namespaceNameOf = (key: NamespaceKey): string => names[key];

/**
 * All namespaces in the order in which they are copied: running erasures before the rows that they erase, and the store's own marks last, so that they apply to everything
 * copied before.
 */
export const namespaceNames: readonly string[] = (() => {
  const { erasures, meta, ...others } = names;
  return [erasures, ...Object.values(others), meta];
})();
