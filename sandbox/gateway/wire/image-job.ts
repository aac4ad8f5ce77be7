import type { Job } from '../job.ts';
import { type Body, quotaOf, SPEC_STATUS, toUnixSeconds, type View } from './view.ts';

/** `url` or `b64_json`, one per image. */
export type ImageItem = { readonly url: string } | { readonly b64_json: string };

const STOCK_JOB_STATUS = { ...SPEC_STATUS, running: 'in_progress', succeeded: 'completed' };

/** In `spec`, only the specified fields (part 2 and 4.5); in `stock`, the fields that common gateways return. */
export function imageJob(job: Job, items: readonly ImageItem[], view: View): Body {
  const data = job.state === 'succeeded' ? { data: items } : {};
  const error = job.state === 'failed' ? { error: { message: job.reason ?? '' } } : {};
  const quota = quotaOf(job, view);
  if (view.profile === 'spec') return { id: job.id, status: SPEC_STATUS[job.state], ...data, ...error, ...quota };
  const [first] = items;
  return {
    id: job.id,
    task_id: job.id,
    object: 'image_generation.job',
    model: job.model,
    status: STOCK_JOB_STATUS[job.state],
    progress: job.progress,
    created_at: toUnixSeconds(job.createdAt),
    completed_at: toUnixSeconds(job.finishedAt),
    ...(first && 'url' in first ? { result_url: first.url } : {}),
    ...data,
    ...quota,
    ...(job.state === 'failed' ? { error: { message: job.reason ?? '', code: 'task_failed' } } : {}),
  };
}
