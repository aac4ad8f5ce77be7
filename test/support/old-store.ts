import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** A row as stored in the file. */
export interface OldRow {
  key: string;
  value: string;
  namespace: string;
  expires: number | null;
}

/** How the store was created: the start and end times, the URLs of the servers, and what each relevant message shows. */
interface StoreInfo {
  begun: number;
  at: number;
  gateway: string;
  discord: string;
  named: Record<string, string>;
}

const folder = new URL('../services/store/old-store/', import.meta.url);
const textOf = (name: string): string => readFileSync(new URL(name, folder), 'utf8');

/** The values of a file in the folder, one per line. */
export const linesOf = <Line>(name: string, reviver?: (key: string, value: unknown) => unknown): Line[] =>
  textOf(name)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line, reviver));

export const storeInfo: StoreInfo = JSON.parse(textOf('made.json'));
export const oldRows: readonly OldRow[] = linesOf<OldRow>('rows.jsonl');

/** The keys of rows that were made unreadable on purpose: the old version set one aside and never read the other. */
export const plantedKeys = { setAside: 'task-nobody-can-read', neverRead: 'task-left-by-nobody' } as const;

/** Writes the store as the old version left it; `transform` maps the text of each row. */
export function writeOldStore(file: string, transform: (text: string) => string = (text) => text): void {
  const database = new DatabaseSync(file);
  try {
    database.exec('PRAGMA journal_mode = WAL');
    database.exec(textOf('schema.sql'));
    const insert = database.prepare('INSERT INTO atelier (key, value, namespace, expires) VALUES (?, ?, ?, ?)');
    for (const { key, value, namespace, expires } of oldRows) insert.run(key, transform(value), namespace, expires);
  } finally {
    database.close();
  }
}
