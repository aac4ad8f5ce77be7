import { createHash } from 'node:crypto';
import { lstat, mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../lib/clock.ts';
import { MediaError } from '../errors.ts';

const OWNER_ONLY_MODE = 0o600;
const FOLDER_PREFIX = 'atelier-files-';
/** When this process was started. Together with the pid, this identifies it. */
const STARTED_AT = Math.round(performance.timeOrigin);
/** The folder of a bot that may run on another machine counts as abandoned if nothing has changed in it for this long. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1_000;

interface PrivateFilesParts {
  readonly clock: Clock;
  readonly log: { warn(facts: object, message: string): void };
  readonly parent: string;
}

export type PrivateFile = Awaited<ReturnType<PrivateFiles['create']>>;

/** Files that only the bot's user can read, in a folder that is deleted at shutdown. What a killed bot leaves behind is deleted at the next start. */
export class PrivateFiles {
  readonly #parts: PrivateFilesParts;
  readonly #sweepDone: Promise<void>;
  #folder: Promise<string> | undefined;
  #createdCount = 0;

  constructor(parts: PrivateFilesParts) {
    this.#parts = parts;
    this.#sweepDone = this.#sweep().catch((error: unknown) =>
      parts.log.warn({ err: error }, 'Old temporary files could not be removed.'),
    );
  }

  async create() {
    const path = join(await this.#ownFolder(), String(this.#createdCount++));
    const handle = await open(path, 'wx', OWNER_ONLY_MODE).catch(throwDiskFull);
    let closePromise: Promise<void> | undefined;
    const close = (): Promise<void> => {
      closePromise ??= handle.close();
      return closePromise;
    };
    return {
      path,
      close,
      async write(chunk: Uint8Array): Promise<void> {
        // A write may be partial.
        for (let written = 0; written < chunk.byteLength; ) {
          const { bytesWritten } = await handle.write(chunk, written, chunk.byteLength - written).catch(throwDiskFull);
          written += bytesWritten;
        }
      },
      /** Never fails: a file that is left over is deleted together with the folder. */
      remove: async (): Promise<void> => {
        try {
          await close();
          await rm(path, { force: true });
        } catch (error) {
          this.#parts.log.warn({ err: error }, 'A temporary file could not be removed.');
        }
      },
    };
  }

  async close(): Promise<void> {
    await this.#sweepDone;
    const folder = await this.#folder?.catch(() => undefined);
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }

  async #ownFolder(): Promise<string> {
    await this.#sweepDone;
    this.#folder ??= mkdtemp(ownFolderPrefix(this.#parts.parent));
    try {
      return await this.#folder;
    } catch (error) {
      this.#folder = undefined;
      return throwDiskFull(error);
    }
  }

  async #sweep(): Promise<void> {
    for (const name of await readdir(this.#parts.parent)) {
      if (!name.startsWith(FOLDER_PREFIX)) continue;
      const path = join(this.#parts.parent, name);
      if (await this.#isLeftBehind(name, path)) await rm(path, { recursive: true, force: true });
    }
  }

  /** The name of a folder from this machine identifies the process that created it. Links and folders of other users are left alone. */
  async #isLeftBehind(name: string, path: string): Promise<boolean> {
    const stats = await lstat(path).catch(() => undefined);
    if (!stats?.isDirectory() || (process.getuid && stats.uid !== process.getuid())) return false;
    if (!name.startsWith(OWN_PREFIX)) return this.#parts.clock.now() - stats.mtimeMs > ABANDONED_AFTER_MS;
    const [pid, startedAt] = name.slice(OWN_PREFIX.length).split('-').map(Number);
    // In a restarted container, the bot gets the same pid again.
    return pid === process.pid ? startedAt !== STARTED_AT : !isRunning(pid);
  }
}

/** Several machines may share a folder for temporary files, and containers may have the same pids. */
const OWN_PREFIX = `${FOLDER_PREFIX}${createHash('sha256').update(hostname()).digest('hex').slice(0, 8)}-`;

const ownFolderPrefix = (parent: string): string => join(parent, `${OWN_PREFIX}${process.pid}-${STARTED_AT}-`);

/** The private files of this process, for Node's permission model. */
export const privateFilesPattern = (parent: string): string => `${ownFolderPrefix(parent)}*`;

function isRunning(pid: number | undefined): boolean {
  if (pid === undefined || !Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM means that it is the process of another user, so it is running.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function throwDiskFull(cause: unknown): never {
  throw new MediaError('too-large', 'The disk has no room for the file.', { code: 'no-room', cause });
}
