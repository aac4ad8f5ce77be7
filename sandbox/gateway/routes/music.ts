import type { FastifyRequest } from 'fastify';
import type { Model } from '../catalogue.ts';
import { accept, askedJob, freshSeed, modelFor, priceOf, viewOf } from '../intake.ts';
import type { Draft, Job } from '../job.ts';
import type { Parts, Routes } from '../parts.ts';
import { invalid, unknownTask } from '../refusal.ts';
import { batchRequest, lyricsRequest, musicRequest } from '../requests/others.ts';
import { read } from '../requests/read.ts';
import { lyricsOf, sceneOf } from '../studio/index.ts';
import { isMusic, type MusicJob, musicBatch, musicQueried, musicSubmitted } from '../wire/music.ts';
import type { Clip, Result } from '../work.ts';
import { isLate } from './video.ts';

const USUAL_MODEL = 'chorale-4';
const LYRICS_MODEL = 'verse-1';
const CLIPS = 2;
const USUAL_SECONDS = 20;
const COVER_SIDE = 512;

/** Music: queries as specified (4.1), submits as known from the wild (wire facts, part 2). */
export const musicRoutes: Routes = (server, parts) => {
  server.post('/music/submit/music', { config: { kind: 'music' } }, (request) =>
    musicSubmitted(song(parts, request), viewOf(parts)),
  );
  server.post('/music/submit/lyrics', { config: { kind: 'lyrics' } }, (request) =>
    musicSubmitted(verses(parts, request), viewOf(parts)),
  );

  server.post('/music/fetch', (request) => {
    const { ids } = read(batchRequest, request.body);
    const { batchLimit, looseBatches } = parts.settings.quirks;
    if (ids.length > batchLimit) throw invalid(`ids: must have at most ${batchLimit} items`);
    const jobs = [...new Set(ids)].map((id) => askedJob(parts, request.grant, id, isMusic));
    const there = jobs.filter((job) => job !== undefined).filter((job) => !isLate(parts, job));
    if (!looseBatches) return musicBatch(there, viewOf(parts));
    const loose = there.map((job) => ({ job, chance: parts.random.next() })).filter(({ chance }) => chance > 1 / 3);
    loose.sort((a, b) => a.chance - b.chance);
    return musicBatch(
      loose.map(({ job }) => job),
      viewOf(parts),
    );
  });

  server.get<{ Params: { id: string } }>('/music/fetch/:id', (request) => {
    const job = askedJob(parts, request.grant, request.params.id, isMusic);
    if (job && !isLate(parts, job)) return musicQueried(job, viewOf(parts));
    throw unknownTask(request.params.id);
  });
};

function song(parts: Parts, request: FastifyRequest): MusicJob {
  const order = read(musicRequest, request.body);
  const model = modelFor(parts, request.grant, modelNamedBy(order.mv ?? order.model), ['music']);
  const seed = freshSeed(parts);
  const words = order.prompt.trim() || order.gpt_description_prompt || order.tags;
  const subject = `${order.tags} ${order.title} ${words}`.trim();
  const { title } = lyricsOf(words, seed);
  const seconds = order.duration ?? USUAL_SECONDS;
  const clips: readonly Clip[] = Array.from({ length: CLIPS }, (_, at) => ({
    id: parts.random.uuid(),
    title: order.title || title,
    sound: `${at + 1}.wav`,
    image: `cover-${at + 1}.png`,
    seconds,
  }));
  const results = clips.flatMap((clip, at): Result[] => [
    { name: clip.sound, recipe: { make: 'song', prompt: subject, seed: seed + at, seconds } },
    {
      name: clip.image,
      recipe: {
        make: 'image',
        scene: sceneOf(subject, seed + at),
        width: COVER_SIDE,
        height: COVER_SIDE,
        format: 'png',
      },
    },
  ]);
  return take(parts, request, model, 'music', words, seed, {
    family: 'music',
    action: 'MUSIC',
    title: order.title,
    tags: order.tags,
    ...(order.gpt_description_prompt ? { description: order.gpt_description_prompt } : {}),
    instrumental: order.make_instrumental,
    clips,
    ...(order.notify_hook ? { notifyHook: order.notify_hook } : {}),
    sources: [],
    results,
  });
}

function verses(parts: Parts, request: FastifyRequest): MusicJob {
  const order = read(lyricsRequest, request.body);
  const model = modelFor(parts, request.grant, LYRICS_MODEL, ['lyrics']);
  const seed = freshSeed(parts);
  const { title, lyrics } = lyricsOf(order.prompt, seed);
  return take(parts, request, model, 'lyrics', order.prompt, seed, {
    family: 'music',
    action: 'LYRICS',
    title,
    tags: '',
    instrumental: false,
    clips: [],
    lyrics,
    ...(order.notify_hook ? { notifyHook: order.notify_hook } : {}),
    sources: [],
    results: [],
  });
}

function take(
  parts: Parts,
  request: FastifyRequest,
  model: Model,
  kind: 'music' | 'lyrics',
  prompt: string,
  seed: number,
  details: Draft['details'],
): MusicJob {
  const job: Job = accept(parts, request, {
    id: parts.random.uuid(),
    family: 'music',
    kind,
    key: request.grant.key,
    model: model.id,
    prompt,
    seed,
    charge: priceOf(model, 1),
    details,
  });
  if (!isMusic(job)) throw new Error('A music task became something else.');
  return job;
}

/** `chirp-…` are words of the wire format (wire facts, part 2) and stand for this gateway's own music model. */
const modelNamedBy = (name: string | undefined) => (!name || /^chirp-/.test(name) ? USUAL_MODEL : name);
