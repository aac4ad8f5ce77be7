import { z } from 'zod';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type Shelf, Unreadable } from './shelf.ts';

/** As much of a task as tells whose it is. */
const ownedRow = z.object({ requesterId: z.string() });
const untoldRow = z.looseObject({ owner: z.string(), isTold: z.undefined().optional() });

/** Rows that nobody can read are set aside, where they harm nothing and a person may still look at them. */
export class Quarantine {
  readonly #shelf: Shelf;
  readonly #log: Log;
  readonly #clock: Clock;

  constructor(shelf: Shelf, { log, clock }: { log: Log; clock: Clock }) {
    this.#shelf = shelf;
    this.#log = log;
    this.#clock = clock;
  }

  /** Written there before it is taken from here: a crash in between leaves it in both places, and never in none. */
  async take(from: Shelf, key: string, value: unknown, why: string): Promise<void> {
    const at = this.#clock.now();
    const text = value instanceof Unreadable ? value.text : JSON.stringify(value);
    const owner = ownedRow.safeParse(value).data?.requesterId;
    await this.#shelf.put(`${from.name}:${key}:${at}`, {
      from: from.name,
      key,
      text,
      why,
      at,
      ...(owner && { owner }),
    });
    await from.delete(key);
    this.#log.error({ namespace: from.name, key, why }, 'A stored row was set aside; `npm run doctor` tells more.');
  }

  /** Tells whoever a row belongs to that it was set aside, once: where `tell` says no, at another start. */
  async tellOwners(tell: (memberId: string) => Promise<boolean>): Promise<void> {
    const told = new Map<string, boolean>();
    for await (const [key, value] of this.#shelf.entries()) {
      const { owner } = untoldRow.safeParse(value).data ?? {};
      if (owner === undefined) continue;
      const isTold = told.get(owner) ?? (await tell(owner));
      told.set(owner, isTold);
      if (isTold) await this.#shelf.put(key, { ...untoldRow.parse(value), isTold });
    }
  }
}

/** What a row holds, or in words why it holds nothing of use, without a word of its content. */
export type ReadRow<T extends object> = (key: string, value: unknown) => T | string;

export const UNREADABLE = 'cannot be read';

export function fitting<T extends object>(schema: z.ZodType<T>): ReadRow<T> {
  return (_key, value) => schema.safeParse(value).data ?? UNREADABLE;
}

/** The good rows of a namespace, and a way to set the others aside. */
interface SortedRows<T> {
  good: Map<string, T>;
  bad: number;
  setAside(): Promise<void>;
}

/** Rows of one namespace that all hold the same; those that nobody can read are set aside as they are met. */
export class Rows<T extends object> {
  readonly #shelf: Shelf;
  readonly #quarantine: Quarantine;
  readonly read: ReadRow<T>;

  constructor(shelf: Shelf, quarantine: Quarantine, read: ReadRow<T>) {
    this.#shelf = shelf;
    this.#quarantine = quarantine;
    this.read = read;
  }

  async get(key: string): Promise<T | undefined> {
    const value = await this.#shelf.get(key);
    if (value === undefined) return undefined;
    const row = this.read(key, value);
    if (typeof row !== 'string') return row;
    await this.#quarantine.take(this.#shelf, key, value, row);
    return undefined;
  }

  /** Looking changes nothing. */
  async sorted(): Promise<SortedRows<T>> {
    const good = new Map<string, T>();
    const bad: { key: string; value: unknown; why: string }[] = [];
    for await (const [key, value] of this.#shelf.entries()) {
      const row = this.read(key, value);
      if (typeof row === 'string') bad.push({ key, value, why: row });
      else good.set(key, row);
    }
    const setAside = async (): Promise<void> => {
      for (const { key, value, why } of bad) await this.#quarantine.take(this.#shelf, key, value, why);
    };
    return { good, bad: bad.length, setAside };
  }
}
