import type { TypeOptions } from 'i18next';
import { connectionErrorCode, hasNeverConnected } from '../../lib/never-connected.ts';
import { splitWords } from './places.ts';

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

/** Why a request failed or was refused: the gateway's words, or the name of a sentence of the bot's own and its variables. */
export type FailureReason = string | { name: string; variables: Record<string, number> };

type OwnReasonName = keyof TypeOptions['resources']['translation']['reasons'];

export const ownReason = (name: OwnReasonName, variables: Record<string, number> = {}): FailureReason => ({
  name,
  variables,
});

type ErrorDetails = Partial<Omit<GatewayError, 'kind' | 'message'>>;

/** The only error that the gateway client throws. Its message is safe to show: no HTML, no secrets, no stack. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly kind: GatewayErrorKind;
  /** What a member reads. The message itself is in English, unless it is the gateway's. */
  readonly reason: FailureReason;
  readonly status: number | undefined;
  /** The gateway's own code, always as text. */
  readonly code: string | undefined;
  readonly type: string | undefined;
  /** The request field that the gateway rejects, if it names one. */
  readonly param: string | undefined;
  readonly retryAfterMs: number | undefined;
  /** Whether the kind was determined from the gateway's own code; otherwise it comes from the status, which any proxy may have sent. */
  readonly hasKnownCode: boolean;
  /** Whether the gateway's code says that this model does not support the request, although another one may. */
  readonly refusesModel: boolean;
  /** Whether the failed request may still have been carried out. Such a submit is never resent automatically. */
  readonly mayHaveTakenEffect: boolean;

  constructor(message: string, details: ErrorDetails & { kind: GatewayErrorKind }) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.kind = details.kind;
    this.reason = details.reason ?? message;
    this.status = details.status;
    this.code = details.code;
    this.type = details.type;
    this.param = details.param;
    this.retryAfterMs = details.retryAfterMs;
    this.hasKnownCode = details.hasKnownCode ?? false;
    this.refusesModel = details.refusesModel ?? false;
    this.mayHaveTakenEffect = details.mayHaveTakenEffect ?? false;
  }
}

export const withTakenEffect = (error: GatewayError, mayHaveTakenEffect: boolean): GatewayError =>
  new GatewayError(error.message, { ...error, mayHaveTakenEffect, cause: error.cause });

/** The response arrived but cannot be understood. */
export const malformedError = (message: string, details: ErrorDetails = {}): GatewayError =>
  new GatewayError(message, { reason: ownReason('unreadable'), ...details, kind: 'malformed' });

/**
 * Errors raised before the first byte is sent: undici refused to dispatch the request, its connect limit was reached, or a
 * certificate was refused in the handshake (https://nodejs.org/api/tls.html#x509-certificate-error-codes).
 */
const NEVER_SENT_CODES: ReadonlySet<string> = new Set(
  splitWords(`UND_ERR_INVALID_ARG UND_ERR_CLOSED
    ERR_TLS_CERT_ALTNAME_INVALID CERT_CHAIN_TOO_LONG CERT_HAS_EXPIRED CERT_NOT_YET_VALID CERT_REJECTED CERT_REVOKED
    CERT_SIGNATURE_FAILURE CERT_UNTRUSTED CRL_HAS_EXPIRED CRL_NOT_YET_VALID CRL_SIGNATURE_FAILURE
    DEPTH_ZERO_SELF_SIGNED_CERT ERROR_IN_CERT_NOT_AFTER_FIELD ERROR_IN_CERT_NOT_BEFORE_FIELD
    ERROR_IN_CRL_LAST_UPDATE_FIELD ERROR_IN_CRL_NEXT_UPDATE_FIELD HOSTNAME_MISMATCH INVALID_CA INVALID_PURPOSE
    PATH_LENGTH_EXCEEDED SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY
    UNABLE_TO_DECRYPT_CERT_SIGNATURE UNABLE_TO_DECRYPT_CRL_SIGNATURE UNABLE_TO_GET_CRL UNABLE_TO_GET_ISSUER_CERT
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY UNABLE_TO_VERIFY_LEAF_SIGNATURE`),
);

const REASON_BY_CODE = new Map<string, OwnReasonName>([
  ['ECONNREFUSED', 'refused'],
  ['ENOTFOUND', 'unknownHost'],
  ['EAI_AGAIN', 'unresolvedHost'],
  ['UND_ERR_CONNECT_TIMEOUT', 'late'],
  ['UND_ERR_HEADERS_TIMEOUT', 'silent'],
  ['UND_ERR_BODY_TIMEOUT', 'broken'],
  ['ECONNRESET', 'dropped'],
  ['UND_ERR_SOCKET', 'dropped'],
  ['UND_ERR_CLOSED', 'closed'],
  ['UND_ERR_DESTROYED', 'closed'],
]);

/** The error for a request without a complete response: the reason, and whether the request may have been carried out. */
export function unreachableError(cause: unknown, isSubmit: boolean, signal?: AbortSignal): GatewayError {
  const isAborted = signal?.aborted === true;
  const code = isAborted ? 'aborted' : connectionErrorCode(cause);
  return new GatewayError(`There is no response from the gateway (${code || 'unknown'}).`, {
    kind: 'unreachable',
    reason: ownReason(isAborted ? 'canceled' : (REASON_BY_CODE.get(code) ?? 'unreachable')),
    code,
    cause,
    mayHaveTakenEffect: isSubmit && (isAborted || !wasNeverSent(cause)),
  });
}

