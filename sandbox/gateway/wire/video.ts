import type { Job } from '../job.ts';
import type { VideoDetails } from '../job-details.ts';
import { seedFrom } from '../random.ts';
import {
  type Body,
  percentText,
  quotaOf,
  resultUrls,
  SPEC_STATUS,
  STOCK_STATUS,
  toUnixSeconds,
  type View,
} from './view.ts';

export type VideoJob = Job & { readonly details: VideoDetails };
export const isVideo = (job: Job): job is VideoJob => job.details.family === 'video';

/** The frame rate of the sandbox's videos (`studio`). */
const FRAMES_PER_SECOND = 12;

/** The response of a submit; every new job is queued. */
export const videoSubmitBody = (job: VideoJob, view: View): Body => ({
  id: job.id,
  task_id: job.id,
  object: 'video',
  model: job.model,
  status: 'queued',
  progress: 0,
  created_at: toUnixSeconds(job.createdAt),
  ...(view.profile === 'spec' ? { metadata: job.details.metadata } : {}),
});

/** The five response formats of a video query. */
export function videoTask(job: VideoJob, view: View): Body {
  switch (view.quirks.videoShape) {
    case 'flat':
      return flatBody(job, view);
    case 'wrapped':
      return wrappedBody(job, view, false);
    case 'legacy':
      return wrappedBody(job, view, true);
    case 'short':
      return { code: 'success', message: '', data: shortBody(job, view) };
    case 'native':
      return nativeBody(job, view);
  }
}

export const vendorPathTask = (job: VideoJob, view: View): Body =>
  view.quirks.vendorPathNative ? nativeBody(job, view) : videoTask(job, view);

function flatBody(job: VideoJob, view: View): Body {
  const [url] = resultUrls(job, view);
  const { width, height, seconds, metadata } = job.details;
  return {
    id: job.id,
    task_id: job.id,
    object: 'video',
    model: job.model,
    status: SPEC_STATUS[job.state],
    progress: job.progress,
    created_at: toUnixSeconds(job.createdAt),
    ...(job.finishedAt === undefined ? {} : { completed_at: toUnixSeconds(job.finishedAt) }),
    ...(url ? { url, format: 'mp4' } : {}),
    metadata: { duration: seconds, fps: FRAMES_PER_SECOND, width, height, seed: job.seed, ...metadata },
    error: job.state === 'failed' ? { code: 500, message: job.reason ?? '' } : null,
    ...quotaOf(job, view),
  };
}

function shortBody(job: VideoJob, view: View): Body {
  const status = job.state === 'running' ? 'processing' : SPEC_STATUS[job.state];
  return {
    error: job.state === 'failed' ? { code: 500, message: job.reason ?? '' } : null,
    format: 'mp4',
    metadata: Object.keys(job.details.metadata).length > 0 ? job.details.metadata : null,
    status,
    task_id: job.id,
    url: resultUrls(job, view)[0] ?? '',
    ...quotaOf(job, view),
  };
}

function wrappedBody(job: VideoJob, view: View, isLegacy: boolean): Body {
  const [url] = resultUrls(job, view);
  const reason = job.reason ?? '';
  return {
    code: 'success',
    message: '',
    data: {
      // The id of the database row, not of the task.
      id: seedFrom('row', job.id) % 1_000_000,
      task_id: job.id,
      platform: '50',
      user_id: 1,
      group: 'default',
      channel_id: 7,
      ...quotaOf(job, view),
      action: job.kind === 'image2video' ? 'generate' : 'textGenerate',
      status: STOCK_STATUS[job.state],
      // Old versions return the URL in `fail_reason`; new ones return the reason in `result_url`.
      fail_reason: isLegacy ? (url ?? reason) : reason,
      ...(isLegacy ? {} : { result_url: url ?? reason }),
      submit_time: toUnixSeconds(job.createdAt),
      start_time: toUnixSeconds(job.startedAt),
      finish_time: toUnixSeconds(job.finishedAt),
      created_at: toUnixSeconds(job.createdAt),
      updated_at: toUnixSeconds(job.finishedAt ?? job.startedAt ?? job.createdAt),
      progress: percentText(job),
      properties: { input: job.prompt, upstream_model_name: job.model, origin_model_name: job.model },
      username: 'sandbox',
      data: vendorTask(job, url, view),
    },
  };
}

function vendorTask(job: VideoJob, url: string | undefined, view: View): Body {
  const { width, height, seconds, metadata } = job.details;
  return {
    id: job.id,
    status: view.quirks.innerContradiction ? 'processing' : SPEC_STATUS[job.state],
    model: job.model,
    metadata,
    width,
    height,
    duration: seconds,
    ...(url && !view.quirks.innerContradiction ? { content: { video_url: url } } : {}),
  };
}

const NATIVE_STATUS = {
  'needs-input': 'submitted',
  queued: 'submitted',
  running: 'processing',
  succeeded: 'succeed',
  failed: 'failed',
};

/** `message` is SUCCEED even for failed tasks. */
function nativeBody(job: VideoJob, view: View): Body {
  const { seconds, metadata } = job.details;
  const videos = resultUrls(job, view).map((url) => ({ id: `${job.id}-1`, url, duration: String(seconds) }));
  return {
    code: 0,
    message: 'SUCCEED',
    request_id: `request-${job.id}`,
    data: {
      task_id: job.id,
      ...quotaOf(job, view),
      task_status: NATIVE_STATUS[job.state],
      task_status_msg: job.reason ?? '',
      task_info: { metadata },
      created_at: job.createdAt,
      updated_at: job.finishedAt ?? job.startedAt ?? job.createdAt,
      task_result: job.state === 'succeeded' ? { videos } : {},
    },
  };
}

const VIDEOS_ENDPOINT_STATUS = { ...SPEC_STATUS, running: 'in_progress', succeeded: 'completed' };

/** `/v1/videos`. The specification does not show its format, so only the status depends on the profile. */
export function videosEndpointTask(job: VideoJob, view: View): Body {
  const [url] = view.quirks.contentOnly ? [] : resultUrls(job, view);
  const { width, height, seconds, metadata } = job.details;
  return {
    id: job.id,
    task_id: job.id,
    object: 'video',
    model: job.model,
    prompt: job.prompt,
    status: (view.profile === 'spec' ? SPEC_STATUS : VIDEOS_ENDPOINT_STATUS)[job.state],
    progress: job.progress,
    created_at: toUnixSeconds(job.createdAt),
    completed_at: job.finishedAt === undefined ? null : toUnixSeconds(job.finishedAt),
    seconds: String(seconds),
    size: `${width}x${height}`,
    remixed_from_video_id: null,
    metadata: { ...metadata, ...(url ? { url } : {}) },
    ...(url && view.profile === 'spec' ? { url } : {}),
    error: job.state === 'failed' ? { code: 'task_failed', message: job.reason ?? '' } : null,
    ...quotaOf(job, view),
  };
}
