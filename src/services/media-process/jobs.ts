import type { MaskSide, MaskSize } from '../media/pictures/mask.ts';
import type { BarPicture } from '../usage/chart.ts';

/** A file's bytes are sent beside its job. */
export type Job =
  | { do: 'fit'; mostBytes: number; mostPixels: number }
  | { do: 'check'; mostPixels: number }
  | { do: 'measure'; mostPixels: number }
  | { do: 'side-mask'; side: MaskSide; size: MaskSize; mostPixels: number }
  | { do: 'drawn-mask'; mostPixels: number }
  | { do: 'chart'; chart: BarPicture }
  | { do: 'read-sound'; type: Readable; mostSeconds: number }
  /** More of one voice. A process without the samples before `from` cannot continue it. */
  | { do: 'write-voice'; voice: number; from: number; isLast: boolean }
  | { do: 'drop-voice'; voice: number };

export const readable = ['ogg', 'mp3', 'wav'] as const;
export type Readable = (typeof readable)[number];

/** Jobs of one sort, which wait for each other and for no others. */
export interface Lane {
  readonly mostAtOnce: number;
  /** Bytes of files in the process at the same time; a larger file is there alone. */
  readonly mostBytes: number;
  readonly mostWaiting: number;
  /** Uses nothing from outside, so it never makes the process die. */
  readonly isTrusted: boolean;
  /** Limits the time of a job, without its waits for memory. */
  limitMs(job: Job): number;
}

const image: Lane = {
  // Some work while the others wait for their memory.
  mostAtOnce: 4,
  mostBytes: 32 * 2 ** 20,
  mostWaiting: Number.POSITIVE_INFINITY,
  isTrusted: false,
  // The slowest are large AVIFs: some ten seconds for a hundred million pixels.
  limitMs: () => 60_000,
};

const chart: Lane = { ...image, mostAtOnce: 1, mostWaiting: 32, limitMs: () => 30_000 };

const sound: Lane = {
  ...image,
  mostWaiting: 32,
  // The process gives up a slow file before this limit, and keeps the rest.
  limitMs: (job) => 60_000 + ('mostSeconds' in job ? job.mostSeconds * 200 : 0),
};

/** The order of voices is decided by `Writings`. */
const voice: Lane = { ...image, mostAtOnce: 2, isTrusted: true, limitMs: () => 60_000 };

export const lanes: Readonly<Record<Job['do'], Lane>> = {
  fit: image,
  check: image,
  measure: image,
  'side-mask': image,
  'drawn-mask': image,
  chart,
  'read-sound': sound,
  'write-voice': voice,
  'drop-voice': voice,
};

export interface Work {
  readonly bytes: Buffer<ArrayBuffer>;
  /** Waits for this much memory, unless the job is abandoned; the returned function gives it back. */
  claim(bytes: number): Promise<() => void>;
}

/** `body` is missing where there is nothing to send, or the file is unchanged. */
export interface Done {
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

/** The outcome of the job is unknown, and it will not be tried again. */
export class JobLost extends Error {
  override readonly name = 'JobLost';
  readonly reason: LossReason;

  constructor(reason: LossReason) {
    super(sentences[reason]);
    this.reason = reason;
  }
}
