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

// From sysexits.h.
const EX_IOERR = 74;
const EX_TEMPFAIL = 75;
const EX_CONFIG = 78;

/** A restart only helps if another program is using the store for a moment, or if the store's server is unavailable. */
const EXIT_CODES: Readonly<Record<StoreErrorKind, number>> = {
  'in-use': EX_TEMPFAIL,
  locked: EX_TEMPFAIL,
  unreachable: EX_TEMPFAIL,
  lost: EX_TEMPFAIL,
  full: EX_IOERR,
  corrupt: EX_IOERR,
  failed: EX_IOERR,
  newer: EX_CONFIG,
  unsupported: EX_CONFIG,
  denied: EX_CONFIG,
};

/** A failure of the store. The message tells an operator in one or two sentences what to do. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly kind: StoreErrorKind;

  constructor(kind: StoreErrorKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }

  get exitCode(): number {
    return EXIT_CODES[this.kind];
  }
}
