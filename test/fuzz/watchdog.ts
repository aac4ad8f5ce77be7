import { Worker } from 'node:worker_threads';

/**
 * The time limit for one input is in CPU time, because a busy machine may not run the thread at all. An input that
 * takes longer is written to a file and ends the process: nothing else can stop an endless loop.
 */
const MAX_SECONDS = 30;

export interface Watchdog {
  begin(input: Buffer): void;
  end(): Promise<void>;
}

/** Watches from a separate thread. The current input is in memory that both threads share. */
export function openWatchdog(maxBytes: number, path: string): Watchdog {
  const state = new SharedArrayBuffer(8);
  const bytes = new SharedArrayBuffer(maxBytes);
  const [count, length] = [new Int32Array(state, 0, 1), new Int32Array(state, 4, 1)];
  const currentInput = new Uint8Array(bytes);
  const worker = new Worker(new URL('./watchdog.worker.ts', import.meta.url), {
    workerData: { state, bytes, path, maxSeconds: MAX_SECONDS, pid: process.pid },
  });
  worker.unref();
  return {
    begin(input) {
      currentInput.set(input.subarray(0, maxBytes));
      length[0] = Math.min(input.length, maxBytes);
      Atomics.add(count, 0, 1);
    },
    async end() {
      await worker.terminate();
    },
  };
}
