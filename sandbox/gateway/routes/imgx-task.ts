import { findOwnJob, findPolledJob, viewOf } from '../accept-job.ts';
import { ApiError, unknownTask } from '../api-error.ts';
import { isImgx } from '../follow-ups.ts';
import type { Parts, Routes } from '../parts.ts';
import { listRequest } from '../requests/imgx.ts';
import { parseRequest } from '../requests/parse.ts';
import { imgxTask } from '../wire/imgx.ts';
import { SPEC_STATUS, STOCK_STATUS } from '../wire/view.ts';
import { sendFile } from './files.ts';

const MAX_LISTED_TASKS = 100;

/** Queries of the image family (specification, 4.7). */
export const imgxTaskRoutes: Routes = (server, parts) => {
  type TaskRequest = { Params: { id: string } };

  server.get<TaskRequest>('/imgx/task/:id/fetch', (request) => {
    const job = findPolledJob(parts, request.grant, request.params.id, isImgx);
    if (job) return imgxTask(job, viewOf(parts));
    throw unknownTask(request.params.id);
  });

  /**
   * Returns a plain list that omits unknown ids. If the request has no ids, the status filter of the specification (4.3)
   * applies to all of the key's tasks.
   */
  server.post('/imgx/task/list-by-condition', (request) => {
    const { ids, status } = parseRequest(listRequest, request.body);
    const jobs = ids
      ? ids.map((id) => findPolledJob(parts, request.grant, id, isImgx)).filter((job) => job !== undefined)
      : newestJobs(parts, request.grant.key);
    const requestedStatus = status?.toLowerCase();
    return jobs
      .filter(
        (job) =>
          !requestedStatus || [SPEC_STATUS[job.state], STOCK_STATUS[job.state].toLowerCase()].includes(requestedStatus),
      )
      .slice(0, ids ? undefined : MAX_LISTED_TASKS)
      .map((job) => imgxTask(job, viewOf(parts)));
  });

  server.get<TaskRequest>('/imgx/task/:id/image-seed', (request) => {
    const job = findOwnJob(parts, request.grant, request.params.id, isImgx);
    if (!job) throw unknownTask(request.params.id);
    if (job.state === 'succeeded') return { code: 1, description: 'Success', result: String(job.seed) };
    throw new ApiError('The task has not succeeded.', { status: 400, code: 'task_status_not_success' });
  });

  /** Serves the images if the gateway returns its own URLs for them; requires no key. */
  server.get<TaskRequest>('/imgx/image/:id', { config: { isPublic: true } }, async (request, reply) => {
    const job = parts.jobs.get(request.params.id);
    const name = job?.state === 'running' ? parts.files.previewName(job) : job?.details.results[0]?.name;
    if (job && isImgx(job) && name) return await sendFile(parts, job, name, request, reply);
    return reply.code(400).send({ error: 'task_not_found' });
  });
};

const newestJobs = (parts: Parts, key: string) =>
  parts.jobs
    .list()
    .filter(isImgx)
    .filter((job) => job.key === key)
    .reverse();
