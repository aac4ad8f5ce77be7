import type { Readable } from './readable.ts';

/** What the worker is asked for. */
export type SoundJob =
  | { do: 'read'; type: Readable; bytes: Uint8Array<ArrayBuffer>; mostSeconds: number }
  | { do: 'write'; pcm: Int16Array<ArrayBuffer> };

/** Classes do not survive the way between threads: what was refused comes as its parts. */
export type SoundAnswer =
  | { bytes: Uint8Array<ArrayBuffer> | Int16Array<ArrayBuffer> }
  | { refused: { key: string; variables: Record<string, string | readonly string[]> } }
  | { failed: string };
