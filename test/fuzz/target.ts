import type fc from 'fast-check';

/** One reader of outside input, and what holds of it. Every input is bytes: text is what they are in UTF-8. */
export interface Target {
  readonly name: string;
  readonly reads: 'bytes' | 'text';
  /** Real inputs to begin with: files of the tests, or what the embedded sides send. */
  seeds(): Promise<readonly Input[]> | readonly Input[];
  /** Inputs built from the grammar of what is read. */
  readonly structured: fc.Arbitrary<Input>;
  /** Pieces that mutations put in. */
  readonly words: readonly string[];
  /** Reads the input. A broken promise of the reader is thrown as a `BrokenPromise`. */
  run(input: Buffer): unknown;
  /** Failures that the reader declares. Any other is a finding. */
  isExpected(error: unknown): boolean;
  /** What grows with `times`, in ways that are hard on a reader. */
  readonly growing: Readonly<Record<string, (times: number) => Input>>;
  /** CPU time that an input of no size may take, for readers that decode or call a library. */
  readonly fixedMs?: number;
  readonly msPerKb?: number;
  /** Larger inputs are not made. */
  readonly maxBytes?: number;
}

export type Input = Buffer | string;

/** A reader returned something, and it is wrong. */
export class BrokenPromise extends Error {
  override readonly name = 'BrokenPromise';
}

export const DEFAULT_FIXED_MS = 25;
export const DEFAULT_MS_PER_KB = 2;
export const DEFAULT_MOST_BYTES = 64 * 1024;

export const bytesOf = (input: Input): Buffer => (typeof input === 'string' ? Buffer.from(input) : input);
