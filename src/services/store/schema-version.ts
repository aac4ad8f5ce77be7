import { z } from 'zod';
import { TASK_VERSION } from '../tasks/task.ts';
import { type Connection, TABLE } from './connection.ts';
import { rowFormat, type Shelf } from './shelf.ts';
import { StoreError } from './store-error.ts';

/** Raised when the arrangement of namespaces and rows changes so that an older bot would break it. */
const STORE_VERSION = 1;

export const SCHEMA_KEY = 'schema';
const writtenSchema = z.object({ store: z.number(), task: z.number(), by: z.string().optional() });

/**
 * Refuses a store that is not ours to open, from a connection that only reads: nothing of it is changed. The adapter is kept out of it,
 * because it mends what it takes for its own tables.
 */
export function refuseOthers(connection: Connection): void {
  const tables = connection.rows("SELECT name FROM sqlite_master WHERE type = 'table'").map(({ name }) => name);
  if (tables.length === 0) return;
  if (!tables.includes(TABLE))
    throw new StoreError(
      'unsupported',
      `The file ${connection.name} is the database of another program. Give Atelier a STORE_URL of its own.`,
    );
  const [row] = connection.rows(`SELECT value FROM "${TABLE}" WHERE key = ? AND namespace = 'meta'`, SCHEMA_KEY);
  refuseNewer(connection.name, row && String(row.value));
}

/** From the text of the row that says which version wrote the store. */
export function refuseNewer(name: string, text: string | undefined): void {
  if (text === undefined) return;
  const written = writtenSchema.safeParse(rowFormat.parse<{ value: unknown }>(text).value).data;
  if (!written || (written.store <= STORE_VERSION && written.task <= TASK_VERSION)) return;
  const by = written.by === undefined ? '' : ` (${written.by})`;
  throw new StoreError(
    'newer',
    `The store ${name} was written by a newer Atelier${by}. Start that version again, or put a copy of the store from before in its place. Nothing has been changed.`,
  );
}

export async function isMarked(meta: Shelf): Promise<boolean> {
  return writtenSchema.safeParse(await meta.get(SCHEMA_KEY)).success;
}

/** From here on, an older bot keeps its hands off. */
export async function markSchema(meta: Shelf, botVersion: string | undefined): Promise<void> {
  const known = writtenSchema.safeParse(await meta.get(SCHEMA_KEY)).data;
  const schema = { store: STORE_VERSION, task: TASK_VERSION, by: botVersion ?? known?.by };
  if (known?.store !== schema.store || known.task !== schema.task || known.by !== schema.by)
    await meta.put(SCHEMA_KEY, schema);
}
