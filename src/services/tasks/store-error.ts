/**
 * full: no space left; locked: another program keeps the database locked; in-use: another Atelier is using it; newer: written by a
 * later version; corrupt: not readable as a database; unsupported: not an Atelier database; unreachable: its server does not respond;
 * denied: its server rejects the login; lost: another bot may own it now; failed: anything else.
 */
export type StoreErrorKind =
  | 'full'
  | 'locked'
  | 'in-use'
  | 'newer'
  | 'corrupt'
  | 'unsupported'
  | 'unreachable'
  | 'denied'
  | 'lost'
  | 'failed';

/** A failure of the store. The message tells an operator in one or two sentences what to do. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly kind: StoreErrorKind;

  constructor(kind: StoreErrorKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}
