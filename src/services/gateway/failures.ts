import { neverConnected } from '../../lib/never-connected.ts';
import { GatewayError, type GatewayErrorFacts, malformed } from './errors.ts';

/**
 * Said before the first byte of a request is written: undici's refusal before dispatch, its limit for connecting, and a certificate that Node
 * refuses in the handshake (https://nodejs.org/api/tls.html#x509-certificate-error-codes).
 */
const BEFORE_REQUEST: ReadonlySet<string> = new Set([
  'UND_ERR_INVALID_ARG',
  'UND_ERR_CLOSED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'CERT_CHAIN_TOO_LONG',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'CRL_HAS_EXPIRED',
  'CRL_NOT_YET_VALID',
  'CRL_SIGNATURE_FAILURE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERROR_IN_CERT_NOT_AFTER_FIELD',
  'ERROR_IN_CERT_NOT_BEFORE_FIELD',
  'ERROR_IN_CRL_LAST_UPDATE_FIELD',
  'ERROR_IN_CRL_NEXT_UPDATE_FIELD',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
  'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
  'UNABLE_TO_DECRYPT_CRL_SIGNATURE',
  'UNABLE_TO_GET_CRL',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

const TELLING = new Map([
  ['ECONNREFUSED', 'refused the connection'],
  ['ENOTFOUND', 'was not found: its name leads nowhere'],
  ['EAI_AGAIN', 'was not found: its name could not be looked up'],
  ['UND_ERR_CONNECT_TIMEOUT', 'could not be reached in time'],
  ['UND_ERR_HEADERS_TIMEOUT', 'did not answer in time'],
  ['UND_ERR_BODY_TIMEOUT', 'stopped in the middle of its answer'],
  ['ECONNRESET', 'cut the connection'],
  ['UND_ERR_SOCKET', 'cut the connection'],
  ['UND_ERR_CLOSED', 'is no longer asked: the client was closed'],
  ['UND_ERR_DESTROYED', 'is no longer asked: the client was closed'],
]);

/** A request that brought no whole answer: why, and whether it may have been carried out all the same. */
export function unreachable(cause: unknown, host: string, isSubmit: boolean, signal?: AbortSignal): GatewayError {
  if (signal?.aborted) {
    return new GatewayError('The request was taken back before the gateway answered.', {
      kind: 'unreachable',
      code: 'aborted',
      mayHaveTakenEffect: isSubmit,
      cause,
    });
  }
  const code = codeOf(cause);
  return new GatewayError(`The gateway at ${host} ${TELLING.get(code) ?? 'could not be spoken to'}.`, {
    kind: 'unreachable',
    code,
    mayHaveTakenEffect: isSubmit && !wasNeverSent(cause),
    cause,
  });
}

/** Whether nothing of the request can have left this machine. */
function wasNeverSent(cause: unknown): boolean {
  if (cause instanceof AggregateError) return cause.errors.length > 0 && cause.errors.every(wasNeverSent);
  if (!(cause instanceof Error)) return false;
  return neverConnected(cause) || BEFORE_REQUEST.has(codeOf(cause));
}

function codeOf(cause: unknown): string {
  // Several addresses tried and all refused arrive as one AggregateError.
  const first = cause instanceof AggregateError ? cause.errors[0] : cause;
  const code = first instanceof Error && 'code' in first ? first.code : undefined;
  return typeof code === 'string' ? code : 'unknown';
}

export function tooLarge(most: number, facts: Omit<GatewayErrorFacts, 'kind'>): GatewayError {
  return malformed(`The gateway's answer is larger than ${Math.floor(most / 2 ** 20)} MiB.`, {
    ...facts,
    code: 'too_large',
  });
}

/** Never what came: a gateway may echo the order, and a prompt belongs into no log. */
export function notJson(
  text: string,
  type: string | string[] | undefined,
  facts: Omit<GatewayErrorFacts, 'kind'>,
): GatewayError {
  if (text.trim() === '') return malformed('The gateway answered with nothing at all.', facts);
  const named = [type].flat()[0]?.split(';')[0]?.trim().slice(0, 40) || 'no type';
  return malformed(`The gateway answered with something other than JSON (${named}, ${text.length} characters).`, facts);
}
