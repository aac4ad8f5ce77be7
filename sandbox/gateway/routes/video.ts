import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { hasAspect } from '../imgx-plans.ts';
import { accept, freshSeed, modelFor, ownJob, priceOf, viewOf } from '../intake.ts';
import type { Parts, Routes } from '../parts.ts';
import { Refusal, unknownTask } from '../refusal.ts';
import { read } from '../requests/read.ts';
import { imageToVideoRequest, type VideoRequest, videoRequest } from '../requests/video.ts';
import { aspectOf, type Size, sceneOf, sizeOf } from '../studio/index.ts';
import {
  isVideo,
  type VideoJob,
  videoAtSecondEntry,
  videoAtVendorPath,
  videoCreated,
  videoQueried,
} from '../wire/video.ts';
import { sendFile } from './files.ts';

const USUAL_SECONDS = 5;
const USUAL_LONG_SIDE = 640;
const PRO_FACTOR = 2;
/** The wire facts, part 10: a task that is not there yet for its first second. */
const LATE = 1_000;

type Door = 'generations' | 'videos' | 'image2video';

/** Video: the generic task (specification, 4.4), the second entry, and the vendor path (4.2). A task is found through any of the three. */
export const videoRoutes: Routes = (server, parts) => {
  type ById = { Params: { id: string } };
  const found = (request: FastifyRequest<ById>): VideoJob => {
    const job = ownJob(parts, request.grant, request.params.id, isVideo);
    if (!job || isLate(parts, job)) throw unknownTask(request.params.id);
    return job;
  };
  const asked = (request: FastifyRequest<ById>): VideoJob => {
    const job = found(request);
    parts.tally.asked(job);
    return job;
  };

  server.post('/v1/video/generations', { config: { kind: 'video' } }, (request) =>
    videoCreated(create(parts, request, 'generations', videoRequest), viewOf(parts)),
  );
  server.get<ById>('/v1/video/generations/:id', (request) => videoQueried(asked(request), viewOf(parts)));

  server.post('/v1/videos', { config: { kind: 'video', forms: true } }, (request) => {
    const body = /^multipart\//i.test(String(request.headers['content-type'])) ? 'form' : 'json';
    const { videosBody } = parts.settings.quirks;
    if (videosBody !== 'either' && videosBody !== body)
      throw new Refusal(`This endpoint takes its fields as ${videosBody}.`, {
        status: 415,
        code: 'unsupported_media_type',
      });
    return videoAtSecondEntry(create(parts, request, 'videos', videoRequest), viewOf(parts));
  });
  server.get<ById>('/v1/videos/:id', (request) => videoAtSecondEntry(asked(request), viewOf(parts)));
  server.get<ById>('/v1/videos/:id/content', async (request, reply) => {
    const job = found(request);
    const name = job.details.results[0]?.name;
    if (job.state === 'succeeded' && name) return await sendFile(parts, job, name, request, reply);
    throw new Refusal('The video is not finished.', { status: 400, code: 'task_not_completed' });
  });

  server.post('/videoa/v1/videos/image2video', { config: { kind: 'image2video' } }, (request) =>
    videoCreated(create(parts, request, 'image2video', imageToVideoRequest), viewOf(parts)),
  );
  server.get<ById>('/videoa/v1/videos/image2video/:id', (request) => videoAtVendorPath(asked(request), viewOf(parts)));
};

export const isLate = (parts: Parts, job: { acceptedAt: number }) =>
  parts.settings.quirks.lateTask && parts.pace.elapsed() - job.acceptedAt < LATE;

function create(parts: Parts, request: FastifyRequest, door: Door, schema: z.ZodType<VideoRequest>): VideoJob {
  const order = read(schema, request.body);
  if (door === 'image2video' && order.sources.length === 0) {
    throw new Refusal('image is required', { status: 400, code: 'image_is_required' });
  }
  const model = modelFor(parts, request.grant, order.model, ['video']);
  const seed = order.seed ?? freshSeed(parts);
  const size = sizeWished(order);
  const seconds = order.seconds ?? USUAL_SECONDS;
  // A first/last-frame model looks at items 1 and 2 and at no other (specification, 4.4).
  const sources = model.keyframes ? order.sources.slice(0, 2) : order.sources;
  const job = accept(parts, request, {
    id: `task_${parts.random.letters(32)}`,
    family: 'video',
    kind: door === 'image2video' ? 'image2video' : 'video',
    key: request.grant.key,
    model: model.id,
    prompt: order.prompt,
    seed,
    charge: priceOf(model, seconds * (order.mode === 'pro' ? PRO_FACTOR : 1)),
    details: {
      family: 'video',
      door,
      metadata: order.metadata,
      ...size,
      seconds,
      ...(order.mode ? { mode: order.mode } : {}),
      sources,
      results: [{ name: '1.mp4', recipe: { make: 'video', scene: sceneOf(order.prompt, seed), ...size, seconds } }],
    },
  });
  if (!isVideo(job)) throw new Error('A video task became something else.');
  return job;
}

/** A size says all; a resolution such as 720p is the short side of an aspect; an aspect alone is drawn small. */
function sizeWished(order: VideoRequest): Size {
  const even = (side: number) => Math.max(16, Math.round(side / 2) * 2);
  if (order.size) return { width: even(order.size.width), height: even(order.size.height) };
  const aspect = order.aspect ?? (hasAspect(order.prompt) ? aspectOf(order.prompt) : 16 / 9);
  if (order.lines === undefined) return sizeOf(aspect, USUAL_LONG_SIDE);
  const lines = Math.min(2_160, order.lines);
  return aspect >= 1
    ? { width: even(lines * aspect), height: even(lines) }
    : { width: even(lines), height: even(lines / aspect) };
}
