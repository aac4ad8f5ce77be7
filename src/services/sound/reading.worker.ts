import type { Job } from '../media-process/jobs.ts';
import { read } from './read.ts';
import { serve } from './workroom.ts';

export type ReadJob = Omit<Extract<Job, { do: 'read-sound' }>, 'do'> & { bytes: Uint8Array<ArrayBuffer> };

serve(async ({ type, bytes, mostSeconds }: ReadJob) => {
  const pcm = await read(type, Buffer.from(bytes.buffer), mostSeconds);
  return { result: pcm.buffer, handsOver: [pcm.buffer] };
});
