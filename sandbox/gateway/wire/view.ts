import { amountNumber, rawNumber, times, ZERO } from '../decimal.ts';
import type { Job, JobState } from '../job.ts';
import type { Profile, Quirks } from '../quirks.ts';

/** Data that the response builders need in addition to the job. */
export interface View {
  readonly profile: Profile;
  readonly quirks: Quirks;
  urlOf(job: Job, name: string): string;
  previewUrl(job: Job): string;
}

export type Body = Record<string, unknown>;

/** The status names in the specification (part 3), and one for a task that waits for its modal. */
export const SPEC_STATUS: Record<JobState, string> = {
  'needs-input': 'modal',
  queued: 'queued',
  running: 'running',
  succeeded: 'succeeded',
  failed: 'failed',
};

/** Stock gateways can also return `NOT_START`, for a task without a status yet. */
export const STOCK_STATUS: Record<JobState, string> = {
  'needs-input': 'MODAL',
  queued: 'SUBMITTED',
  running: 'IN_PROGRESS',
  succeeded: 'SUCCESS',
  failed: 'FAILURE',
};

export const percentText = (job: Job) => `${job.progress}%`;
export const toUnixSeconds = (ms: number | undefined) => (ms === undefined ? 0 : Math.floor(ms / 1000));

export const idOf = (id: string, view: View) => (view.quirks.numericIds && /^[1-9]\d*$/.test(id) ? rawNumber(id) : id);

/** Stock gateways count costs in quota. */
export const QUOTA_PER_DOLLAR = 500_000;

/** The exact charge for the job, as in the usage; a failed job is refunded. */
export const quotaOf = (job: Job, view: View): Body =>
  view.quirks.tellsQuota
    ? { quota: amountNumber(job.state === 'failed' ? ZERO : times(job.charge, QUOTA_PER_DOLLAR)) }
    : {};

/** Whether the job is finished and its response contains the results. */
export const showsMedia = (job: Job, view: View) =>
  job.state === 'succeeded' && !job.orders.withoutMedia && !view.quirks.successWithoutAddress;

/** The URLs of all results of a finished job. */
export const resultUrls = (job: Job, view: View): readonly string[] =>
  showsMedia(job, view) ? job.details.results.map(({ name }) => view.urlOf(job, name)) : [];
