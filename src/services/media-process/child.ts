import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { z } from 'zod';
import { BrokenFrame, FrameReader, writeFrame } from './frames.ts';
import type { Order } from './jobs.ts';
import { report } from './reports.ts';

const PROGRAM = fileURLToPath(new URL('./program/main.ts', import.meta.url));
const COMPILE_CACHE = new URL('../../../scripts/compile-cache.mjs', import.meta.url).href;

/** Of JavaScript's own heap; images and samples lie beside it. */
const FLAGS = ['--max-old-space-size=192', '--max-semi-space-size=4', '--import', COMPILE_CACHE];

/** No file is larger, and nothing that is made of one. */
const MOST_RESULT_BYTES = 128 * 2 ** 20;

export type Report = z.output<typeof report>;

interface ChildListeners {
  reported(report: Report, body: Buffer<ArrayBuffer>): void;
  /** Once, when the process is no more, with what the system says about its end. */
  ended(how: string): void;
}

/** One run of the media process. */
export class Child {
  readonly #process: ChildProcess;
  readonly #pipe: Socket;
  readonly #listeners: ChildListeners;
  readonly ended: Promise<void>;

  constructor(memoryBytes: number, listeners: ChildListeners) {
    this.#listeners = listeners;
    this.#process = spawn(process.execPath, [...FLAGS, PROGRAM, String(memoryBytes)], {
      env: environment(),
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      windowsHide: true,
    });
    const pipe = this.#process.stdio[3];
    if (!(pipe instanceof Socket)) throw new Error('A process was started without its pipe.');
    this.#pipe = pipe;
    const reader = new FrameReader(MOST_RESULT_BYTES, ({ note, body }) => this.#hear(note, body));
    pipe.on('data', (piece: Buffer) => this.#read(reader, piece));
    // A pipe breaks when its process ends, which is told below.
    pipe.on('error', () => undefined);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    const end = (how: string): void => {
      pipe.destroy();
      resolve();
      listeners.ended(how);
    };
    this.#process.once('error', (error) => {
      if (this.#process.pid === undefined) end(error.message);
    });
    this.#process.once('exit', (code, signal) => end(signal ?? `exit code ${code}`));
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  send(order: Order, body?: Uint8Array): void {
    writeFrame(this.#pipe, order, body);
  }

  /** It may have been made to hang, so it is not asked. */
  kill(): void {
    // Whoever waits for its end must live to see it.
    this.#process.ref();
    this.#process.kill('SIGKILL');
  }

  /** A process without work keeps no other process alive. */
  rest(): void {
    this.#process.unref();
    this.#pipe.unref();
  }

  work(): void {
    this.#process.ref();
    this.#pipe.ref();
  }

  #read(reader: FrameReader, piece: Buffer): void {
    try {
      reader.read(piece);
    } catch (error) {
      if (!(error instanceof BrokenFrame)) throw error;
      this.#pipe.destroy();
      this.kill();
    }
  }

  #hear(note: string, body: Buffer<ArrayBuffer>): void {
    const read = report.safeParse(note);
    if (!read.success) throw new BrokenFrame('A note that is no report.', { cause: read.error });
    this.#listeners.reported(read.data, body);
  }
}

/** Nothing of the bot's own environment, which holds its secrets. */
function environment(): NodeJS.ProcessEnv {
  return {
    // One pool of memory for all threads, and large blocks of their own: what an image took goes back to the system.
    MALLOC_ARENA_MAX: '1',
    MALLOC_MMAP_THRESHOLD_: '262144',
    // Windows starts no process without it.
    ...(process.platform === 'win32' && { SystemRoot: 'C:\\Windows' }),
  };
}
