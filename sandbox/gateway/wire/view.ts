import { amountNumber, NOTHING, rawNumber, times } from '../decimal.ts';
import type { Job, JobState } from '../job.ts';
import type { Profile, Quirks } from '../quirks.ts';

/** What shaping an answer needs to know besides the job. */
export interface View {
  readonly profile: Profile;
  readonly quirks: Quirks;
  addressOf(job: Job, name: string): string;
  previewOf(job: Job): string;
}

export type Body = Record<string, unknown>;

/** The specification's words (part 3), and the wire's own for a task that waits for words. */
export const specWord: Record<JobState, string> = {
  'needs-input': 'modal',
  queued: 'queued',
  running: 'running',
  succeeded: 'succeeded',
  failed: 'failed',
};

/** `NOT_START` is what a stock gateway says before anything is known of a task (wire facts, 1.3 and part 2). */
export const stockWord: Record<JobState, string> = {
  'needs-input': 'MODAL',
  queued: 'SUBMITTED',
  running: 'IN_PROGRESS',
  succeeded: 'SUCCESS',
  failed: 'FAILURE',
};

export const percent = (job: Job) => `${job.progress}%`;
export const secondsAt = (ms: number | undefined) => (ms === undefined ? 0 : Math.floor(ms / 1000));

export const idOf = (id: string, view: View) => (view.quirks.numericIds && /^[1-9]\d*$/.test(id) ? rawNumber(id) : id);

/** Stock gateways count in quota. */
export const QUOTA_PER_DOLLAR = 500_000;

/** What the job is charged, to the last digit as the usage has it; a failed one gets it back. */
export const quotaOf = (job: Job, view: View): Body =>
  view.quirks.tellsQuota
    ? { quota: amountNumber(job.state === 'failed' ? NOTHING : times(job.charge, QUOTA_PER_DOLLAR)) }
    : {};

/** Whether a finished job names what it made. */
export const showsMedia = (job: Job, view: View) =>
  job.state === 'succeeded' && !job.orders.withoutMedia && !view.quirks.successWithoutAddress;

/** The addresses of everything a finished job made. */
export const addressesOf = (job: Job, view: View): readonly string[] =>
  showsMedia(job, view) ? job.details.results.map(({ name }) => view.addressOf(job, name)) : [];
