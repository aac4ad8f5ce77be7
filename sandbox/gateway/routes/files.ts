import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Job } from '../job.ts';
import type { Parts, Routes } from '../parts.ts';

/** Results, as a content network has them: no key, ranges, and an end (wire facts, 9a). */
export const fileRoutes: Routes = (server, parts) => {
  server.get<{ Params: { job: string; name: string } }>(
    '/files/:job/:name',
    { config: { open: true } },
    async (request, reply) => {
      const job = parts.jobs.get(request.params.job);
      if (!job) return gone(reply, 404);
      return await sendFile(parts, job, request.params.name, request, reply);
    },
  );
};

export async function sendFile(
  parts: Parts,
  job: Job,
  name: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (job.expired) return gone(reply, 403);
  const file = await parts.files.open(job, name);
  // An upload that had to make room is an address that has expired.
  if (!file) return gone(reply, job.kind === 'upload' ? 403 : 404);
  const { bytes, mime } = file;
  reply.header('content-type', mime).header('accept-ranges', 'bytes').header('cache-control', 'public, max-age=3600');
  const range = rangeOf(request.headers.range, bytes.length);
  if (range === 'outside') return reply.code(416).header('content-range', `bytes */${bytes.length}`).send();
  const part = range ? bytes.subarray(range.from, range.to + 1) : bytes;
  if (range) reply.code(206).header('content-range', `bytes ${range.from}-${range.to}/${bytes.length}`);
  return reply.header('content-length', part.length).send(part);
}

const gone = (reply: FastifyReply, status: 403 | 404) =>
  reply
    .code(status)
    .type('text/plain')
    .send(status === 403 ? 'This content is no longer available.' : 'There is no such file.');

/** One range of bytes; several at once, or another unit, are answered with the whole file, as RFC 9110 allows. */
function rangeOf(header: string | undefined, size: number): { from: number; to: number } | 'outside' | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return undefined;
  const [first, last] = [match[1] ?? '', match[2] ?? ''];
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && first !== '' && Number(last) < Number(first)) return undefined;
  return from >= size || from > to ? 'outside' : { from, to };
}
