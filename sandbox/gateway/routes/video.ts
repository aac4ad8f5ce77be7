import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { acceptJob, findOwnJob, modelFor, newSeed, priceOf, viewOf } from '../accept-job.ts';
import { ApiError, unknownTask } from '../api-error.ts';
import { hasAspect } from '../imgx-plans.ts';
import type { Parts, Routes } from '../parts.ts';
import { parseRequest } from '../requests/parse.ts';
import { imageToVideoRequest, type VideoRequest, videoRequest } from '../requests/video.ts';
import { aspectOf, type Size, sceneOf, sizeOf } from '../studio/index.ts';
import {
  isVideo,
  type VideoJob,
  vendorPathTask,
  videoSubmitBody,
  videosEndpointTask,
  videoTask,
} from '../wire/video.ts';
import { sendFile } from './files.ts';

const DEFAULT_SECONDS = 5;
const DEFAULT_LONG_SIDE = 640;
const PRO_FACTOR = 2;
/** With the quirk `lateTask`, a task is unknown for its first second. */
const LATE_TASK_MS = 1_000;

type VideoEndpoint = 'generations' | 'videos' | 'image2video';

/** Video: the generic endpoint (specification, 4.4), `/v1/videos`, and the vendor path (4.2). A task can be queried through all three. */
export const videoRoutes: Routes = (server, parts) => {
  type IdRoute = { Params: { id: string } };
  const findTask = (request: FastifyRequest<IdRoute>): VideoJob => {
    const job = findOwnJob(parts, request.grant, request.params.id, isVideo);
    if (!job || isLate(parts, job)) throw unknownTask(request.params.id);
    return job;
  };
  const pollTask = (request: FastifyRequest<IdRoute>): VideoJob => {
    const job = findTask(request);
    parts.tally.countPoll(job);
    return job;
  };

  server.post('/v1/video/generations', { config: { kind: 'video' } }, (request) =>
    videoSubmitBody(createJob(parts, request, 'generations', videoRequest), viewOf(parts)),
  );
  server.get<IdRoute>('/v1/video/generations/:id', (request) => videoTask(pollTask(request), viewOf(parts)));

  server.post('/v1/videos', { config: { kind: 'video', acceptsForms: true } }, (request) => {
    const body = /^multipart\//i.test(String(request.headers['content-type'])) ? 'form' : 'json';
    const { videosBody } = parts.settings.quirks;
    if (videosBody !== 'either' && videosBody !== body)
      throw new ApiError(`This endpoint accepts its fields only as ${videosBody}.`, {
        status: 415,
        code: 'unsupported_media_type',
      });
    return videosEndpointTask(createJob(parts, request, 'videos', videoRequest), viewOf(parts));
  });
  server.get<IdRoute>('/v1/videos/:id', (request) => videosEndpointTask(pollTask(request), viewOf(parts)));
  server.get<IdRoute>('/v1/videos/:id/content', async (request, reply) => {
    const job = findTask(request);
    const name = job.details.results[0]?.name;
    if (job.state === 'succeeded' && name) return await sendFile(parts, job, name, request, reply);
    throw new ApiError('The video is not finished.', { status: 400, code: 'task_not_completed' });
  });

  server.post('/videoa/v1/videos/image2video', { config: { kind: 'image2video' } }, (request) =>
    videoSubmitBody(createJob(parts, request, 'image2video', imageToVideoRequest), viewOf(parts)),
  );
  server.get<IdRoute>('/videoa/v1/videos/image2video/:id', (request) =>
    vendorPathTask(pollTask(request), viewOf(parts)),
  );
};

export const isLate = (parts: Parts, job: { acceptedAt: number }) =>
  parts.settings.quirks.lateTask && parts.pace.elapsed() - job.acceptedAt < LATE_TASK_MS;

function createJob(
  parts: Parts,
  request: FastifyRequest,
  endpoint: VideoEndpoint,
  schema: z.ZodType<VideoRequest>,
): VideoJob {
  const body = parseRequest(schema, request.body);
  if (endpoint === 'image2video' && body.sources.length === 0) {
    throw new ApiError('image is required', { status: 400, code: 'image_is_required' });
  }
  const model = modelFor(parts, request.grant, body.model, ['video']);
  const seed = body.seed ?? newSeed(parts);
  const size = requestedSize(body);
  const seconds = body.seconds ?? DEFAULT_SECONDS;
  // A model that takes a first and a last frame uses only images 1 and 2 (specification, 4.4).
  const sources = model.usesKeyframes ? body.sources.slice(0, 2) : body.sources;
  const job = acceptJob(parts, request, {
    id: `task_${parts.random.alphanumeric(32)}`,
    family: 'video',
    kind: endpoint === 'image2video' ? 'image2video' : 'video',
    key: request.grant.key,
    model: model.id,
    prompt: body.prompt,
    seed,
    charge: priceOf(model, seconds * (body.mode === 'pro' ? PRO_FACTOR : 1)),
    details: {
      family: 'video',
      endpoint,
      metadata: body.metadata,
      ...size,
      seconds,
      ...(body.mode ? { mode: body.mode } : {}),
      ...(typeof body.metadata.callback_url === 'string' && { notifyHook: body.metadata.callback_url }),
      sources,
      results: [{ name: '1.mp4', recipe: { make: 'video', scene: sceneOf(body.prompt, seed), ...size, seconds } }],
    },
  });
  if (!isVideo(job)) throw new Error('The created job is not a video task.');
  return job;
}

/** A size takes precedence; a resolution such as 720p is the length of the short side; an aspect ratio alone results in a small video. */
function requestedSize(body: VideoRequest): Size {
  const roundToEven = (side: number) => Math.max(16, Math.round(side / 2) * 2);
  if (body.size) return { width: roundToEven(body.size.width), height: roundToEven(body.size.height) };
  const aspect = body.aspect ?? (hasAspect(body.prompt) ? aspectOf(body.prompt) : 16 / 9);
  if (body.shortSide === undefined) return sizeOf(aspect, DEFAULT_LONG_SIDE);
  const shortSide = Math.min(2_160, body.shortSide);
  return aspect >= 1
    ? { width: roundToEven(shortSide * aspect), height: roundToEven(shortSide) }
    : { width: roundToEven(shortSide), height: roundToEven(shortSide / aspect) };
}
