import { serveJobs } from '../../../lib/worker-pool.ts';
import type { Job } from '../process/jobs.ts';
import { readSamples } from './read.ts';

export type ReadJob = Omit<Extract<Job, { do: 'read-sound' }>, 'do'> & { bytes: Uint8Array<ArrayBuffer> };

serveJobs(async ({ type, bytes, maxSeconds }: ReadJob) => {
  const pcm = await readSamples(type, Buffer.from(bytes.buffer), maxSeconds);
  return { result: pcm.buffer, transfer: [pcm.buffer] };
});
