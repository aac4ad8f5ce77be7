import { createHash } from 'node:crypto';
import { lstat, mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../lib/clock.ts';
import { once } from '../../../lib/once.ts';
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

export type PrivateFiles = ReturnType<typeof openPrivateFiles>;
export type PrivateFile = Awaited<ReturnType<PrivateFiles['create']>>;

/** Files that only the bot's user can read, in a folder that is deleted at shutdown. What a killed bot leaves behind is deleted at the next start. */
export function openPrivateFiles({ clock, log, parent }: PrivateFilesParts) {
  let folder: Promise<string> | undefined;
  let createdCount = 0;
  const sweepDone = sweep(parent, clock).catch((error: unknown) =>
    log.warn({ err: error }, 'Old temporary files could not be removed.'),
  );
  const ownFolder = async (): Promise<string> => {
    await sweepDone;
    folder ??= mkdtemp(ownFolderPrefix(parent));
    try {
      return await folder;
    } catch (error) {
      folder = undefined;
      return throwDiskFull(error);
    }
  };
  return {
    async create() {
      const path = join(await ownFolder(), String(createdCount++));
      const handle = await open(path, 'wx', OWNER_ONLY_MODE).catch(throwDiskFull);
      const close = once(() => handle.close());
      return {
        path,
        close,
        async write(chunk: Uint8Array): Promise<void> {
          // A write may be partial.
          for (let written = 0; written < chunk.byteLength; )
            written += await handle.write(chunk, written).then(({ bytesWritten }) => bytesWritten, throwDiskFull);
        },
        /** Never fails: a file that is left over is deleted together with the folder. */
        remove: async (): Promise<void> => {
          try {
            await close();
            await rm(path, { force: true });
          } catch (error) {
            log.warn({ err: error }, 'A temporary file could not be removed.');
          }
        },
      };
    },
    async close(): Promise<void> {
      await sweepDone;
      const path = await folder?.catch(() => undefined);
      if (path !== undefined) await rm(path, { recursive: true, force: true });
    },
  };
}

async function sweep(parent: string, clock: Clock): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(FOLDER_PREFIX)) continue;
    const path = join(parent, name);
    if (await isLeftBehind(name, path, clock)) await rm(path, { recursive: true, force: true });
  }
}

/** The name of a folder from this machine identifies the process that created it. Links and folders of other users are left alone. */
async function isLeftBehind(name: string, path: string, clock: Clock): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  if (!stats?.isDirectory() || (process.getuid && stats.uid !== process.getuid())) return false;
  if (!name.startsWith(OWN_PREFIX)) return clock.now() - stats.mtimeMs > ABANDONED_AFTER_MS;
  const [pid, startedAt] = name.slice(OWN_PREFIX.length).split('-').map(Number);
  // In a restarted container, the bot gets the same pid again.
  return pid === process.pid ? startedAt !== STARTED_AT : !isRunning(pid);
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
