import type { MaskSide, MaskSize } from '../media/images/mask.ts';
import type { Provenance } from '../media/images/provenance.ts';
import type { ChartData } from '../usage/chart.ts';

/** A file's bytes are sent beside its job. */
export type Job =
  /** `provenance`: of a result. */
  | { do: 'fit'; maxBytes: number; maxPixels: number; provenance?: Provenance | undefined }
  | { do: 'check'; maxPixels: number }
  | { do: 'measure'; maxPixels: number }
  | { do: 'likeness'; maxPixels: number }
  | { do: 'side-mask'; side: MaskSide; size: MaskSize; maxPixels: number }
  | { do: 'drawn-mask'; maxPixels: number }
  | { do: 'chart'; chart: ChartData }
  | { do: 'read-sound'; type: ReadableAudioType; maxSeconds: number }
  /** More of one voice. A process without the samples before `from` cannot continue it. */
  | { do: 'write-voice'; voice: number; from: number; isLast: boolean }
  | { do: 'drop-voice'; voice: number };

export const readableAudioTypes = ['ogg', 'mp3', 'wav'] as const;
export type ReadableAudioType = (typeof readableAudioTypes)[number];

/** Jobs of one sort, which wait only for each other. */
export interface JobClass {
  readonly maxAtOnce: number;
  /** Bytes of files in the process at the same time; a larger file is there alone. */
  readonly maxBytes: number;
  readonly maxWaiting: number;
  /** Uses no input from outside, so it never makes the process die. */
  readonly isTrusted: boolean;
  /** Limits the time of a job, without its waits for memory. */
  limitMs(job: Job): number;
}

const image: JobClass = {
  // Some work while the others wait for their memory.
  maxAtOnce: 4,
  maxBytes: 32 * 2 ** 20,
  maxWaiting: Number.POSITIVE_INFINITY,
  isTrusted: false,
  // The slowest are large AVIFs: some ten seconds for a hundred million pixels.
  limitMs: () => 60_000,
};

const chart: JobClass = { ...image, maxAtOnce: 1, maxWaiting: 32, limitMs: () => 30_000 };

const sound: JobClass = {
  ...image,
  maxWaiting: 32,
  // The process gives up a slow file before this limit, and keeps the rest.
  limitMs: (job) => 60_000 + ('maxSeconds' in job ? job.maxSeconds * 200 : 0),
};

/** The order of voices is decided by `VoiceQueue`. */
const voice: JobClass = { ...image, maxAtOnce: 2, isTrusted: true, limitMs: () => 60_000 };

export const jobClasses: Readonly<Record<Job['do'], JobClass>> = {
  fit: image,
  check: image,
  measure: image,
  likeness: image,
  'side-mask': image,
  'drawn-mask': image,
  chart,
  'read-sound': sound,
  'write-voice': voice,
  'drop-voice': voice,
};

export interface JobInput {
  readonly bytes: Buffer<ArrayBuffer>;
  /** Waits for this much memory, unless the job is abandoned; the returned function gives it back. */
  claim(bytes: number): Promise<() => void>;
}

/** `body` is missing if there is nothing to send, or the file is unchanged. */
export interface JobOutput {
  readonly facts: object;
  readonly body?: Uint8Array;
}

const sentences = {
  memory: 'The job took more memory than it may.',
  time: 'The job took more time than it may.',
  died: 'The job was the end of its process.',
  busy: 'Too many jobs are waiting already.',
  closed: 'The media process has been closed.',
};
export type LossReason = keyof typeof sentences;

/** The outcome of the job is unknown, and it is not retried. */
export class JobLost extends Error {
  override readonly name = 'JobLost';
  readonly reason: LossReason;

  constructor(reason: LossReason) {
    super(sentences[reason]);
    this.reason = reason;
  }
}
