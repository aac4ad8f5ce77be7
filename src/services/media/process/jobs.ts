import type { ChartData } from '../chart.ts';
import type { MaskSide, MaskSize } from '../images/mask.ts';
import type { Provenance } from '../images/provenance.ts';

/**
 * A job for the media process. The bytes of the file are sent separately. `check` removes an image's metadata and decodes it completely,
 * `measure` reads its size and number of frames, and `likeness` computes its perceptual hash.
 */
export type Job =
  /** `provenance` is only set for results. */
  | { do: 'fit'; maxBytes: number; maxPixels: number; provenance?: Provenance | undefined }
  | { do: 'check'; maxPixels: number }
  | { do: 'measure'; maxPixels: number }
  | { do: 'likeness'; maxPixels: number }
  | { do: 'side-mask'; side: MaskSide; size: MaskSize; maxPixels: number }
  | { do: 'drawn-mask'; maxPixels: number }
  | { do: 'chart'; chart: ChartData }
  | { do: 'read-sound'; type: ReadableAudioType; maxSeconds: number }
  /** Further samples of one voice message. A process that does not have the samples before `from` cannot continue it. */
  | { do: 'write-voice'; voice: number; from: number; isLast: boolean }
  | { do: 'drop-voice'; voice: number };

export const readableAudioTypes = ['ogg', 'mp3', 'wav'] as const;
export type ReadableAudioType = (typeof readableAudioTypes)[number];

/** A class of jobs. A job only waits for others of its class. */
export interface JobClass {
  readonly maxConcurrent: number;
  /** The most bytes of files in the process at the same time; a larger file is processed alone. */
  readonly maxBytes: number;
  readonly maxWaiting: number;
  /** Whether these jobs decode nothing, so that no input can crash the process. They may run next to a job that is suspected of a crash. */
  readonly isTrusted: boolean;
  /** The time limit of a job, not including its waits for memory. */
  limitMs(job: Job): number;
}

const imageJobs: JobClass = {
  // Some of the jobs run while others wait for memory.
  maxConcurrent: 4,
  maxBytes: 32 * 2 ** 20,
  maxWaiting: Number.POSITIVE_INFINITY,
  isTrusted: false,
  // Large AVIF images are the slowest: about ten seconds for a hundred million pixels.
  limitMs: () => 60_000,
};

const chartJobs: JobClass = { ...imageJobs, maxConcurrent: 1, maxWaiting: 32, limitMs: () => 30_000 };

const audioJobs: JobClass = {
  ...imageJobs,
  maxWaiting: 32,
  // Before this limit, the process itself gives up on a slow file and continues with the others.
  limitMs: (job) => 60_000 + ('maxSeconds' in job ? job.maxSeconds * 200 : 0),
};

/** `VoiceQueue` decides the order of the voice messages. */
const voiceJobs: JobClass = { ...imageJobs, maxConcurrent: 2, isTrusted: true, limitMs: () => 60_000 };

export const jobClasses: Readonly<Record<Job['do'], JobClass>> = {
  fit: imageJobs,
  check: imageJobs,
  measure: imageJobs,
  likeness: imageJobs,
  'side-mask': imageJobs,
  'drawn-mask': imageJobs,
  chart: chartJobs,
  'read-sound': audioJobs,
  'write-voice': voiceJobs,
  'drop-voice': voiceJobs,
};

export interface JobInput {
  readonly bytes: Buffer<ArrayBuffer>;
  /** Waits for this much memory, unless the job is abandoned; the returned function releases it. */
  claim(bytes: number): Promise<() => void>;
}

/** `body` is missing if there is nothing to send or the file is unchanged. */
export interface JobOutput {
  readonly facts: object;
  readonly body?: Uint8Array;
}

const lossMessages = {
  memory: 'The job exceeded its memory limit.',
  time: 'The job exceeded its time limit.',
  died: 'The process ended during the job.',
  busy: 'Too many jobs are already waiting.',
  closed: 'The media process has been closed.',
};
export type LossReason = keyof typeof lossMessages;

/** The outcome of the job is unknown, and it is not retried. */
export class JobLost extends Error {
  override readonly name = 'JobLost';
  readonly reason: LossReason;

  constructor(reason: LossReason) {
    super(lossMessages[reason]);
    this.reason = reason;
  }
}
