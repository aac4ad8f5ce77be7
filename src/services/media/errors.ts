export const mediaErrorKinds = [
  'expired',
  'forbidden-address',
  'too-large',
  'not-media',
  'damaged',
  'unreachable',
  'timeout',
] as const;

export type MediaErrorKind = (typeof mediaErrorKinds)[number];

interface MediaErrorFacts {
  /** HTTP status, when there was an answer. */
  status?: number | undefined;
  /** What a system or undici calls it; `aborted` and `closed` for what was ended on purpose. */
  code?: string | undefined;
  cause?: unknown;
}

/**
 * The one error of this folder. Its message is fit to be shown: of an address it names the host alone, for the rest of it
 * may be signed, and never the key.
 */
export class MediaError extends Error {
  override readonly name = 'MediaError';
  readonly kind: MediaErrorKind;
  readonly status: number | undefined;
  readonly code: string | undefined;

  constructor(kind: MediaErrorKind, message: string, facts: MediaErrorFacts = {}) {
    super(message, facts.cause === undefined ? {} : { cause: facts.cause });
    this.kind = kind;
    this.status = facts.status;
    this.code = facts.code;
  }
}

export function tooLarge(most: number): MediaError {
  return new MediaError('too-large', `The file is larger than ${Math.floor(most / 2 ** 20)} MiB.`);
}

export function damaged(cause?: unknown): MediaError {
  return new MediaError('damaged', 'The file is damaged: it cannot be read to its end.', { cause });
}
