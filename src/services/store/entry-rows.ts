import { KeyedLock } from '../../lib/keyed-lock.ts';
import type { Entries } from '../ledger/entries.ts';
import { type Entry, entrySchema, keyOf } from '../ledger/entry.ts';
import type { Task } from '../tasks/task.ts';
import { LedgerMark } from './ledger-mark.ts';
import type { Quarantine } from './quarantine.ts';
import type { Shelf } from './shelf.ts';

interface EntryRowsParts {
  ledger: Shelf;
  meta: Shelf;
  quarantine: Quarantine;
  /** The tasks beside them. */
  task(id: string): Promise<Task | undefined>;
  tasks(): AsyncGenerator<Task>;
}

/** Comes after the colon between the day and the id, so that all keys of a day lie before it. */
const AFTER_COLON = ';';

/** The entries of the ledger, a row each: what happens to one row happens to no other. */
export class EntryRows implements Entries {
  readonly #parts: EntryRowsParts;
  readonly #mark: LedgerMark;
  readonly #lock = new KeyedLock();

  constructor(parts: EntryRowsParts) {
    this.#parts = parts;
    this.#mark = new LedgerMark(parts.meta);
  }

  find(key: string): Promise<Entry | undefined> {
    return this.#lock.run(key, () => this.#read(key));
  }

  change(key: string, transition: (known: Entry | undefined) => Entry): Promise<void> {
    return this.#lock.run(key, async () => {
      const known = await this.#read(key);
      const entry = transition(known);
      if (entry === known) return;
      if (keyOf(entry) !== key) throw new Error(`The entry ${key} cannot become ${keyOf(entry)}.`);
      await this.#parts.ledger.put(key, entrySchema.parse(entry));
    });
  }

  /** The new one first: until the old one is gone both are there, and a crash in between is mended by doing it again. */
  rename(entry: Entry, to: Entry): Promise<void> {
    return this.#lock.run(keyOf(entry), async () => {
      await this.#parts.ledger.put(keyOf(to), entrySchema.parse(to));
      await this.#parts.ledger.delete(keyOf(entry));
    });
  }

  async *between(first: string, last: string): AsyncGenerator<Entry> {
    for await (const [key, value] of this.#parts.ledger.between(first, last + AFTER_COLON)) {
      const entry = readEntry(key, value) ?? (await this.#lock.run(key, () => this.#read(key)));
      if (entry) yield entry;
    }
  }

  task(id: string): Promise<Task | undefined> {
    return this.#parts.task(id);
  }

  tasks(): AsyncGenerator<Task> {
    return this.#parts.tasks();
  }

  openSince(): Promise<string | undefined> {
    return this.#mark.read();
  }

  setOpenSince(day: string): Promise<void> {
    return this.#mark.write(day);
  }

  async #read(key: string): Promise<Entry | undefined> {
    const { ledger, quarantine } = this.#parts;
    const value = await ledger.get(key);
    if (value === undefined) return undefined;
    const entry = readEntry(key, value);
    if (!entry) await quarantine.take(ledger, key, value, 'cannot be read');
    return entry;
  }
}

export function readEntry(key: string, value: unknown): Entry | undefined {
  const { data } = entrySchema.safeParse(value);
  return data && keyOf(data) === key ? data : undefined;
}
