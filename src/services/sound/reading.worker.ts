import type { Readable } from '../media-process/jobs.ts';
import { read } from './read.ts';
import { serve } from './workroom.ts';

/** A file, to be read as plain samples. */
export interface ReadJob {
  type: Readable;
  bytes: Uint8Array<ArrayBuffer>;
  mostSeconds: number;
}

serve(async ({ type, bytes, mostSeconds }: ReadJob) => {
  const pcm = await read(type, Buffer.from(bytes.buffer), mostSeconds);
  return { result: pcm.buffer, handsOver: [pcm.buffer] };
});
