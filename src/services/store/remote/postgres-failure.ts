import { StoreError } from '../store-error.ts';
import { unreachable } from './line.ts';

// https://www.postgresql.org/docs/current/errcodes-appendix.html: the first two letters are the class.
const DISK_FULL = '53100';
const READ_ONLY = '25006';
const NO_SUCH_DATABASE = '3D000';
const NOT_ALLOWED = '42501';
/** The connection, the login that has to wait, what is used up, and the server going down: all of that passes. */
const PASSING: ReadonlySet<string> = new Set(['08', '53', '57', '58']);

/** What a Postgres, or the way to it, threw. */
export function postgresFailure(error: unknown, name: string): StoreError {
  const reason = error instanceof Error ? error.message : String(error);
  const code = sqlState(error);
  // Without a code of the server's it never got there.
  if (code === undefined || code === READ_ONLY) return unreachable(name, reason, error);
  if (code === DISK_FULL)
    return new StoreError(
      'full',
      `There is no room left for the store ${name}. Free some space at its server; nothing that was stored before is lost.`,
      error,
    );
  if (code.startsWith('28') || code === NO_SUCH_DATABASE || code === NOT_ALLOWED)
    return new StoreError(
      'denied',
      `The store ${name} does not let Atelier in (${reason}). Check the user, the password and the database in STORE_URL, and that this user may create tables there.`,
      error,
    );
  if (PASSING.has(code.slice(0, 2))) return unreachable(name, reason, error);
  return new StoreError('failed', `The store ${name} does not work: ${reason}.`, error);
}

function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('severity' in error)) return undefined;
  return String(error.code);
}
