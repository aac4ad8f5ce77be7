import { KeyedLock } from '../../../lib/keyed-lock.ts';
import { type EntryStore, entryKey, entrySchema, type LedgerEntry } from '../../money/entry.ts';
import type { Namespace, Namespaces } from '../namespaces.ts';
import { ledgerMark } from './marks.ts';
import { type Quarantine, Rows, UNREADABLE } from './rows.ts';
import type { KeptScopes, Table } from './tables.ts';

/** Sorts after the colon between day and id, so that the range includes all keys of its last day. */
const AFTER_COLON = ';';

export class StoredEntries implements EntryStore {
  readonly #namespaces: Namespaces;
  readonly #keptScopes: Table<KeptScopes>;
  readonly #quarantine: Quarantine;
  readonly #rows: Rows<LedgerEntry>;
  readonly #lock = new KeyedLock();
  readonly task: EntryStore['task'];

  constructor(namespaces: Namespaces, quarantine: Quarantine, keptScopes: Table<KeptScopes>, task: EntryStore['task']) {
    this.#namespaces = namespaces;
    this.#quarantine = quarantine;
    this.#keptScopes = keptScopes;
    this.#rows = ledgerRows(namespaces.ledger, quarantine);
    this.task = task;
  }

  /** A row is set aside when it is read. */
  isUnreadable(id: string): Promise<boolean> {
    return this.#quarantine.has(this.#namespaces.live, id);
  }

  find(key: string): Promise<LedgerEntry | undefined> {
    return this.#lock.run(key, () => this.#rows.get(key));
  }

  change(
    key: string,
    transition: (known: LedgerEntry | undefined) => LedgerEntry,
    isRepeatable = false,
  ): Promise<void> {
    return this.#lock.run(key, async () => {
      const current = await this.#rows.get(key);
      const entry = transition(current);
      if (entry === current) return;
      if (entryKey(entry) !== key) throw new Error(`The entry ${key} cannot become ${entryKey(entry)}.`);
      const { ledger } = this.#namespaces;
      const row = ledger.row(key, entrySchema.parse(entry));
      await ledger.write([row], 'write', isRepeatable ? 'deferred' : 'immediate');
    });
  }

  /** Writes the new entry first. After a crash in between, both exist, and repeating the call deletes the old one. */
  rename(entry: LedgerEntry, renamed: LedgerEntry): Promise<void> {
    return this.#lock.run(entryKey(entry), async () => {
      await this.#namespaces.ledger.put(entryKey(renamed), entrySchema.parse(renamed));
      await this.#namespaces.ledger.delete(entryKey(entry));
    });
  }

  async *readRange(first: string, last: string): AsyncGenerator<LedgerEntry> {
    for await (const [key, value] of this.#namespaces.ledger.entries(first, last + AFTER_COLON)) {
      const row = this.#rows.read(key, value);
      const entry = typeof row === 'string' ? await this.find(key) : row;
      if (entry) yield entry;
    }
  }

  keepScopes(entry: LedgerEntry, scopes: readonly string[], ttlMs: number): Promise<void> {
    return this.#keptScopes.put({ entry: entryKey(entry), scopes: [...scopes] }, ttlMs);
  }

  async keptScopes(): Promise<ReadonlyMap<string, readonly string[]>> {
    return new Map((await this.#keptScopes.all()).map(({ entry, scopes }) => [entry, scopes]));
  }

  async openSince(): Promise<string> {
    return (await ledgerMark(this.#namespaces.meta).read())?.openSince ?? '';
  }

  async setOpenSince(openSince: string): Promise<void> {
    if ((await this.openSince()) !== openSince) await ledgerMark(this.#namespaces.meta).write({ openSince });
  }
}

export const ledgerRows = (ledger: Namespace, quarantine: Quarantine) =>
  new Rows(ledger, quarantine, (key, value) => {
    const { data } = entrySchema.safeParse(value);
    return data && entryKey(data) === key ? data : UNREADABLE;
  });
