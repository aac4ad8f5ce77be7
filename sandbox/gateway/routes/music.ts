import type { FastifyRequest } from 'fastify';
import { acceptJob, findPolledJob, modelFor, newSeed, priceOf, viewOf } from '../accept-job.ts';
import { invalid, unknownTask } from '../api-error.ts';
import type { Model } from '../catalogue.ts';
import type { Job, NewJob } from '../job.ts';
import type { Clip, Result } from '../job-details.ts';
import type { Parts, Routes } from '../parts.ts';
import { batchRequest, lyricsRequest, musicRequest } from '../requests/image-music-usage.ts';
import { parseRequest } from '../requests/parse.ts';
import { lyricsOf, sceneOf } from '../studio/index.ts';
import { isMusic, type MusicJob, musicBatch, musicSubmitBody, musicTask } from '../wire/music.ts';
import { isLate } from './video.ts';

const DEFAULT_MODEL = 'chorale-4';
const LYRICS_MODEL = 'verse-1';
const CLIPS_PER_SONG = 2;
const DEFAULT_SECONDS = 20;
const COVER_SIDE = 512;

/** Music: queries as specified (4.1), submits as on real gateways. */
export const musicRoutes: Routes = (server, parts) => {
  server.post('/music/submit/music', { config: { kind: 'music' } }, (request) =>
    musicSubmitBody(createSong(parts, request), viewOf(parts)),
  );
  server.post('/music/submit/lyrics', { config: { kind: 'lyrics' } }, (request) =>
    musicSubmitBody(createLyrics(parts, request), viewOf(parts)),
  );

  server.post('/music/fetch', (request) => {
    const { ids } = parseRequest(batchRequest, request.body);
    const { batchLimit, looseBatches } = parts.settings.quirks;
    if (ids.length > batchLimit) throw invalid(`ids: must have at most ${batchLimit} items`);
    const jobs = [...new Set(ids)].map((id) => findPolledJob(parts, request.grant, id, isMusic));
    const found = jobs.filter((job) => job !== undefined).filter((job) => !isLate(parts, job));
    if (!looseBatches) return musicBatch(found, viewOf(parts));
    const shuffledJobs = found
      .map((job) => ({ job, chance: parts.random.next() }))
      .filter(({ chance }) => chance > 1 / 3);
    shuffledJobs.sort((a, b) => a.chance - b.chance);
    return musicBatch(
      shuffledJobs.map(({ job }) => job),
      viewOf(parts),
    );
  });

  server.get<{ Params: { id: string } }>('/music/fetch/:id', (request) => {
    const job = findPolledJob(parts, request.grant, request.params.id, isMusic);
    if (job && !isLate(parts, job)) return musicTask(job, viewOf(parts));
    throw unknownTask(request.params.id);
  });
};

function createSong(parts: Parts, request: FastifyRequest): MusicJob {
  const body = parseRequest(musicRequest, request.body);
  const model = modelFor(parts, request.grant, musicModelId(body.mv ?? body.model), ['music']);
  const seed = newSeed(parts);
  const text = body.prompt.trim() || body.gpt_description_prompt || body.tags;
  const subject = `${body.tags} ${body.title} ${text}`.trim();
  const { title } = lyricsOf(text, seed);
  const seconds = body.duration ?? DEFAULT_SECONDS;
  const clips: readonly Clip[] = Array.from({ length: CLIPS_PER_SONG }, (_, index) => ({
    id: parts.random.uuid(),
    title: body.title || title,
    audioFile: `${index + 1}.wav`,
    coverFile: `cover-${index + 1}.png`,
    seconds,
  }));
  const results = clips.flatMap((clip, index): Result[] => [
    { name: clip.audioFile, recipe: { make: 'song', prompt: subject, seed: seed + index, seconds } },
    {
      name: clip.coverFile,
      recipe: {
        make: 'image',
        scene: sceneOf(subject, seed + index),
        width: COVER_SIDE,
        height: COVER_SIDE,
        format: 'png',
      },
    },
  ]);
  return acceptMusicJob(parts, request, model, 'music', text, seed, {
    family: 'music',
    action: 'MUSIC',
    title: body.title,
    tags: body.tags,
    ...(body.gpt_description_prompt ? { description: body.gpt_description_prompt } : {}),
    instrumental: body.make_instrumental,
    clips,
    ...(body.notify_hook ? { notifyHook: body.notify_hook } : {}),
    sources: [],
    results,
  });
}

function createLyrics(parts: Parts, request: FastifyRequest): MusicJob {
  const body = parseRequest(lyricsRequest, request.body);
  const model = modelFor(parts, request.grant, LYRICS_MODEL, ['lyrics']);
  const seed = newSeed(parts);
  const { title, lyrics } = lyricsOf(body.prompt, seed);
  return acceptMusicJob(parts, request, model, 'lyrics', body.prompt, seed, {
    family: 'music',
    action: 'LYRICS',
    title,
    tags: '',
    instrumental: false,
    clips: [],
    lyrics,
    ...(body.notify_hook ? { notifyHook: body.notify_hook } : {}),
    sources: [],
    results: [],
  });
}

function acceptMusicJob(
  parts: Parts,
  request: FastifyRequest,
  model: Model,
  kind: 'music' | 'lyrics',
  prompt: string,
  seed: number,
  details: NewJob['details'],
): MusicJob {
  const job: Job = acceptJob(parts, request, {
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
  if (!isMusic(job)) throw new Error('The created job is not a music task.');
  return job;
}

/** The model names of real gateways, such as `chirp-…`, select this gateway's own music model. */
const musicModelId = (name: string | undefined) => (!name || /^chirp-/.test(name) ? DEFAULT_MODEL : name);