/** Whether the request certainly never left this machine. */
function wasNeverSent(cause: unknown): boolean {
  if (cause instanceof AggregateError) return cause.errors.length > 0 && cause.errors.every(wasNeverSent);
  if (!(cause instanceof Error)) return false;
  return hasNeverConnected(cause) || NEVER_SENT_CODES.has(connectionErrorCode(cause));
}

export const TOO_LARGE = 'too_large';

export function responseTooLargeError(max: number, details: ErrorDetails): GatewayError {
  const megabytes = Math.floor(max / 2 ** 20);
  const reason = ownReason('tooLarge', { megabytes });
  return malformedError(`The gateway's response is larger than ${megabytes} MiB.`, {
    ...details,
    reason,
    code: TOO_LARGE,
  });
}

/** Never quotes the body: a gateway may echo the request, and prompts do not belong in logs. */
export function notJsonError(text: string, type: string | string[] | undefined, details: ErrorDetails): GatewayError {
  if (text.trim() === '') return malformedError('The response from the gateway is empty.', details);
  const mediaType = [type].flat()[0]?.split(';')[0]?.trim().slice(0, 40) || 'no type';
  const isPage = /^\s*<(?:!doctype\s+)?html\b/i.test(text);
  return malformedError(`The response from the gateway is not JSON (${mediaType}, ${text.length} characters).`, {
    ...details,
    code: isPage ? WEB_PAGE : undefined,
  });
}

const WEB_PAGE = 'web_page';

/** Whether the path may not exist. Some gateways serve their home page with status 200 for unknown paths. */
export const mayBeUnknownPath = ({ kind, code }: GatewayError): boolean => kind === 'not-offered' || code === WEB_PAGE;

const MAX_MESSAGE_LENGTH = 500;
const REDACTED = '[hidden]';

/** Keys and tokens quoted in messages by gateways that repeat what they were sent, but not placeholders such as `<key>`. */
const SECRET_PATTERNS = [
  /\bsk-[A-Za-z0-9_*.-]{3,}/g,
  /\bBearer\s+(?!<[a-z _-]{1,30}>|(?:token|auth|authentication|authorization|scheme)\b)["']?[^\s"',;]+/gi,
];

/** Elements whose content is never readable text, and comments. */
const NON_PROSE = /<!--[\s\S]*?(?:-->|$)|<(script|style|svg|head)\b[\s\S]*?(?:<\/\1\s*>|$)/gi;
/** Real HTML names only: a gateway may write "<width>x<height>". */
const TAG =
  /<\/?(?:!doctype|html|head|body|title|meta|link|center|h[1-6]|p|div|section|br|hr|span|a|b|i|u|em|strong|small|pre|code|font|ul|ol|li|table|thead|tbody|tr|td|th|img|svg|script|style)\b[^<>]*>?/gi;
/** Longer pages are truncated before they are cleaned. */
const MAX_PAGE_LENGTH = 20_000;

/** Makes a gateway's text safe to show: no markup, no secrets, one line, bounded length. */
export function cleanMessage(text: string, secrets: readonly string[]): string {
  // Secrets are removed first, because a truncated one would no longer be recognized.
  let clean = text;
  for (const secret of secrets) if (secret !== '') clean = clean.replaceAll(secret, REDACTED);
  clean = clean.slice(0, MAX_PAGE_LENGTH);
  // The title is the best description of a page.
  clean = titleOf(clean) || clean.replace(NON_PROSE, ' ').replace(TAG, ' ');
  for (const pattern of SECRET_PATTERNS) clean = clean.replace(pattern, REDACTED);
  // Control characters would break a log line or a terminal.
  clean = clean.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  if (clean.length <= MAX_MESSAGE_LENGTH) return clean;
  // Does not split a surrogate pair.
  return `${clean
    .slice(0, MAX_MESSAGE_LENGTH - 1)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd()}…`;
}

function titleOf(text: string): string {
  const start = text.search(/<title\b/i);
  if (start < 0) return '';
  const title = text.slice(text.indexOf('>', start) + 1);
  return title.slice(0, Math.max(0, title.indexOf('<'))).trim();
}

/** Longer delays are left to the caller, who can schedule the retry. */
const MAX_WAIT_MS = 5_000;
const FIRST_WAIT_MS = 250;
const RETRYABLE_KINDS: ReadonlySet<GatewayErrorKind> = new Set([
  'rate-limited',
  'unavailable',
  'unreachable',
  'malformed',
]);

/** The delay before a read is retried, or undefined for no retry. `attempt` counts from 1. */
export function waitBeforeRetry(error: GatewayError, attempt: number, random: () => number): number | undefined {
  // A response that was too large will be too large again.
  if (!RETRYABLE_KINDS.has(error.kind) || error.code === TOO_LARGE) return undefined;
  // Full jitter, so that clients that failed at the same time do not retry at the same time.
  const backoff = random() * Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
  const wait = Math.max(error.retryAfterMs ?? 0, backoff);
  return wait <= MAX_WAIT_MS ? wait : undefined;
}

export function parseRetryAfter(header: string | string[] | undefined, now: number): number | undefined {
  const text = [header].flat()[0]?.trim();
  if (!text) return undefined;
  if (/^\d{1,9}(?:\.\d+)?$/.test(text)) return Number(text) * 1000;
  // Date.parse accepts nearly anything that contains a number; a real HTTP date ends in GMT.
  const date = text.endsWith('GMT') ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
