import type { FastifyRequest } from 'fastify';
import { acceptJob, findPolledJob, modelFor, newSeed, priceOf, viewOf } from '../accept-job.ts';
import { ApiError, unknownTask } from '../api-error.ts';
import type { Job } from '../job.ts';
import type { Parts, Routes } from '../parts.ts';
import { imageRequest } from '../requests/image-music-usage.ts';
import { parseRequest } from '../requests/parse.ts';
import { aspectOf, sceneOf, sizeOf } from '../studio/index.ts';
import { type ImageItem, imageJob } from '../wire/image-job.ts';
import { showsMedia } from '../wire/view.ts';

const JOBS_PATH = '/v1/images/generations/jobs';
const MAX_KEY_LENGTH = 255;

/** Asynchronous image jobs (specification, 4.5). */
export const imageJobRoutes: Routes = (server, parts) => {
  server.post(JOBS_PATH, { config: { kind: 'image' } }, async (request, reply) => {
    const job = existingJob(parts, request) ?? createJob(parts, request);
    // Common gateways with this endpoint return status 202; the specification does not state one.
    if (parts.settings.profile === 'stock') reply.code(202);
    return imageJob(job, await itemsOf(parts, job), viewOf(parts));
  });

  server.get<{ Params: { id: string } }>(`${JOBS_PATH}/:id`, async (request) => {
    const job = findPolledJob(parts, request.grant, request.params.id, isImageJob);
    if (!job) throw unknownTask(request.params.id);
    return imageJob(job, await itemsOf(parts, job), viewOf(parts));
  });
};

const isImageJob = (job: Job): job is Job => job.details.family === 'image';

function idempotencyKeyOf(parts: Parts, request: FastifyRequest): string | undefined {
  const idempotencyKey = request.headers['idempotency-key'];
  if (typeof idempotencyKey === 'string' && idempotencyKey.length > MAX_KEY_LENGTH) {
    throw new ApiError(`Idempotency-Key must have at most ${MAX_KEY_LENGTH} characters.`, {
      status: 400,
      code: 'invalid_request',
    });
  }
  if (typeof idempotencyKey === 'string' && idempotencyKey !== '') return idempotencyKey;
  if (!parts.settings.quirks.idempotencyRequired) return undefined;
  throw new ApiError('The header Idempotency-Key is required.', { status: 400, code: 'IDEMPOTENCY_KEY_REQUIRED' });
}

/** A repeated request with the same key and body returns the existing job and is not charged. */
function existingJob(parts: Parts, request: FastifyRequest): Job | undefined {
  const idempotencyKey = idempotencyKeyOf(parts, request);
  const isIgnored = idempotencyKey === undefined || parts.settings.quirks.idempotencyIgnored;
  const found = isIgnored ? undefined : parts.idempotency.find(request.grant.key, idempotencyKey, request.body);
  if (found === 'conflict') {
    throw new ApiError('This Idempotency-Key was used with another body.', {
      status: 409,
      code: 'idempotency_conflict',
    });
  }
  if (found) parts.tally.countSubmit(found.jobId);
  return found && parts.jobs.get(found.jobId);
}

function createJob(parts: Parts, request: FastifyRequest): Job {
  const body = parseRequest(imageRequest, request.body);
  const model = modelFor(parts, request.grant, body.model, ['image']);
  const seed = body.seed ?? newSeed(parts);
  const { width, height } = sizeOf(requestedAspect(body), model.longSide ?? 1_024);
  const job = acceptJob(parts, request, {
    id: `imgjob_${parts.random.alphanumeric(24)}`,
    family: 'image',
    kind: 'image',
    key: request.grant.key,
    model: model.id,
    prompt: body.prompt,
    seed,
    charge: priceOf(model, body.n),
    details: {
      family: 'image',
      sources: body.image ?? [],
      results: Array.from({ length: body.n }, (_, index) => ({
        name: `${index + 1}.${body.output_format}`,
        recipe: { make: 'image', scene: sceneOf(body.prompt, seed + index), width, height, format: body.output_format },
      })),
    },
  });
  const idempotencyKey = idempotencyKeyOf(parts, request);
  if (idempotencyKey !== undefined) parts.idempotency.store(request.grant.key, idempotencyKey, request.body, job.id);
  return job;
}

/** The size only determines the aspect ratio; the resolution depends on the model (`-2K`, `-4K`). */
function requestedAspect(body: {
  size?: string | undefined;
  aspect_ratio?: string | undefined;
  prompt: string;
}): number {
  const [width, height] = (body.aspect_ratio?.split(':') ?? body.size?.split('x') ?? []).map(Number);
  return width && height ? width / height : aspectOf(body.prompt);
}

async function itemsOf(parts: Parts, job: Job): Promise<readonly ImageItem[]> {
  const view = viewOf(parts);
  if (!showsMedia(job, view)) return [];
  const names = job.details.results.map(({ name }) => name);
  if (!view.quirks.base64Results) return names.map((name) => ({ url: parts.files.urlOf(job, name) }));
  const files = await Promise.all(names.map((name) => parts.files.load(job, name)));
  return files.filter((file) => file !== undefined).map((file) => ({ b64_json: file.bytes.toString('base64') }));
}
