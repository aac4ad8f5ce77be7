import type { Readable } from './readable.ts';

/** What the worker is asked for. */
export type SoundJob =
  | { do: 'read'; type: Readable; bytes: Uint8Array<ArrayBuffer>; mostSeconds: number }
  | { do: 'write'; pcm: Int16Array<ArrayBuffer> };

/** Samples of what was read, or the file of what was written and how it is drawn. */
export interface SoundResult {
  bytes: ArrayBuffer;
  waveform?: string;
}

/** Classes do not survive the way between threads: what was refused comes as its parts. */
export type SoundAnswer =
  | SoundResult
  | { refused: { key: string; variables: Record<string, string | readonly string[]> } }
  | { failed: string };
