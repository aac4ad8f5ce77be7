import { createHash } from 'node:crypto';
import { lstat, mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../lib/clock.ts';
import { MediaError } from '../errors.ts';

const ONLY_OWNER_READS = 0o600;
const PREFIX = 'atelier-files-';
/** When this process began: together with its pid this identifies it. */
const BEGAN = Math.round(performance.timeOrigin);
/** A folder whose bot can run on another machine counts as abandoned when nothing has changed in it for this long. */
const LEFT_BEHIND_MS = 24 * 60 * 60 * 1_000;

interface PrivateFilesParts {
  readonly clock: Clock;
  readonly log: { warn(facts: object, sentence: string): void };
  readonly parent: string;
}

export type PrivateFile = Awaited<ReturnType<PrivateFiles['create']>>;

/** Files that only the bot's user can read, in a folder deleted at the end; the next start deletes what a killed bot left. */
export class PrivateFiles {
  readonly #parts: PrivateFilesParts;
  readonly #swept: Promise<void>;
  #folder: Promise<string> | undefined;
  #made = 0;

  constructor(parts: PrivateFilesParts) {
    this.#parts = parts;
    this.#swept = this.#sweep().catch((error: unknown) =>
      parts.log.warn({ err: error }, 'Old temporary files could not be removed.'),
    );
  }

  async create() {
    const path = join(await this.#ownFolder(), String(this.#made++));
    const handle = await open(path, 'wx', ONLY_OWNER_READS).catch(noRoom);
    let closed: Promise<void> | undefined;
    const close = (): Promise<void> => {
      closed ??= handle.close();
      return closed;
    };
    return {
      path,
      close,
      async write(piece: Uint8Array): Promise<void> {
        // A write to disk may be partial.
        for (let written = 0; written < piece.byteLength; ) {
          const { bytesWritten } = await handle.write(piece, written, piece.byteLength - written).catch(noRoom);
          written += bytesWritten;
        }
      },
      /** Never fails: a leftover is deleted with the folder. */
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
    await this.#swept;
    const folder = await this.#folder?.catch(() => undefined);
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }

  async #ownFolder(): Promise<string> {
    await this.#swept;
    this.#folder ??= mkdtemp(join(this.#parts.parent, `${OWN_PREFIX}${process.pid}-${BEGAN}-`));
    try {
      return await this.#folder;
    } catch (error) {
      this.#folder = undefined;
      return noRoom(error);
    }
  }

  async #sweep(): Promise<void> {
    for (const name of await readdir(this.#parts.parent)) {
      if (!name.startsWith(PREFIX)) continue;
      const path = join(this.#parts.parent, name);
      if (await this.#isLeftBehind(name, path)) await rm(path, { recursive: true, force: true });
    }
  }

  /** The name of a folder of this machine identifies its process. Links and folders of other users are left alone. */
  async #isLeftBehind(name: string, path: string): Promise<boolean> {
    const facts = await lstat(path).catch(() => undefined);
    if (!facts?.isDirectory() || (process.getuid && facts.uid !== process.getuid())) return false;
    if (!name.startsWith(OWN_PREFIX)) return this.#parts.clock.now() - facts.mtimeMs > LEFT_BEHIND_MS;
    const [pid, began] = name.slice(OWN_PREFIX.length).split('-').map(Number);
    // A restarted container gives its bot the same pid again.
    return pid === process.pid ? began !== BEGAN : !isRunning(pid);
  }
}

/** Several machines may share a folder for temporary files, and containers may have the same pids. */
const OWN_PREFIX = `${PREFIX}${createHash('sha256').update(hostname()).digest('hex').slice(0, 8)}-`;

function isRunning(pid: number | undefined): boolean {
  if (pid === undefined || !Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is the process of another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function noRoom(cause: unknown): never {
  throw new MediaError('too-large', 'The disk has no room for the file.', { code: 'no-room', cause });
}
