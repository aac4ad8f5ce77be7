import type { CallbackFault } from './callback-fault.ts';
import type { Amount } from './decimal.ts';
import type { ImageDetails, ImgxDetails, MusicDetails, VideoDetails } from './job-details.ts';

type Family = 'image' | 'imgx' | 'video' | 'music';

/** Each kind has its own median duration (`durations.ts`). */
export const jobKinds = [
  'image',
  'imagine',
  'describe',
  'shorten',
  'blend',
  'upload',
  'upscale',
  'vary',
  'reroll',
  'zoom',
  'pan',
  'inpaint',
  'edits',
  'imgx-video',
  'video',
  'image2video',
  'music',
  'lyrics',
] as const;
export type JobKind = (typeof jobKinds)[number];

/** The four states in the specification (part 3), and the state of a task that waits for its modal. */
export type JobState = 'needs-input' | 'queued' | 'running' | 'succeeded' | 'failed';

export const isOver = (state: JobState) => state === 'succeeded' || state === 'failed';

/** The effects of injected faults on one job (`faults.ts`). */
export interface JobFaultEffects {
  readonly sticks?: boolean;
  readonly failsWith?: string;
  readonly takesTimes?: number;
  readonly losesFiles?: boolean;
  readonly paddedTo?: number;
  readonly withoutMedia?: boolean;
  readonly pretends?: 'html' | 'executable';
  readonly withoutButtons?: boolean;
  readonly callbacks?: CallbackFault;
}

type Details = ImageDetails | ImgxDetails | VideoDetails | MusicDetails;

export interface Job {
  readonly id: string;
  readonly family: Family;
  readonly kind: JobKind;
  /** The secret API key, so a job must never be displayed as a whole. */
  readonly key: string;
  readonly model: string;
  readonly prompt: string;
  readonly seed: number;
  readonly state: JobState;
  /** 0 to 100. */
  readonly progress: number;
  readonly reason?: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  /** In the gateway's own time (`pace.ts`). */
  readonly acceptedAt: number;
  readonly charge: Amount;
  /** Set if the job was charged after its creation, because it waited for its modal. */
  readonly chargedAt?: number;
  readonly details: Details;
  readonly orders: JobFaultEffects;
  readonly expired: boolean;
}

export type NewJob = Pick<Job, 'family' | 'kind' | 'key' | 'model' | 'prompt' | 'seed' | 'charge' | 'details'> & {
  readonly id: string;
  readonly state?: JobState;
};
