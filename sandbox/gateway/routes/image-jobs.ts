import type { FastifyRequest } from 'fastify';
import { accept, askedJob, freshSeed, modelFor, priceOf, viewOf } from '../intake.ts';
import type { Job } from '../job.ts';
import type { Parts, Routes } from '../parts.ts';
import { Refusal, unknownTask } from '../refusal.ts';
import { imageRequest } from '../requests/others.ts';
import { read } from '../requests/read.ts';
import { aspectOf, sceneOf, sizeOf } from '../studio/index.ts';
import { type ImageItem, imageJob } from '../wire/image-job.ts';
import { showsMedia } from '../wire/view.ts';

const PATH = '/v1/images/generations/jobs';
const LONGEST_MARK = 255;

/** Asynchronous image jobs (specification, 4.5). */
export const imageJobRoutes: Routes = (server, parts) => {
  server.post(PATH, { config: { kind: 'image' } }, async (request, reply) => {
    const job = known(parts, request) ?? create(parts, request);
    // Forks that have this endpoint answer 202 (wire facts, part 4); the specification says nothing else than "returns".
    if (parts.settings.profile === 'stock') reply.code(202);
    return imageJob(job, await itemsOf(parts, job), viewOf(parts));
  });

  server.get<{ Params: { id: string } }>(`${PATH}/:id`, async (request) => {
    const job = askedJob(parts, request.grant, request.params.id, isStill);
    if (!job) throw unknownTask(request.params.id);
    return imageJob(job, await itemsOf(parts, job), viewOf(parts));
  });
};

const isStill = (job: Job): job is Job => job.details.family === 'image';

function markOf(parts: Parts, request: FastifyRequest): string | undefined {
  const mark = request.headers['idempotency-key'];
  if (typeof mark === 'string' && mark.length > LONGEST_MARK) {
    throw new Refusal(`Idempotency-Key must have at most ${LONGEST_MARK} characters.`, {
      status: 400,
      code: 'invalid_request',
    });
  }
  if (typeof mark === 'string' && mark !== '') return mark;
  if (!parts.settings.quirks.idempotencyRequired) return undefined;
  throw new Refusal('The header Idempotency-Key is required.', { status: 400, code: 'IDEMPOTENCY_KEY_REQUIRED' });
}

/** Asking again with the same key and body finds the same job, and costs nothing. */
function known(parts: Parts, request: FastifyRequest): Job | undefined {
  const mark = markOf(parts, request);
  const found = mark === undefined ? undefined : parts.idempotency.find(request.grant.key, mark, request.body);
  if (found === 'conflict') {
    throw new Refusal('This Idempotency-Key was used with another body.', {
      status: 409,
      code: 'idempotency_conflict',
    });
  }
  if (found) parts.tally.ordered(found.jobId);
  return found && parts.jobs.get(found.jobId);
}

function create(parts: Parts, request: FastifyRequest): Job {
  const order = read(imageRequest, request.body);
  const model = modelFor(parts, request.grant, order.model, ['image']);
  const seed = order.seed ?? freshSeed(parts);
  const { width, height } = sizeOf(aspectWished(order), model.longSide ?? 1_024);
  const job = accept(parts, request, {
    id: `imgjob_${parts.random.letters(24)}`,
    family: 'image',
    kind: 'image',
    key: request.grant.key,
    model: model.id,
    prompt: order.prompt,
    seed,
    charge: priceOf(model, order.n),
    details: {
      family: 'image',
      sources: order.image ?? [],
      results: Array.from({ length: order.n }, (_, at) => ({
        name: `${at + 1}.${order.output_format}`,
        recipe: { make: 'image', scene: sceneOf(order.prompt, seed + at), width, height, format: order.output_format },
      })),
    },
  });
  const mark = markOf(parts, request);
  if (mark !== undefined) parts.idempotency.remember(request.grant.key, mark, request.body, job.id);
  return job;
}

/** A size gives its shape; how many pixels is the model's own (`-2K`, `-4K`). */
function aspectWished(order: { size?: string | undefined; aspect_ratio?: string | undefined; prompt: string }): number {
  const [across, down] = (order.aspect_ratio?.split(':') ?? order.size?.split('x') ?? []).map(Number);
  return across && down ? across / down : aspectOf(order.prompt);
}

async function itemsOf(parts: Parts, job: Job): Promise<readonly ImageItem[]> {
  const view = viewOf(parts);
  if (!showsMedia(job, view)) return [];
  const names = job.details.results.map(({ name }) => name);
  if (!view.quirks.base64Results) return names.map((name) => ({ url: parts.files.addressOf(job, name) }));
  const files = await Promise.all(names.map((name) => parts.files.open(job, name)));
  return files.filter((file) => file !== undefined).map((file) => ({ b64_json: file.bytes.toString('base64') }));
}
