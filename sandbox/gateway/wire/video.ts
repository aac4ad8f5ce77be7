import type { Job } from '../job.ts';
import { seedFrom } from '../random.ts';
import type { Video } from '../work.ts';
import { addressesOf, type Body, percent, quotaOf, secondsAt, specWord, stockWord, type View } from './view.ts';

export type VideoJob = Job & { readonly details: Video };
export const isVideo = (job: Job): job is VideoJob => job.details.family === 'video';

/** What the sandbox's videos have (`studio`). */
const FRAMES_PER_SECOND = 12;

/** Queued, as every job is when it is created (wire facts, 3.2). */
export const videoCreated = (job: VideoJob, view: View): Body => ({
  id: job.id,
  task_id: job.id,
  object: 'video',
  model: job.model,
  status: 'queued',
  progress: 0,
  created_at: secondsAt(job.createdAt),
  ...(view.profile === 'spec' ? { metadata: job.details.metadata } : {}),
});

/** The five shapes in which a video query answers (wire facts, 3.3 and 3.5). */
export function videoQueried(job: VideoJob, view: View): Body {
  switch (view.quirks.videoShape) {
    case 'flat':
      return flat(job, view);
    case 'wrapped':
      return wrapped(job, view, false);
    case 'legacy':
      return wrapped(job, view, true);
    case 'short':
      return { code: 'success', message: '', data: short(job, view) };
    case 'native':
      return native(job, view);
  }
}

export const videoAtVendorPath = (job: VideoJob, view: View): Body =>
  view.quirks.vendorPathNative ? native(job, view) : videoQueried(job, view);

function flat(job: VideoJob, view: View): Body {
  const [url] = addressesOf(job, view);
  const { width, height, seconds, metadata } = job.details;
  return {
    id: job.id,
    task_id: job.id,
    object: 'video',
    model: job.model,
    status: specWord[job.state],
    progress: job.progress,
    created_at: secondsAt(job.createdAt),
    ...(job.finishedAt === undefined ? {} : { completed_at: secondsAt(job.finishedAt) }),
    ...(url ? { url, format: 'mp4' } : {}),
    metadata: { duration: seconds, fps: FRAMES_PER_SECOND, width, height, seed: job.seed, ...metadata },
    error: job.state === 'failed' ? { code: 500, message: job.reason ?? '' } : null,
    ...quotaOf(job, view),
  };
}

function short(job: VideoJob, view: View): Body {
  const status = job.state === 'running' ? 'processing' : specWord[job.state];
  return {
    error: job.state === 'failed' ? { code: 500, message: job.reason ?? '' } : null,
    format: 'mp4',
    metadata: Object.keys(job.details.metadata).length > 0 ? job.details.metadata : null,
    status,
    task_id: job.id,
    url: addressesOf(job, view)[0] ?? '',
    ...quotaOf(job, view),
  };
}

function wrapped(job: VideoJob, view: View, legacy: boolean): Body {
  const [url] = addressesOf(job, view);
  const reason = job.reason ?? '';
  return {
    code: 'success',
    message: '',
    data: {
      // The database's own number: never the task's id (wire facts, part 2).
      id: seedFrom('row', job.id) % 1_000_000,
      task_id: job.id,
      platform: '50',
      user_id: 1,
      group: 'default',
      channel_id: 7,
      ...quotaOf(job, view),
      action: job.kind === 'image2video' ? 'generate' : 'textGenerate',
      status: stockWord[job.state],
      // Old builds have the address here, new ones the reason in `result_url` (wire facts, 3.3).
      fail_reason: legacy ? (url ?? reason) : reason,
      ...(legacy ? {} : { result_url: url ?? reason }),
      submit_time: secondsAt(job.createdAt),
      start_time: secondsAt(job.startedAt),
      finish_time: secondsAt(job.finishedAt),
      created_at: secondsAt(job.createdAt),
      updated_at: secondsAt(job.finishedAt ?? job.startedAt ?? job.createdAt),
      progress: percent(job),
      properties: { input: job.prompt, upstream_model_name: job.model, origin_model_name: job.model },
      username: 'sandbox',
      data: vendorsOwn(job, url, view),
    },
  };
}

function vendorsOwn(job: VideoJob, url: string | undefined, view: View): Body {
  const { width, height, seconds, metadata } = job.details;
  return {
    id: job.id,
    status: view.quirks.innerContradiction ? 'processing' : specWord[job.state],
    model: job.model,
    metadata,
    width,
    height,
    duration: seconds,
    ...(url && !view.quirks.innerContradiction ? { content: { video_url: url } } : {}),
  };
}

const nativeWord = {
  'needs-input': 'submitted',
  queued: 'submitted',
  running: 'processing',
  succeeded: 'succeed',
  failed: 'failed',
};

/** `message` is SUCCEED on failed tasks too (wire facts, 3.5). */
function native(job: VideoJob, view: View): Body {
  const { seconds, metadata } = job.details;
  const videos = addressesOf(job, view).map((url) => ({ id: `${job.id}-1`, url, duration: String(seconds) }));
  return {
    code: 0,
    message: 'SUCCEED',
    request_id: `request-${job.id}`,
    data: {
      task_id: job.id,
      ...quotaOf(job, view),
      task_status: nativeWord[job.state],
      task_status_msg: job.reason ?? '',
      task_info: { metadata },
      created_at: job.createdAt,
      updated_at: job.finishedAt ?? job.startedAt ?? job.createdAt,
      task_result: job.state === 'succeeded' ? { videos } : {},
    },
  };
}

const secondEntryWord = { ...specWord, running: 'in_progress', succeeded: 'completed' };

/** `/v1/videos` (wire facts, 3.4): the specification shows nothing of it but its name, so only its states follow the profile. */
export function videoAtSecondEntry(job: VideoJob, view: View): Body {
  const [url] = view.quirks.contentOnly ? [] : addressesOf(job, view);
  const { width, height, seconds, metadata } = job.details;
  return {
    id: job.id,
    task_id: job.id,
    object: 'video',
    model: job.model,
    prompt: job.prompt,
    status: (view.profile === 'spec' ? specWord : secondEntryWord)[job.state],
    progress: job.progress,
    created_at: secondsAt(job.createdAt),
    completed_at: job.finishedAt === undefined ? null : secondsAt(job.finishedAt),
    seconds: String(seconds),
    size: `${width}x${height}`,
    remixed_from_video_id: null,
    metadata: { ...metadata, ...(url ? { url } : {}) },
    ...(url && view.profile === 'spec' ? { url } : {}),
    error: job.state === 'failed' ? { code: 'task_failed', message: job.reason ?? '' } : null,
    ...quotaOf(job, view),
  };
}
