/**
 * full: no room left; locked: another program holds the database for too long; in-use: another Atelier runs on it; newer: written by a
 * later version; corrupt: not readable as a database; unsupported: not ours to open; unreachable: its server does not answer; denied: its
 * server does not let us in; lost: it was ours, and another bot may have it now; failed: anything else.
 */
export type StoreErrorKind =
  | 'full'
  | 'locked'
  | 'in-use'
  | 'newer'
  | 'corrupt'
  | 'unsupported'
  | 'unreachable'
  | 'denied'
  | 'lost'
  | 'failed';

/** What the store could not do. The message is one sentence or two that tell an operator what to do about it. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly kind: StoreErrorKind;

  constructor(kind: StoreErrorKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

// https://www.sqlite.org/rescode.html: the lowest byte is the primary code.
const PRIMARY_CODE = 0xff;
const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_READONLY = 8;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_NOTADB = 26;

const REFUSED_BY_THE_SYSTEM: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EROFS']);

/** What SQLite or the file system threw, told by its code. */
export function storeFailure(error: unknown, file: string): StoreError {
  if (error instanceof StoreError) return error;
  const { kind, message } = explained(error, file);
  return new StoreError(kind, message, error);
}

function explained(error: unknown, file: string): { kind: StoreErrorKind; message: string } {
  const { code, errcode } = codesOf(error);
  switch (typeof errcode === 'number' ? errcode & PRIMARY_CODE : code) {
    case SQLITE_FULL:
    case 'ENOSPC':
      return {
        kind: 'full',
        message: `There is no room left for the store ${file}. Free some space on its disk; nothing that was stored before is lost.`,
      };
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {
        kind: 'locked',
        message: `The store ${file} is locked by another program. Close whatever has it open (a database browser, a backup), then try again.`,
      };
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return {
        kind: 'corrupt',
        message: `The store ${file} is damaged or not a database. Stop Atelier, move the file away and put a copy from your backups in its place; without one, a new store is made.`,
      };
    case SQLITE_READONLY:
      return { kind: 'failed', message: notWritable(file) };
    case SQLITE_CANTOPEN:
      return {
        kind: 'failed',
        message: `The store ${file} cannot be opened. Check that it is a file, not a folder, and that Atelier's user may read and write it and its folder.`,
      };
    default: {
      if (REFUSED_BY_THE_SYSTEM.has(code)) return { kind: 'failed', message: notWritable(file) };
      const reason = error instanceof Error ? error.message : String(error);
      return { kind: 'failed', message: `The store ${file} does not work: ${reason}.` };
    }
  }
}

const notWritable = (file: string): string =>
  `The store ${file} cannot be written. Let Atelier's user own the file and its folder, and check that the disk is not mounted read-only.`;

function codesOf(error: unknown): { code?: unknown; errcode?: unknown } {
  return error instanceof Error ? (error as { code?: unknown; errcode?: unknown }) : {};
}
