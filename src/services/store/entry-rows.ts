import { KeyedLock } from '../../lib/keyed-lock.ts';
import { type Entries, type Entry, entrySchema, keyOf } from '../ledger/entry.ts';
import { ledgerMark } from './marks.ts';
import { type Quarantine, Rows, UNREADABLE } from './rows.ts';
import type { Shelf, Shelves } from './shelf.ts';

interface EntryRowsParts extends Pick<Shelves, 'ledger' | 'meta'>, Pick<Entries, 'task' | 'tasks'> {
  quarantine: Quarantine;
}

/** Sorts after the colon between day and id, so that the range includes all keys of its last day. */
const AFTER_COLON = ';';

export class EntryRows implements Entries {
  readonly #parts: EntryRowsParts;
  readonly #rows: Rows<Entry>;
  readonly #lock = new KeyedLock();
  readonly task: Entries['task'];
  readonly tasks: Entries['tasks'];

  constructor(parts: EntryRowsParts) {
    this.#parts = parts;
    this.#rows = entryRows(parts.ledger, parts.quarantine);
    this.task = parts.task;
    this.tasks = parts.tasks;
  }

  find(key: string): Promise<Entry | undefined> {
    return this.#lock.run(key, () => this.#rows.get(key));
  }

  change(key: string, transition: (known: Entry | undefined) => Entry): Promise<void> {
    return this.#lock.run(key, async () => {
      const known = await this.#rows.get(key);
      const entry = transition(known);
      if (entry === known) return;
      if (keyOf(entry) !== key) throw new Error(`The entry ${key} cannot become ${keyOf(entry)}.`);
      await this.#parts.ledger.put(key, entrySchema.parse(entry));
    });
  }

  /** Writes the new one first. After a crash in between both exist, and repeating it fixes that. */
  rename(entry: Entry, to: Entry): Promise<void> {
    return this.#lock.run(keyOf(entry), async () => {
      await this.#parts.ledger.put(keyOf(to), entrySchema.parse(to));
      await this.#parts.ledger.delete(keyOf(entry));
    });
  }

  async *between(first: string, last: string): AsyncGenerator<Entry> {
    for await (const [key, value] of this.#parts.ledger.between(first, last + AFTER_COLON)) {
      const read = this.#rows.read(key, value);
      const entry = typeof read === 'string' ? await this.find(key) : read;
      if (entry) yield entry;
    }
  }

  async openSince(): Promise<string | undefined> {
    return (await ledgerMark(this.#parts.meta).read())?.openSince;
  }

  async setOpenSince(openSince: string): Promise<void> {
    if ((await this.openSince()) !== openSince) await ledgerMark(this.#parts.meta).write({ openSince });
  }
}

export const entryRows = (ledger: Shelf, quarantine: Quarantine) =>
  new Rows(ledger, quarantine, (key, value) => {
    const { data } = entrySchema.safeParse(value);
    return data && keyOf(data) === key ? data : UNREADABLE;
  });
