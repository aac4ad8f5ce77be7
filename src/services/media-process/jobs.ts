import type { MaskSide, MaskSize } from '../media/pictures/mask.ts';
import type { Readable } from '../sound/readable.ts';
import type { BarPicture } from '../usage/chart.ts';

/** What the media process does. The bytes of a file go beside it. */
export type Job =
  /** Makes an image small enough for an upload. */
  | { do: 'fit'; mostBytes: number; mostPixels: number }
  /** Checks and cleans a member's image. */
  | { do: 'check'; mostPixels: number }
  | { do: 'measure'; mostPixels: number }
  | { do: 'side-mask'; side: MaskSide; size: MaskSize; mostPixels: number }
  | { do: 'drawn-mask'; mostPixels: number }
  | { do: 'chart'; chart: BarPicture }
  | { do: 'read-sound'; type: Readable; mostSeconds: number }
  /** More of one voice. A process that did not hear the samples before `from` cannot go on with it. */
  | { do: 'write-voice'; voice: number; from: number; isLast: boolean }
  | { do: 'drop-voice'; voice: number };

/** A file given by its path is private, and stays where it is until the job has ended. */
export type FileInput =
  | { readonly bytes: Uint8Array; readonly path?: undefined }
  | { readonly path: string; readonly size: number; readonly bytes?: undefined };

/** To the media process. */
export type Order =
  | { readonly id: number; readonly job: Job; readonly path?: string; readonly into?: string }
  | { readonly id: number; readonly cancelled: true };

/** Classes do not survive the way between processes: an error comes as its parts. */
export type Failure =
  | { readonly kind: 'refusal'; readonly key: string; readonly variables: Record<string, string | readonly string[]> }
  | { readonly kind: 'media'; readonly error: string; readonly message: string }
  | { readonly kind: 'bug'; readonly message: string };

/** From the media process. While a job waits for memory its time does not run. */
export type Report =
  | { readonly id: number; readonly facts: object }
  | { readonly id: number; readonly failure: Failure }
  | { readonly id: number; readonly now: 'waiting' | 'working' }
  | { readonly residentBytes: number };
