import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { hasAspect } from '../imgx-plans.ts';
import { accept, freshSeed, modelFor, ownJob, priceOf, viewOf } from '../intake.ts';
import type { Parts, Routes } from '../parts.ts';
import { Refusal, unknownTask } from '../refusal.ts';
import { read } from '../requests/read.ts';
import { imageToVideoRequest, type VideoRequest, videoRequest } from '../requests/video.ts';
import { aspectOf, type Size, sceneOf, sizeOf } from '../studio/index.ts';
import { type FilmJob, filmAtSecondEntry, filmAtVendorPath, filmCreated, filmQueried, isFilm } from '../wire/video.ts';
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
  const found = (request: FastifyRequest<ById>): FilmJob => {
    const job = ownJob(parts, request.grant, request.params.id, isFilm);
    if (!job || isLate(parts, job)) throw unknownTask(request.params.id);
    return job;
  };
  const asked = (request: FastifyRequest<ById>): FilmJob => {
    const job = found(request);
    parts.tally.asked(job);
    return job;
  };

  server.post('/v1/video/generations', { config: { kind: 'video' } }, (request) =>
    filmCreated(create(parts, request, 'generations', videoRequest), viewOf(parts)),
  );
  server.get<ById>('/v1/video/generations/:id', (request) => filmQueried(asked(request), viewOf(parts)));

  server.post('/v1/videos', { config: { kind: 'video', forms: true } }, (request) =>
    filmAtSecondEntry(create(parts, request, 'videos', videoRequest), viewOf(parts)),
  );
  server.get<ById>('/v1/videos/:id', (request) => filmAtSecondEntry(asked(request), viewOf(parts)));
  server.get<ById>('/v1/videos/:id/content', async (request, reply) => {
    const job = found(request);
    const name = job.details.results[0]?.name;
    if (job.state === 'succeeded' && name) return await sendFile(parts, job, name, request, reply);
    throw new Refusal('The video is not finished.', { status: 400, code: 'task_not_completed' });
  });

  server.post('/videoa/v1/videos/image2video', { config: { kind: 'image2video' } }, (request) =>
    filmCreated(create(parts, request, 'image2video', imageToVideoRequest), viewOf(parts)),
  );
  server.get<ById>('/videoa/v1/videos/image2video/:id', (request) => filmAtVendorPath(asked(request), viewOf(parts)));
};

export const isLate = (parts: Parts, job: { acceptedAt: number }) =>
  parts.settings.quirks.lateTask && parts.pace.elapsed() - job.acceptedAt < LATE;

function create(parts: Parts, request: FastifyRequest, door: Door, schema: z.ZodType<VideoRequest>): FilmJob {
  const wish = read(schema, request.body);
  if (door === 'image2video' && wish.sources.length === 0) {
    throw new Refusal('image is required', { status: 400, code: 'image_is_required' });
  }
  const model = modelFor(parts, request.grant, wish.model, ['video']);
  const seed = wish.seed ?? freshSeed(parts);
  const size = sizeWished(wish);
  const seconds = wish.seconds ?? USUAL_SECONDS;
  // A first/last-frame model looks at items 1 and 2 and at no other (specification, 4.4).
  const sources = model.keyframes ? wish.sources.slice(0, 2) : wish.sources;
  const job = accept(parts, request, {
    id: `task_${parts.random.letters(32)}`,
    family: 'video',
    kind: door === 'image2video' ? 'image2video' : 'video',
    key: request.grant.key,
    model: model.id,
    prompt: wish.prompt,
    seed,
    charge: priceOf(model, seconds * (wish.mode === 'pro' ? PRO_FACTOR : 1)),
    details: {
      family: 'video',
      door,
      metadata: wish.metadata,
      ...size,
      seconds,
      ...(wish.mode ? { mode: wish.mode } : {}),
      sources,
      results: [{ name: '1.mp4', recipe: { make: 'film', scene: sceneOf(wish.prompt, seed), ...size, seconds } }],
    },
  });
  if (!isFilm(job)) throw new Error('A video task became something else.');
  return job;
}

/** A size says all; a resolution such as 720p is the short side of an aspect; an aspect alone is drawn small. */
function sizeWished(wish: VideoRequest): Size {
  const even = (side: number) => Math.max(16, Math.round(side / 2) * 2);
  if (wish.size) return { width: even(wish.size.width), height: even(wish.size.height) };
  const aspect = wish.aspect ?? (hasAspect(wish.prompt) ? aspectOf(wish.prompt) : 16 / 9);
  if (wish.lines === undefined) return sizeOf(aspect, USUAL_LONG_SIDE);
  const lines = Math.min(2_160, wish.lines);
  return aspect >= 1
    ? { width: even(lines * aspect), height: even(lines) }
    : { width: even(lines), height: even(lines / aspect) };
}
