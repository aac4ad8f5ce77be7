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
  /** The HTTP status, if there was a response. */
  status?: number | undefined;
  /** The error code from the system or from undici; `aborted` or `closed` for requests that were ended on purpose. */
  code?: string | undefined;
  cause?: unknown;
}

/** The message may be shown to members. It contains at most the host of a URL, because the rest may be a signature, and never the API key. */
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

export const fileTooLargeError = (max: number): MediaError =>
  new MediaError('too-large', `The file is larger than ${Math.floor(max / 2 ** 20)} MiB.`);
export const damagedFileError = (cause?: unknown): MediaError =>
  new MediaError('damaged', 'The file is damaged and cannot be read completely.', { cause });
