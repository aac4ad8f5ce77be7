import type { Job } from '../job.ts';
import type { Clip, MusicDetails } from '../job-details.ts';
import {
  type Body,
  percentText,
  quotaOf,
  SPEC_STATUS,
  STOCK_STATUS,
  showsMedia,
  toUnixSeconds,
  type View,
} from './view.ts';

export type MusicJob = Job & { readonly details: MusicDetails };
export const isMusic = (job: Job): job is MusicJob => job.details.family === 'music';

const wrap = (data: unknown, view: View): unknown =>
  view.profile === 'spec' ? data : { code: 'success', message: '', data };

/** In `stock`, the data is the id itself. */
export const musicSubmitBody = (job: MusicJob, view: View): unknown =>
  view.profile === 'spec' ? { id: job.id, ...task(job, view) } : { code: 'success', message: '', data: job.id };

export const musicTask = (job: MusicJob, view: View): unknown => wrap(task(job, view), view);

/** Unknown ids are omitted; without any known id, the list may be null. */
export function musicBatch(jobs: readonly MusicJob[], view: View): unknown {
  const data = jobs.length === 0 && view.quirks.nullBatches ? null : jobs.map((job) => task(job, view));
  return view.profile === 'spec' ? { data } : { code: 'success', message: '', data };
}

function task(job: MusicJob, view: View): Body {
  const { action, notifyHook } = job.details;
  const isSpec = view.profile === 'spec';
  return {
    task_id: job.id,
    ...(notifyHook ? { notify_hook: notifyHook } : {}),
    action,
    status: (isSpec ? SPEC_STATUS : STOCK_STATUS)[job.state],
    fail_reason: job.reason ?? '',
    submit_time: toUnixSeconds(job.createdAt),
    start_time: toUnixSeconds(job.startedAt),
    finish_time: toUnixSeconds(job.finishedAt),
    progress: isSpec ? job.progress : percentText(job),
    ...quotaOf(job, view),
    data: action === 'LYRICS' ? lyrics(job, view) : clips(job, view),
  };
}

function lyrics(job: MusicJob, view: View): Body | null {
  if (!showsMedia(job, view)) return null;
  const { title, lyrics: text = '' } = job.details;
  return { id: job.id, title, text, status: 'complete' };
}

const CLIP_STATUS = {
  'needs-input': 'submitted',
  queued: 'submitted',
  running: 'streaming',
  succeeded: 'complete',
  failed: 'error',
};

function clips(job: MusicJob, view: View): readonly Body[] {
  if (job.state === 'queued') return [];
  if (job.state === 'succeeded' && !showsMedia(job, view)) return [];
  return job.details.clips.map((clip) => ({
    id: clip.id,
    title: clip.title,
    status: CLIP_STATUS[job.state],
    metadata: {
      tags: job.details.tags,
      prompt: job.prompt,
      gpt_description_prompt: job.details.description ?? '',
      duration: job.state === 'succeeded' ? clip.seconds : null,
      error_type: job.reason === undefined ? null : 'task_failed',
      error_message: job.reason ?? null,
      audio_prompt_id: null,
    },
    ...mediaUrls(job, clip, view),
    video_url: '',
    model_name: job.model,
    major_model_version: 'v4',
  }));
}

const mediaUrls = (job: MusicJob, clip: Clip, view: View): Body =>
  job.state === 'succeeded'
    ? {
        audio_url: view.urlOf(job, clip.audioFile),
        image_url: view.urlOf(job, clip.coverFile),
        image_large_url: view.urlOf(job, clip.coverFile),
      }
    : { audio_url: '', image_url: '', image_large_url: '' };
