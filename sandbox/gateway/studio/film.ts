import { type Reference, referencesOf } from './reference.ts';
import type { Scene } from './scene.ts';
import { even, type Size } from './size.ts';
import type { Workshop } from './workshop.ts';

export interface Film extends Size {
  bytes: Buffer;
  mime: 'video/mp4';
  seconds: number;
}

export interface FilmOptions extends Size {
  seconds: number;
  references?: readonly Buffer[];
}

export interface FilmJob extends Size {
  readonly scene: Scene;
  readonly seconds: number;
  readonly framesPerSecond: number;
  readonly references: readonly Reference[];
}

const LONGEST = 60;
/** H.264 at the level every browser decodes. */
const LONGEST_SIDE = 4096;
/** Slow moves look smooth at this rate, and half the frames are half the wait. */
const FRAMES_PER_SECOND = 12;

export async function shoot(workshop: Workshop, scene: Scene, options: FilmOptions): Promise<Film> {
  const frames = Math.max(
    1,
    Math.round(Math.min(LONGEST, options.seconds > 0 ? options.seconds : 1) * FRAMES_PER_SECOND),
  );
  const job: FilmJob = {
    scene,
    width: Math.min(LONGEST_SIDE, even(options.width)),
    height: Math.min(LONGEST_SIDE, even(options.height)),
    seconds: frames / FRAMES_PER_SECOND,
    framesPerSecond: FRAMES_PER_SECOND,
    references: await referencesOf(options.references),
  };
  const { bytes } = (await workshop.run(job)) as { bytes: Uint8Array<ArrayBuffer> };
  return {
    bytes: Buffer.from(bytes.buffer),
    mime: 'video/mp4',
    width: job.width,
    height: job.height,
    seconds: job.seconds,
  };
}
