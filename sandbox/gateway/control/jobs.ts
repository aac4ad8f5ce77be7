import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { viewOf } from '../accept-job.ts';
import { amountText } from '../decimal.ts';
import type { Job } from '../job.ts';
import { keyName } from '../keys.ts';
import type { Parts } from '../parts.ts';
import { resultUrls } from '../wire/view.ts';
import { sendError } from './guard.ts';
import { parseAction } from './parse-action.ts';

const jobActionSchema = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('finish') }),
  z.strictObject({ do: z.literal('fail'), reason: z.string().min(1).default('This job was set to fail.') }),
  z.strictObject({ do: z.literal('stick') }),
  z.strictObject({ do: z.literal('expire-files') }),
]);

export function jobControlRoutes(control: FastifyInstance, parts: Parts): void {
  type JobRequest = { Params: { id: string } };
  const replyUnknownJob = (reply: FastifyReply, id: string) => sendError(reply, 404, `There is no job ${id}.`);

  control.get('/jobs', () => ({ jobs: parts.jobs.list().map((job) => jobSummary(job, parts)) }));
  control.get<JobRequest>('/jobs/:id', (request, reply) => {
    const job = parts.jobs.get(request.params.id);
    return job ? jobSummary(job, parts) : replyUnknownJob(reply, request.params.id);
  });
  control.post<JobRequest>('/jobs/:id', (request, reply) => {
    const { id } = request.params;
    const action = parseAction(jobActionSchema, request);
    if (!parts.jobs.get(id)) return replyUnknownJob(reply, id);
    const job = runAction(action, id, parts);
    return job ? jobSummary(job, parts) : sendError(reply, 409, `The job ${id} is not in progress.`);
  });
}

function runAction(action: z.output<typeof jobActionSchema>, id: string, parts: Parts): Job | undefined {
  switch (action.do) {
    case 'finish':
      return parts.jobs.finish(id);
    case 'fail':
      return parts.jobs.fail(id, action.reason);
    case 'stick':
      return parts.jobs.freeze(id);
    case 'expire-files':
      return parts.jobs.expireFiles(id);
  }
}

const SHOWN_FIELDS = [
  ...(['id', 'family', 'kind', 'model', 'prompt', 'seed', 'state', 'progress', 'reason'] as const),
  ...(['createdAt', 'startedAt', 'finishedAt', 'expired', 'orders'] as const),
] satisfies readonly (keyof Job)[];

/** A job for display, without its key and bytes. */
function jobSummary(job: Job, parts: Parts): Record<string, unknown> {
  return {
    ...Object.fromEntries(SHOWN_FIELDS.map((name) => [name, job[name]])),
    ...parts.tally.countOf(job.id),
    key: keyName(job.key),
    charge: amountText(job.charge),
    files: resultUrls(job, viewOf(parts)),
    ...(job.details.family === 'imgx' ? { action: job.details.action, parent: job.details.parent } : {}),
  };
}
