import type { Quarantine } from '../quarantine.ts';
import type { Shelf } from '../shelf.ts';

/** The good rows of a namespace, and a way to set the others aside. */
export interface SortedRows<T> {
  good: Map<string, T>;
  bad: number;
  setAside(): Promise<void>;
}

/** `read` says what a row holds, or in words why it holds nothing of use. */
export async function sorted<T extends object>(
  shelf: Shelf,
  quarantine: Quarantine,
  read: (key: string, value: unknown) => T | string,
): Promise<SortedRows<T>> {
  const good = new Map<string, T>();
  const bad: { key: string; value: unknown; why: string }[] = [];
  for await (const [key, value] of shelf.entries()) {
    const row = read(key, value);
    if (typeof row === 'string') bad.push({ key, value, why: row });
    else good.set(key, row);
  }
  return {
    good,
    bad: bad.length,
    setAside: async () => {
      for (const { key, value, why } of bad) await quarantine.take(shelf, key, value, why);
    },
  };
}
