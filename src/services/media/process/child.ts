import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { z } from 'zod';
import { Refusal, type RefusalKey } from '../../../lib/refusal.ts';
import { privateFilesPattern } from '../download/private-files.ts';
import { MediaError, mediaErrorKinds } from '../errors.ts';
import { BrokenFrame, FrameReader, writeFrame } from './frames.ts';
import type { Job } from './jobs.ts';

export type ProcessCommand =
  | { readonly id: number; readonly job: Job; readonly path?: string; readonly into?: string }
  | { readonly id: number; readonly cancelled: true };

/** What the process may refuse. It must not choose among all sentences, because its files may have been crafted. */
const REFUSALS: readonly RefusalKey[] = [
  'refusals.audioDamaged',
  'refusals.audioEmpty',
  'refusals.audioNotSupported',
  'refusals.audioTooLong',
  'refusals.busy',
  'refusals.stopping',
];

/** Instances of classes cannot be sent between processes, so an error is sent as plain data. */
const failure = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('refusal'),
    key: z.enum(REFUSALS),
    variables: z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string()).readonly()])),
  }),
  z.object({ kind: z.literal('media'), error: z.enum(mediaErrorKinds), message: z.string() }),
  z.object({ kind: z.literal('bug'), message: z.string() }),
]);

/** The process reads files that may have been crafted to exploit it, so its reports are checked like any untrusted input. */
const report = z.union([
  z.object({ id: z.int(), facts: z.object({}).loose() }),
  z.object({ id: z.int(), failure }),
  z.object({ id: z.int(), now: z.enum(['waiting', 'working']) }),
  z.object({ residentBytes: z.number() }),
]);

/** A report of the process. The time limit of a job is paused while the job waits for memory. */
export type ProcessReport = z.output<typeof report>;
export type JobFailure = z.output<typeof failure>;

export function toError(parts: JobFailure): Error {
  switch (parts.kind) {
    case 'refusal':
      return new Refusal(parts.key, parts.variables);
    case 'media':
      return new MediaError(parts.error, parts.message);
    case 'bug':
      return new Error(`A job of the media process failed: ${parts.message}`);
  }
}

const inProject = (path: string): string => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
const PROGRAM_PATH = inProject('src/services/media/process/program/main.ts');
const COMPILE_CACHE_SCRIPT = inProject('scripts/compile-cache.mjs');
/** Not the bot's own, because code from a cache that this process can write would run in the bot. */
const COMPILE_CACHE = inProject('node_modules/.cache/atelier-media');

function nodeFlags(temporaryFolder: string): string[] {
  const privateFiles = privateFilesPattern(temporaryFolder);
  const readable = [inProject('src'), inProject('node_modules'), inProject('package.json'), COMPILE_CACHE_SCRIPT];
  return [
    // Limits the JavaScript heap and lets it grow slowly; images and samples are outside of it.
    ...['--max-old-space-size=192', '--max-semi-space-size=1', '--optimize-for-size'],
    // A seat belt, not a wall: it binds JavaScript only, and both addons and new threads can get around it.
    ...['--permission', '--allow-addons', '--allow-worker'],
    ...[...readable, privateFiles].map((path) => `--allow-fs-read=${path}`),
    ...[`${COMPILE_CACHE}*`, privateFiles].map((path) => `--allow-fs-write=${path}`),
    ...['--import', pathToFileURL(COMPILE_CACHE_SCRIPT).href],
  ];
}

/** Neither a file nor the result of a job is larger. */
const MAX_RESULT_BYTES = 128 * 2 ** 20;

export interface ChildOptions {
  readonly memoryBytes: number;
  readonly temporaryFolder: string;
  readonly program?: string | undefined;
}

interface ChildListeners {
  onReport(report: ProcessReport, body: Buffer<ArrayBuffer>): void;
  /** Called once when the process has ended, with the exit code or signal. */
  onEnd(reason: string): void;
}

export class MediaChild {
  readonly #process: ChildProcess;
  readonly #pipe: Socket;
  readonly ended: Promise<void>;

  constructor({ memoryBytes, temporaryFolder, program = PROGRAM_PATH }: ChildOptions, listeners: ChildListeners) {
    this.#process = spawn(process.execPath, [...nodeFlags(temporaryFolder), program, String(memoryBytes)], {
      // Node lets a thread read its working directory, and the bot's contains its settings and its store.
      cwd: inProject('src'),
      env: ENVIRONMENT,
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      windowsHide: true,
    });
    const pipe = this.#process.stdio[3];
    if (!(pipe instanceof Socket)) throw new Error('A process was started without its pipe.');
    this.#pipe = pipe;
    const reader = new FrameReader(MAX_RESULT_BYTES, ({ metadata, body }) =>
      listeners.onReport(parseReport(metadata), body),
    );
    pipe.on('data', (chunk: Buffer) => {
      try {
        reader.read(chunk);
      } catch (error) {
        if (!(error instanceof BrokenFrame)) throw error;
        pipe.destroy();
        this.kill();
      }
    });
    // The pipe breaks when the process ends, which is reported below.
    pipe.on('error', () => undefined);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    const end = (reason: string): void => {
      pipe.destroy();
      resolve();
      listeners.onEnd(reason);
    };
    this.#process.once('error', (error) => {
      if (this.#process.pid === undefined) end(error.message);
    });
    this.#process.once('exit', (code, signal) => end(signal ?? `exit code ${code}`));
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  send(command: ProcessCommand, body?: Uint8Array): void {
    writeFrame(this.#pipe, command, body);
  }

  /** Kills the process instead of asking it to end, because it may hang. */
  kill(): void {
    // The bot's process must stay alive if it awaits `ended`.
    this.#process.ref();
    this.#process.kill('SIGKILL');
  }

  /** An idle media process must not keep the bot's process alive. */
  markIdle(): void {
    this.#process.unref();
    this.#pipe.unref();
  }

  markBusy(): void {
    this.#process.ref();
    this.#pipe.ref();
  }
}

function parseReport(metadata: string): ProcessReport {
  try {
    return report.parse(JSON.parse(metadata));
  } catch (cause) {
    throw new BrokenFrame('The metadata of a frame is not a valid report.', { cause });
  }
}

/** The process gets nothing from the bot's own environment, which contains its secrets. */
const ENVIRONMENT = {
  NODE_COMPILE_CACHE: COMPILE_CACHE,
  FONTCONFIG_FILE: inProject('src/services/media/process/fonts.conf'),
  // One memory pool for all threads, and separate large blocks, so that the memory of a finished image is returned to the system.
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '262144',
  // Windows does not start a process without this variable.
  ...(process.platform === 'win32' && { SystemRoot: 'C:\\Windows' }),
};

/** Undefined if the system does not report it, or the process has ended. */
export async function residentBytes(pid: number): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined;
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}
