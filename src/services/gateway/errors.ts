/** What went wrong, in the words a caller branches on. */
export type GatewayErrorKind =
  | 'unauthorized'
  | 'forbidden'
  | 'quota'
  | 'not-found'
  | 'invalid'
  | 'rate-limited'
  | 'unavailable'
  | 'not-offered'
  | 'malformed'
  | 'unreachable';

export interface GatewayErrorFacts {
  kind: GatewayErrorKind;
  /** HTTP status, when there was an answer. */
  status?: number | undefined;
  /** The gateway's own code, always as text. */
  code?: string | undefined;
  /** The gateway's own type of error. */
  type?: string | undefined;
  /** The field of the request that the gateway objects to, where it names one. */
  param?: string | undefined;
  retryAfterMs?: number | undefined;
  /**
   * Whether a code of the gateway's own names the kind. Without one it is read from the status, which a proxy sends as well, or a gateway that
   * starts just then.
   */
  isNamed?: boolean | undefined;
  /**
   * Whether the request may have been carried out although it failed: true for a submit that timed out, was reset or got a 5xx.
   * A submit with this set is never sent again by itself.
   */
  mayHaveTakenEffect?: boolean | undefined;
  cause?: unknown;
}

/** The one error of this folder. Its message is fit to be shown to a person: no HTML, no secret, no stack. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly kind: GatewayErrorKind;
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly type: string | undefined;
  readonly param: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly isNamed: boolean;
  readonly mayHaveTakenEffect: boolean;

  constructor(message: string, facts: GatewayErrorFacts) {
    super(message, facts.cause === undefined ? {} : { cause: facts.cause });
    this.kind = facts.kind;
    this.status = facts.status;
    this.code = facts.code;
    this.type = facts.type;
    this.param = facts.param;
    this.retryAfterMs = facts.retryAfterMs;
    this.isNamed = facts.isNamed ?? false;
    this.mayHaveTakenEffect = facts.mayHaveTakenEffect ?? false;
  }
}

/** The answer arrived but says nothing that can be understood. */
export function malformed(message: string, facts: Omit<GatewayErrorFacts, 'kind'> = {}): GatewayError {
  return new GatewayError(message, { ...facts, kind: 'malformed' });
}
