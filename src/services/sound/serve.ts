import { parentPort } from 'node:worker_threads';
import { reasonOf } from '../../lib/loggable.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { JobAnswer } from './job.ts';

interface Done<Result> {
  result: Result;
  /** What goes over to the other thread without a copy. */
  handsOver: ArrayBuffer[];
}

/** A worker's side of the workroom: every job gets its answer, whatever becomes of it. */
export function serve<Job, Result>(work: (job: Job) => Promise<Done<Result>>): void {
  const port = parentPort;
  if (!port) throw new Error('This file runs as a worker.');
  const answer = async (job: Job): Promise<void> => {
    try {
      const { result, handsOver } = await work(job);
      port.postMessage({ done: result } satisfies JobAnswer<Result>, handsOver);
    } catch (error) {
      port.postMessage(failure(error));
    }
  };
  port.on('message', (job: Job) => void answer(job));
}

function failure(error: unknown): JobAnswer<never> {
  if (error instanceof Refusal) return { refused: { key: error.key, variables: error.variables } };
  return { failed: reasonOf(error) };
}
