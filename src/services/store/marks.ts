import { z } from 'zod';
import { TASK_VERSION } from '../tasks/task.ts';
import { StoreError } from './backend.ts';
import { rowFormat, type Shelf } from './shelf.ts';
import { type Connection, TABLE } from './sqlite.ts';

/** Raised when the arrangement of namespaces and rows changes so that an older bot would break it. */
const STORE_VERSION = 1;

export const SCHEMA_KEY = 'schema';
/** Beside what is moved, and no part of it. */
export const MOVE_KEY = 'moving';

const writtenSchema = z.object({ store: z.number(), task: z.number(), by: z.string().optional() });
const askingSchema = z.object({ at: z.number() });
const ledgerSchema = z.object({ openSince: z.string() });
const moveSchema = z.object({ from: z.string(), isWhole: z.boolean() });

/** One row that the store keeps of itself; what cannot be read is as if it were not there. */
class Mark<T> {
  readonly #shelf: Shelf;
  readonly #key: string;
  readonly #schema: z.ZodType<T>;

  constructor(shelf: Shelf, key: string, schema: z.ZodType<T>) {
    this.#shelf = shelf;
    this.#key = key;
    this.#schema = schema;
  }

  async read(): Promise<T | undefined> {
    return this.#schema.safeParse(await this.#shelf.get(this.#key)).data;
  }

  write(value: T): Promise<void> {
    return this.#shelf.put(this.#key, value);
  }
}

/** Until when the gateway was asked about tasks: the next start keeps its distance from questions of which no task tells. */
export const askingMark = (asking: Shelf) => new Mark(asking, 'last', askingSchema);

/** Says that a ledger is kept, and from which day on its entries may still be open: a start looks no further back. */
export const ledgerMark = (meta: Shelf) => new Mark(meta, 'ledger', ledgerSchema);

/** Says in a store whence its rows were moved there, and whether all of them have come. */
export const moveMark = (meta: Shelf) => new Mark(meta, MOVE_KEY, moveSchema);

/** Says which version wrote the store. */
const schemaMark = (meta: Shelf) => new Mark(meta, SCHEMA_KEY, writtenSchema);

/** A bot that began on half a store would miss the rest of its tasks for good. */
export async function refuseHalf(meta: Shelf, name: string): Promise<void> {
  if ((await moveMark(meta).read())?.isWhole === false)
    throw new StoreError(
      'unsupported',
      `The migration to the store ${name} is not complete. Run the same \`npm run migrate-store\` command again until it reports that it is.`,
    );
}

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
      `The file ${connection.name} is the database of another program. Set STORE_URL to a different file.`,
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
    `The store ${name} was written by a newer Atelier${by}. Start that version again, or restore a backup from before the upgrade. Nothing was changed.`,
  );
}

export async function isMarked(meta: Shelf): Promise<boolean> {
  return (await schemaMark(meta).read()) !== undefined;
}

/** From here on, an older bot keeps its hands off. */
export async function markSchema(meta: Shelf, botVersion: string | undefined): Promise<void> {
  const mark = schemaMark(meta);
  const known = await mark.read();
  const schema = { store: STORE_VERSION, task: TASK_VERSION, by: botVersion ?? known?.by };
  if (known?.store !== schema.store || known.task !== schema.task || known.by !== schema.by) await mark.write(schema);
}
