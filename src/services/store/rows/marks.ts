import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { limitStarts } from '../../money/limits-text.ts';
import { StoreError } from '../../tasks/store-error.ts';
import { TASK_VERSION } from '../../tasks/task.ts';
import { unsupportedError } from '../backend.ts';
import { type Namespace, valueIn } from '../namespaces.ts';
import { SqliteBackend, TABLE } from './sqlite.ts';

/** Increase this when the layout of namespaces and rows changes in a way that an older bot cannot handle. */
const STORE_VERSION = 1;

export const SCHEMA_KEY = 'schema';
const LEDGER_KEY = 'ledger';
/** The key of the mark of a move or restore, which is not copied to another store. */
export const MOVE_KEY = 'moving';

const writtenSchema = z.object({ store: z.number(), task: z.number(), by: z.string().optional() });
const pollingSchema = z.object({ at: z.number() });
const ledgerSchema = z.object({ openSince: z.string() });
const hashSecretSchema = z.object({ secret: z.string() });
/** `by` says what is filling the store; a mark without it is from a move. */
const moveSchema = z.object({ from: z.string(), isWhole: z.boolean(), by: z.literal('restore').optional() });
export type MoveMark = z.output<typeof moveSchema>;

/** One row about the store itself; an unreadable one counts as missing. */
const createMark = <T>(namespace: Namespace, key: string, schema: z.ZodType<T>) => ({
  read: async () => schema.safeParse(await namespace.get(key)).data,
  write: (value: T) => namespace.put(key, value),
});

/** When the gateway was last polled, so that the next start keeps the required gap to polls that no task records. */
export const pollingMark = (namespace: Namespace) => createMark(namespace, 'last', pollingSchema);

/** The first day whose entries may still be open: earlier ones are not read when the bot starts. */
export const ledgerMark = (meta: Namespace) => createMark(meta, LEDGER_KEY, ledgerSchema);

export const limitStartsMark = (meta: Namespace) => createMark(meta, 'limits', limitStarts);

/** The key of the hashes that replace members after an erasure. */
export const hashSecretMark = (meta: Namespace) => createMark(meta, 'hashes', hashSecretSchema);

/** Created once, and stored with the rows that contain the hashes. */
export async function hashSecret(meta: Namespace): Promise<string> {
  const mark = hashSecretMark(meta);
  const existingMark = await mark.read();
  if (existingMark) return existingMark.secret;
  const secret = randomBytes(32).toString('hex');
  await mark.write({ secret });
  return secret;
}

export const PARTITIONS_KEY = 'partitions';
/** The number of buckets, one of which is part of every task id. */
export const MAX_PARTITIONS = 1_024;
const partitionsSchema = z.object({ count: z.int().min(1).max(MAX_PARTITIONS) });

/**
 * The number of partitions with which a store was created, as stored in partition 0; undefined if there is none. An unreadable number must not be mistaken for
 * another one.
 */
export async function markedPartitions(meta: Namespace, name: string): Promise<number | undefined> {
  const row = await meta.get(PARTITIONS_KEY);
  if (row === undefined) return undefined;
  const parsed = partitionsSchema.safeParse(row).data;
  if (!parsed)
    throw new StoreError(
      'corrupt',
      `The store ${name} does not say how many partitions it has. Restore its row \`${PARTITIONS_KEY}\` in the namespace \`meta\`, for example from a backup.`,
    );
  return parsed.count;
}

/** A process that ignores the number would only see partition 0. */
export async function refusePartitioned(meta: Namespace, name: string): Promise<void> {
  const count = (await markedPartitions(meta, name)) ?? 1;
  if (count > 1)
    throw unsupportedError(
      `The store ${name} is divided into ${count} partitions. Only processes with ATELIER_ROLE=shard or worker can use it; \`npm run migrate-store -- FROM TO --partitions 1\` moves it into one.`,
    );
}

export const markPartitions = (meta: Namespace, count: number): Promise<void> =>
  meta.put(PARTITIONS_KEY, partitionsSchema.parse({ count }));

/** The mark in the target of a move or a restore: where its rows come from, and whether all of them have arrived. */
export const moveMark = (meta: Namespace) => createMark(meta, MOVE_KEY, moveSchema);

