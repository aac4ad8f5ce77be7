import { z } from 'zod';
import { type PlacedRow, StoreError } from '../backend.ts';
import { encryptionSchema } from './encryption.ts';

/**
 * A backup file: one line of JSON (the header), the rows, and the SHA-256 of everything before it, as 32 bytes. The rows are lines of JSON in gzip,
 * `[namespace, key, text]` each; the last line is the trailer. With a passphrase the gzip is sealed in chunks (`encryption.ts`).
 */
const FORMAT_VERSION = 1;

export const DIGEST_BYTES = 32;
export const MAX_HEADER_BYTES = 4_096;
/** An order as it was sent may be tens of megabytes long. */
export const MAX_LINE_BYTES = 256 * 1024 * 1024;

const headerSchema = z.object({
  'atelier-backup': z.literal(FORMAT_VERSION),
  /** When the backup was started. */
  at: z.number(),
  /** The version of the bot that wrote it. */
  by: z.string(),
  encryption: encryptionSchema.optional(),
});

export type BackupHeader = z.output<typeof headerSchema>;

const trailerSchema = z.strictObject({ rows: z.int().min(0) });
export type BackupTrailer = z.output<typeof trailerSchema>;

const rowSchema = z.tuple([z.string(), z.string().min(1), z.string()]);

export const headerLine = (header: Omit<BackupHeader, 'atelier-backup'>): Buffer =>
  Buffer.from(`${JSON.stringify({ 'atelier-backup': FORMAT_VERSION, ...header })}\n`);

export const rowLine = ({ namespace, key, text }: PlacedRow): string => `${JSON.stringify([namespace, key, text])}\n`;

export const trailerLine = (trailer: BackupTrailer): string => `${JSON.stringify(trailer)}\n`;

const versionSchema = z.object({ 'atelier-backup': z.number() });

/** `line` without its end. */
export function readHeader(line: string, file: string): BackupHeader {
  const value = jsonIn(line);
  const { data } = headerSchema.safeParse(value);
  if (data) return data;
  const version = versionSchema.safeParse(value).data?.['atelier-backup'];
  if (version !== undefined && version > FORMAT_VERSION)
    throw new StoreError('newer', `The backup ${file} was written by a newer Atelier. Restore it with that version.`);
  throw version === undefined ? noBackupError(file) : damagedError(file);
}

/** A row, or the trailer. */
export function readLine(line: string, file: string): PlacedRow | BackupTrailer {
  const value = jsonIn(line);
  const row = rowSchema.safeParse(value).data;
  if (row) return { namespace: row[0], key: row[1], text: row[2] };
  const trailer = trailerSchema.safeParse(value).data;
  if (!trailer) throw damagedError(file);
  return trailer;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

export const noBackupError = (file: string): StoreError =>
  new StoreError(
    'unsupported',
    `The file ${file} is not a backup of Atelier. Choose a file that \`npm run backup\` wrote.`,
  );

export const damagedError = (file: string, cause?: unknown): StoreError =>
  new StoreError(
    'corrupt',
    `The backup ${file} is incomplete or was changed, so it cannot be restored. Use another backup.`,
    cause,
  );
