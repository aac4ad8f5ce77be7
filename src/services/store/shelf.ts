import { setImmediate } from 'node:timers/promises';
import { Keyv } from 'keyv';
import { isRecord } from '../../lib/exact-json.ts';
import { type Backend, type Durability, LARGE, RANGED, ROWS_AT_ONCE, refusedWrite, StoreError } from './backend.ts';

/** Stands for a row whose text nobody can read, where throwing would end the way through all the others. */
export class Unreadable {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The adapter wraps every value once more, so a row without a `value` inside is none of ours. */
export const rowFormat = {
  stringify: (row: unknown): string => JSON.stringify(row),
  parse: rowIn,
};

function rowIn<T>(text: string): T;
function rowIn(text: string): unknown {
  try {
    const row: unknown = JSON.parse(text);
    if (isRecord(row) && 'value' in row) return row;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return { value: new Unreadable(text) };
}

/** One namespace of the store. Whatever it cannot do, it throws as a `StoreError`. */
export class Shelf {
  readonly name: string;
  readonly #backend: Backend;
  readonly #keyv: Keyv;

  constructor(name: string, backend: Backend, durability: Durability = 'at-once') {
    this.name = name;
    this.#backend = backend;
    // Nothing listens for `error`, for then failures would be told to the listener and not thrown.
    this.#keyv = new Keyv({
      store: backend.adapter(name, durability),
      namespace: name,
      serialization: rowFormat,
    });
  }

  get(key: string): Promise<unknown> {
    return this.#keyv.get(key);
  }

  has(key: string): Promise<boolean> {
    return this.#keyv.has(key);
  }

  async getMany(keys: readonly string[]): Promise<Map<string, unknown>> {
    if (keys.length === 0) return new Map();
    const values = await this.#keyv.getMany([...keys]);
    return new Map(keys.flatMap((key, index) => (values[index] === undefined ? [] : [[key, values[index]] as const])));
  }

  async put(key: string, value: unknown, lastsMs?: number): Promise<void> {
    this.#mustHaveWorked(await this.#keyv.set(key, value, lastsMs));
  }

  async putMany(entries: readonly { key: string; value: unknown }[]): Promise<void> {
    const written = await this.#keyv.setMany(entries.map((entry) => ({ ...entry })));
    this.#mustHaveWorked(written.every(Boolean));
  }

  async delete(...keys: string[]): Promise<void> {
    if (keys.length > 0) await this.#keyv.deleteMany(keys);
  }

  async *entries(): AsyncGenerator<[key: string, value: unknown]> {
    try {
      for await (const [key, value] of this.#keyv.iterator()) yield [key, value];
    } catch (error) {
      // The adapter wraps what went wrong in a new error, without its code.
      throw error instanceof StoreError ? error : (this.#backend.failure ?? error);
    }
  }

  /** In the order of their keys, from `first` on and before `end`. What is written meanwhile may be among them or not. */
  async *between(first: string, end: string): AsyncGenerator<[key: string, value: unknown]> {
    let from: { first: string } | { after: string } = { first };
    for (;;) {
      const rows = await this.#backend.range(this.name, { from, end, most: ROWS_AT_ONCE });
      for (const { key, text } of rows) yield [key, rowFormat.parse<{ value: unknown }>(text).value];
      const last = rows.at(-1);
      if (!last || rows.length < ROWS_AT_ONCE) return;
      from = { after: last.key };
      await setImmediate();
    }
  }

  /** Removes every row of the whole store whose time is over. */
  clearExpired(): Promise<void> {
    return this.#backend.clearExpired();
  }

  #mustHaveWorked(written: boolean): void {
    if (!written) throw refusedWrite(this.#backend.name);
  }
}

export type Shelves = ReturnType<typeof shelvesOn>;

export function shelvesOn(backend: Backend) {
  const shelf = (name: string): Shelf => new Shelf(name, backend);
  const retrievable = (name: string): Shelf => new Shelf(name, backend, 'soon');
  return {
    /** Tasks that something is left to do for. */
    live: shelf('live'),
    /** All others, for as long as they are kept. */
    finished: shelf('finished'),
    /** Orders as they were sent, until it is known what became of them. */
    sent: shelf(LARGE),
    /** The lines of each member and server; after a power cut the tasks tell what is missing. */
    index: retrievable('index'),
    /** Who used what. What tasks that are gone have left here cannot be made again. */
    ledger: shelf(RANGED),
    /** Which task the gateway knows by which id; after a power cut an id that is missing is one that nobody has followed. */
    remotes: retrievable('remotes'),
    /** A few lost ones change nothing. */
    durations: retrievable('durations'),
    /** Until when questions were asked; after a power cut that is long ago. */
    asking: retrievable('asking'),
    /** Messages that are kept up to date until somebody has seen enough; a lost one is begun again with a press. */
    follows: retrievable('follows'),
    /** What could not be read. */
    quarantine: shelf('quarantine'),
    /** Members who want to be forgotten. */
    forgetting: shelf('forgetting'),
    /** Of the store itself. */
    meta: shelf('meta'),
  };
}
