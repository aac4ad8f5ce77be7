import { parseExact } from '../../../../src/lib/exact-json.ts';
import { type ErrorResponse, toGatewayError } from '../../../../src/services/gateway/error-responses.ts';
import type { GatewayError, GatewayErrorKind } from '../../../../src/services/gateway/errors.ts';

export const KEY = 'sk-live-0123456789abcdef';

export const IMGX_CODES: ReadonlyMap<string, GatewayErrorKind> = new Map([
  ['3', 'not-found'],
  ['4', 'invalid'],
  ['5', 'unavailable'],
  ['9', 'invalid'],
  ['23', 'rate-limited'],
  ['24', 'invalid'],
  ['30', 'rate-limited'],
]);

/** The error that the client makes from a status and the text of its body. */
export function errorFor(status: number, text: string, facts: Partial<ErrorResponse> = {}): GatewayError {
  const body = tryParse(text);
  return toGatewayError({
    status,
    body,
    ...(body === undefined ? { text } : {}),
    isSubmit: false,
    notFoundKind: 'not-found',
    secrets: [KEY],
    ...facts,
  });
}

function tryParse(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}
