import { DatabaseSync } from 'node:sqlite';
import { makePrivate } from './private-file.ts';
import { StoreError, storeFailure } from './store-error.ts';

/**
 * Holds the store for this process alone until the returned function is called or the process ends, however it ends.
 *
 * The lock is an open exclusive transaction on an empty SQLite file of its own: SQLite knows the locks of each platform, also between two
 * holders in one process, and the system frees them when a process is killed, so no lock is ever left behind.
 */
export function lockStore(file: string): () => void {
  const lock = `${file}.lock`;
  let database: DatabaseSync | undefined;
  try {
    makePrivate(lock);
    database = new DatabaseSync(lock);
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    const failure = storeFailure(error, lock);
    if (failure.kind !== 'locked') throw failure;
    throw new StoreError(
      'in-use',
      `Another Atelier is using the store ${file}. Stop it first, or give this one a STORE_URL of its own.`,
      error,
    );
  }
  const held = database;
  return () => {
    if (held.isOpen) held.close();
  };
}
