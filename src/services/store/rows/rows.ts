import { z } from 'zod';
import type { AppContext } from '../../../lib/app-context.ts';
import { type Namespace, UnreadableRow } from '../namespaces.ts';

const ownedRow = z.object({ requesterId: z.string() });
const unnotifiedRow = z.looseObject({ owner: z.string(), isTold: z.undefined().optional() });

/** Moves unreadable rows to a namespace in which they do no harm and an operator can still read them. */
export class Quarantine {
  readonly #namespace: Namespace;
  readonly #parts: AppContext;
  #addedCount = 0;

  constructor(namespace: Namespace, parts: AppContext) {
    this.#namespace = namespace;
    this.#parts = parts;
  }

  /** How many rows were set aside since the start. */
  get addedCount(): number {
    return this.#addedCount;
  }

  /** Writes the row to the quarantine before deleting or replacing the original. After a crash in between, both exist, but nothing is lost. */
  async add(source: Namespace, key: string, value: unknown, reason: string, replacement?: object): Promise<void> {
    const { log, clock } = this.#parts;
    const at = clock.now();
    const text = value instanceof UnreadableRow ? value.text : JSON.stringify(value);
    const owner = ownedRow.safeParse(value).data?.requesterId;
    const row = { from: source.name, key, text, why: reason, at, ...(owner && { owner }) };
    await this.#namespace.put(`${source.name}:${key}:${at}`, row);
    await (replacement ? source.put(key, replacement) : source.delete(key));
    this.#addedCount += 1;
    log.error(
      { namespace: source.name, key, why: reason },
      'A stored row was set aside; run `npm run doctor` for details.',
    );
  }

  /** Whether a row with this key was set aside. */
  async has(source: Namespace, key: string): Promise<boolean> {
    const start = `${source.name}:${key}`;
    // The time follows a colon, which a semicolon sorts after.
    for await (const _ of this.#namespace.entries(`${start}:`, `${start};`)) return true;
    return false;
  }

  /** Notifies each owner once that a row was set aside; if `notify` returns false, the next start tries again. */
  async notifyOwners(notify: (memberId: string) => Promise<boolean>): Promise<void> {
    const notifiedOwners = new Map<string, boolean>();
    for await (const [key, value] of this.#namespace.entries()) {
      const { owner } = unnotifiedRow.safeParse(value).data ?? {};
      if (owner === undefined) continue;
      const isNotified = notifiedOwners.get(owner) ?? (await notify(owner));
      notifiedOwners.set(owner, isNotified);
      if (isNotified) await this.#namespace.put(key, { ...unnotifiedRow.parse(value), isTold: isNotified });
    }
  }
}

/** For rows owned by another process, which itself sets the unreadable ones aside. */
export class NoQuarantine extends Quarantine {
  override add(): Promise<void> {
    return Promise.resolve();
  }
}

/** The parsed row, or the reason why it is unreadable, without any of its content. */
type ReadRow<T extends object> = (key: string, value: unknown) => T | string;

/** Makes a key from outside safe: keyv does not accept an empty key, and strips the namespace's name from the start of a key. */
export const rowKey = (key: string): string => `of ${key}`;

/** What `rowKey` made a key of. */
export const nameIn = (key: string): string => key.replace(/^of /, '');

export const UNREADABLE = 'cannot be read';

export function parseWith<T extends object>(schema: z.ZodType<T>): ReadRow<T> {
  return (_key, value) => schema.safeParse(value).data ?? UNREADABLE;
}

/** Rows of one namespace with the same schema; unreadable ones are set aside as they are found. */
export class Rows<T extends object> {
  readonly #namespace: Namespace;
  readonly #quarantine: Quarantine;
  readonly read: ReadRow<T>;
  readonly #replacementFor: ((name: string) => T) | undefined;

  /** `replacementFor`: what is stored in place of an unreadable row; undefined if the row is then missing. */
  constructor(
    namespace: Namespace,
    quarantine: Quarantine,
    read: ReadRow<T>,
    replacementFor?: ((name: string) => T) | undefined,
  ) {
    this.#namespace = namespace;
    this.#quarantine = quarantine;
    this.read = read;
    this.#replacementFor = replacementFor;
  }

  async get(key: string): Promise<T | undefined> {
    const value = await this.#namespace.get(key);
    if (value === undefined) return undefined;
    const row = this.read(key, value);
    if (typeof row !== 'string') return row;
    const replacement = this.#replacementFor?.(nameIn(key));
    await this.#quarantine.add(this.#namespace, key, value, row, replacement);
    return replacement;
  }

  /** Reads all rows and changes nothing. Replacements count as good. */
  async readAll() {
    const good = new Map<string, T>();
    const unreadableRows: Parameters<Quarantine['add']>[] = [];
    for await (const [key, value] of this.#namespace.entries()) {
      const row = this.read(key, value);
      const usable = typeof row === 'string' ? this.#replacementFor?.(nameIn(key)) : row;
      if (typeof row === 'string') unreadableRows.push([this.#namespace, key, value, row, usable]);
      if (usable) good.set(key, usable);
    }
    const setAside = async (): Promise<void> => {
      for (const row of unreadableRows) await this.#quarantine.add(...row);
    };
    return { good, bad: unreadableRows.length, setAside };
  }
}
