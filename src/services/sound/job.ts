import type { Readable } from './readable.ts';

/** A file, to be read as plain samples. */
export interface ReadJob {
  type: Readable;
  bytes: Uint8Array<ArrayBuffer>;
  mostSeconds: number;
}

/** More of one voice, or nothing more of it, for nobody wants it. */
export type WriteJob =
  | {
      do: 'go on';
      voice: number;
      /** How many of its samples came before: a worker that did not hear those cannot go on. */
      from: number;
      pcm: Int16Array<ArrayBuffer>;
      isLast: boolean;
    }
  | { do: 'drop'; voice: number };

/** The whole file with the last of it, and how it is drawn. */
export interface WriteResult {
  bytes?: ArrayBuffer;
  waveform?: string;
}

/** Classes do not survive the way between threads: what was refused comes as its parts. */
export type JobAnswer<Result> =
  | { done: Result }
  | { refused: { key: string; variables: Record<string, string | readonly string[]> } }
  | { failed: string };
