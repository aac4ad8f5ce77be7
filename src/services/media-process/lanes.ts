import type { Job } from './jobs.ts';

const MIB = 2 ** 20;

/** Jobs of one sort, which wait for each other and for no others. */
export interface Lane {
  /** In the process at the same time. */
  readonly mostAtOnce: number;
  /** Of files that are in the process at the same time; a larger one is there alone. */
  readonly mostBytes: number;
  readonly mostWaiting: number;
  /** Works on nothing from outside, so it is never the reason for the end of the process. */
  readonly isTrusted: boolean;
  /** How long one may work without a pause for memory. */
  limitMs(job: Job): number;
}

const image: Lane = {
  // Some work while the others wait for their memory.
  mostAtOnce: 4,
  mostBytes: 32 * MIB,
  mostWaiting: Number.POSITIVE_INFINITY,
  isTrusted: false,
  // The slowest are large AVIFs: some ten seconds for a hundred million pixels.
  limitMs: () => 60_000,
};

const chart: Lane = { ...image, mostAtOnce: 1, mostWaiting: 32, limitMs: () => 30_000 };

const sound: Lane = {
  ...image,
  mostWaiting: 32,
  // The process gives up a slow file by itself before this, and keeps the rest.
  limitMs: (job) => 60_000 + ('mostSeconds' in job ? job.mostSeconds * 200 : 0),
};

/** The turns of voices are taken by those who write them. */
const voice: Lane = { ...image, mostAtOnce: 2, isTrusted: true, limitMs: () => 60_000 };

export const lanes = { image, chart, sound, voice } as const;

export function laneOf(job: Job): keyof typeof lanes {
  switch (job.do) {
    case 'fit':
    case 'check':
    case 'measure':
    case 'side-mask':
    case 'drawn-mask':
      return 'image';
    case 'chart':
      return 'chart';
    case 'read-sound':
      return 'sound';
    case 'write-voice':
    case 'drop-voice':
      return 'voice';
  }
}
