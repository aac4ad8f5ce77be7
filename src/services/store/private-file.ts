import { chmodSync, closeSync, existsSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

// Tasks hold what members asked for, and for a quarter of an hour the means to answer in the bot's name.
const ONLY_OWNER_ENTERS = 0o700;
const ONLY_OWNER_READS = 0o600;
const ANY_PERMISSION = 0o777;

/** What SQLite keeps beside a database in WAL mode. */
const COMPANIONS = ['-wal', '-shm', '-journal'] as const;

/** Makes the folder, and follows links to the one true path: two names of a store are one store. */
export function truePath(file: string): string {
  mkdirSync(dirname(file), { recursive: true, mode: ONLY_OWNER_ENTERS });
  return existsSync(file) ? realpathSync(file) : join(realpathSync(dirname(file)), basename(file));
}

/**
 * The file exists afterwards and only its owner may read and write it, whatever the umask says; SQLite gives its companions the same
 * permissions. An existing file is never opened here: closing it would drop every lock this process has on it (POSIX).
 */
export function makePrivate(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'wx', ONLY_OWNER_READS));
  for (const path of [file, ...COMPANIONS.map((suffix) => file + suffix)]) narrow(path);
}

export function isPrivate(file: string): boolean {
  return (permissionsOf(file) & ~ONLY_OWNER_READS) === 0;
}

function narrow(path: string): void {
  if (existsSync(path) && !isPrivate(path)) chmodSync(path, permissionsOf(path) & ONLY_OWNER_READS);
}

function permissionsOf(path: string): number {
  return statSync(path).mode & ANY_PERMISSION;
}
