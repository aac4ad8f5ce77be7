import { parentPort } from 'node:worker_threads';
import type { Answer } from './workshop.ts';

/** The worker's side of a workshop: one job in, one answer out; bytes are handed over, not copied. */
export function takeJobs<Job>(
  work: (job: Job) => Promise<{ bytes: Uint8Array<ArrayBuffer> }> | { bytes: Uint8Array<ArrayBuffer> },
): void {
  const port = parentPort;
  if (!port) throw new Error('This file runs as a worker.');
  const answer = async (job: Job) => {
    try {
      const result = await work(job);
      port.postMessage({ result } satisfies Answer, [result.bytes.buffer]);
    } catch (error) {
      port.postMessage({ failure: error instanceof Error ? error.message : String(error) } satisfies Answer);
    }
  };
  port.on('message', (job: Job) => void answer(job));
}