const schemaMark = (meta: Namespace) => createMark(meta, SCHEMA_KEY, writtenSchema);

/** A bot that started on half a store would lose the rest of its tasks. */
export async function refuseIncomplete(meta: Namespace, name: string): Promise<void> {
  assertComplete(name, await moveMark(meta).read());
}

/** Like `refuseIncomplete`, but for the text of the row that contains the mark. */
export const refuseIncompleteRow = (name: string, text: string): void =>
  assertComplete(name, moveSchema.safeParse(valueIn(text)).data);

function assertComplete(name: string, mark: MoveMark | undefined): void {
  if (mark?.isWhole !== false) return;
  const message =
    mark.by === 'restore'
      ? `The store ${name} holds an unfinished restore. Run \`npm run restore -- <file>\` again until it reports that it is complete.`
      : `The migration to the store ${name} is not complete. Run the same \`npm run migrate-store\` command again until it reports that it is.`;
  throw unsupportedError(message);
}

/** The table by which a backup is known. */
export const BACKUP_TABLE = 'atelier_backup';

const backupError = (file: string): StoreError =>
  unsupportedError(
    `The file ${file} is a backup. Set STORE_URL to a new file, and fill it with \`npm run restore -- ${file}\`.`,
  );

/** Refuses a backup before a lock file is written beside it. What else is wrong with the file is found later. */
export function refuseBackup(file: string): void {
  try {
    using connection = new SqliteBackend(file, { readOnly: true, busyTimeoutMs: 0 });
    if (connection.rows('SELECT 1 FROM sqlite_master WHERE name = ?', BACKUP_TABLE).length === 0) return;
  } catch {
    return;
  }
  throw backupError(file);
}

/** Refuses a backup, and the database of another program or of a newer version. Reads without the adapter, which would repair any table that it takes for its own. */
export function refuseForeign(connection: SqliteBackend): void {
  const tables = connection.rows("SELECT name FROM sqlite_master WHERE type = 'table'").map(({ name }) => name);
  if (tables.length === 0) return;
  if (tables.includes(BACKUP_TABLE)) throw backupError(connection.name);
  if (!tables.includes(TABLE))
    throw unsupportedError(`The file ${connection.name} is the database of another program. Choose a different file.`);
  const [row] = connection.rows(`SELECT value FROM "${TABLE}" WHERE key = ? AND namespace = 'meta'`, SCHEMA_KEY);
  refuseNewer(connection.name, row && String(row.value));
}

/** The version of a store's rows, and of the bot that last started on it. */
export type WrittenSchema = z.output<typeof writtenSchema>;

/** Formats a schema version for messages and file names. */
export const schemaName = ({ store, task }: WrittenSchema): string => `${store}.${task}`;

export const presentSchema = { store: STORE_VERSION, task: TASK_VERSION } as const;

/** `text`: the row with the version that wrote the store. */
export const schemaIn = (text: string): WrittenSchema | undefined => writtenSchema.safeParse(valueIn(text)).data;

export const isNewer = ({ store, task }: WrittenSchema): boolean => store > STORE_VERSION || task > TASK_VERSION;

export function refuseNewer(name: string, text: string | undefined): void {
  const schema = text === undefined ? undefined : schemaIn(text);
  if (!schema || !isNewer(schema)) return;
  const by = schema.by === undefined ? '' : ` (${schema.by})`;
  throw new StoreError(
    'newer',
    `The store ${name} was written by a newer Atelier${by}. Start that version again, or restore a backup from before the upgrade. Nothing was changed.`,
  );
}

export const hasSchemaMark = async (meta: Namespace): Promise<boolean> => (await schemaMark(meta).read()) !== undefined;

/** Writes the current schema, after which an older bot refuses the store. */
export async function markSchema(meta: Namespace, botVersion: string | undefined): Promise<void> {
  const mark = schemaMark(meta);
  const written = await mark.read();
  const by = botVersion ?? written?.by;
  const schema = { ...presentSchema, ...(by !== undefined && { by }) };
  if (!isDeepStrictEqual(written, schema)) await mark.write(schema);
}
