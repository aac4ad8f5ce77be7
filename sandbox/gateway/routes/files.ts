import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendBytes } from '../../ranges.ts';
import type { Job } from '../job.ts';
import type { Parts, Routes } from '../parts.ts';

/** Serves results like a CDN: without a key, with ranges, and only until they expire. */
export const fileRoutes: Routes = (server, parts) => {
  server.get<{ Params: { job: string; name: string } }>(
    '/files/:job/:name',
    { exposeHeadRoute: true, config: { isPublic: true } },
    async (request, reply) => {
      const job = parts.jobs.get(request.params.job);
      if (!job) return sendUnavailable(reply, 404);
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
  if (job.expired) return sendUnavailable(reply, 403);
  const file = await parts.files.load(job, name);
  // An upload that was evicted from the cache counts as expired.
  if (!file) return sendUnavailable(reply, job.kind === 'upload' ? 403 : 404);
  const { bytes, mime } = file;
  reply.header('content-type', mime).header('cache-control', 'public, max-age=3600');
  return sendBytes(bytes, request, reply);
}

const sendUnavailable = (reply: FastifyReply, status: 403 | 404) =>
  reply
    .code(status)
    .type('text/plain')
    .send(status === 403 ? 'This content is no longer available.' : 'There is no such file.');
