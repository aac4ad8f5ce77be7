import type fc from 'fast-check';

/** One reader of external input with its invariants. Every input is a sequence of bytes; text is encoded in UTF-8. */
export interface Target {
  readonly name: string;
  readonly inputType: 'bytes' | 'text';
  /** Real inputs to start from: files from the tests, or what the embedded servers send. */
  seeds(): Promise<readonly Input[]> | readonly Input[];
  /** Generates inputs from the grammar of the format. */
  readonly structured: fc.Arbitrary<Input>;
  /** Pieces that mutations insert. */
  readonly words: readonly string[];
  /** Reads the input. Throws a `BrokenInvariant` if an invariant is violated. */
  run(input: Buffer): unknown;
  /** Whether the reader is expected to throw this error for invalid input. Any other error is a finding. */
  isExpected(error: unknown): boolean;
  /** Inputs that grow with `times` in ways that are hard for a reader. */
  readonly growing: Readonly<Record<string, (times: number) => Input>>;
  /** CPU time that an input of any size may take, for readers that decode or call a library. */
  readonly fixedMs?: number;
  readonly msPerKb?: number;
  /** The maximum size of generated inputs. */
  readonly maxBytes?: number;
}

export type Input = Buffer | string;

/** A reader returned a wrong value. */
export class BrokenInvariant extends Error {
  override readonly name = 'BrokenInvariant';
}

export const DEFAULT_FIXED_MS = 25;
export const DEFAULT_MS_PER_KB = 2;
export const DEFAULT_MAX_BYTES = 64 * 1024;

export const bytesOf = (input: Input): Buffer => (typeof input === 'string' ? Buffer.from(input) : input);

/** The error with which a reader should not have ended. */
export async function failureOf({ run, isExpected }: Target, input: Buffer): Promise<unknown> {
  try {
    await run(input);
  } catch (error) {
    if (!isExpected(error)) return error;
  }
  return undefined;
}
