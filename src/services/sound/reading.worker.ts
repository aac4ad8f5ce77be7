import type { ReadJob } from './job.ts';
import { read } from './read/read.ts';
import { serve } from './serve.ts';

serve(async ({ type, bytes, mostSeconds }: ReadJob) => {
  const pcm = await read(type, Buffer.from(bytes.buffer), mostSeconds);
  return { result: pcm.buffer, handsOver: [pcm.buffer] };
});
