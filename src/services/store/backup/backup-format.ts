import { z } from 'zod';
import { type NamespacedRow, StoreError } from '../backend.ts';
import { MAX_PARTITIONS } from '../marks.ts';
import { encryptionSchema } from './encryption.ts';

/**
 * A backup file: one line of JSON (the header), the rows, and the SHA-256 of everything before it, as 32 bytes. The rows are lines of JSON in gzip,
 * `[namespace, key, text]` each, with the partition as a fourth element unless it is 0; the last line is the trailer. With a passphrase the gzip is sealed in chunks (`encryption.ts`).
 */
const FORMAT_VERSION = 2;
/** The version for a store that is not divided, which older bots can restore. */
const UNDIVIDED_VERSION = 1;

export const DIGEST_BYTES = 32;
export const MAX_HEADER_BYTES = 4_096;
/** An order as it was sent may be tens of megabytes in size. */
export const MAX_LINE_BYTES = 256 * 1024 * 1024;

const headerSchema = z.object({
  'atelier-backup': z.union([z.literal(UNDIVIDED_VERSION), z.literal(FORMAT_VERSION)]),
  /** When the backup was started. */
  at: z.number(),
  /** The version of the bot that wrote it. */
  by: z.string(),
  /** How many partitions the store had. */
  partitions: z.int().min(1).max(MAX_PARTITIONS).default(1),
  encryption: encryptionSchema.optional(),
});

export type BackupHeader = z.output<typeof headerSchema>;

const trailerSchema = z.strictObject({ rows: z.int().min(0) });
export type BackupTrailer = z.output<typeof trailerSchema>;

/** A row without a partition belongs to the first one. */
export interface BackupRow extends NamespacedRow {
  partition?: number;
}

const undividedRow = z.tuple([z.string(), z.string().min(1), z.string()]);
const rowSchema = z.union([undividedRow, z.tuple([...undividedRow.def.items, z.int().min(1)])]);

export function headerLine({ partitions, ...header }: Omit<BackupHeader, 'atelier-backup'>): Buffer {
  const version =
    partitions > 1 ? { 'atelier-backup': FORMAT_VERSION, partitions } : { 'atelier-backup': UNDIVIDED_VERSION };
  return Buffer.from(`${JSON.stringify({ ...version, ...header })}\n`);
}

export function rowLine({ namespace, key, text, partition = 0 }: BackupRow): string {
  const row = [namespace, key, text];
  return `${JSON.stringify(partition === 0 ? row : [...row, partition])}\n`;
}

export const trailerLine = (trailer: BackupTrailer): string => `${JSON.stringify(trailer)}\n`;

const versionSchema = z.object({ 'atelier-backup': z.number() });

/** `line` does not include its line break. */
export function readHeader(line: string, file: string): BackupHeader {
  const value = jsonIn(line);
  const { data } = headerSchema.safeParse(value);
  if (data) return data;
  const version = versionSchema.safeParse(value).data?.['atelier-backup'];
  if (version !== undefined && version > FORMAT_VERSION)
    throw new StoreError('newer', `The backup ${file} was written by a newer Atelier. Restore it with that version.`);
  throw version === undefined ? notABackupError(file) : damagedError(file);
}

/** A row, or the trailer. */
export function readLine(line: string, file: string): Required<BackupRow> | BackupTrailer {
  const value = jsonIn(line);
  const row = rowSchema.safeParse(value).data;
  if (row) return { namespace: row[0], key: row[1], text: row[2], partition: row[3] ?? 0 };
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

export const notABackupError = (file: string): StoreError =>
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
