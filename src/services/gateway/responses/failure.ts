import { isRecord } from '../../../lib/exact-json.ts';
import { GatewayError } from '../errors.ts';
import { asNumber, asText } from '../read/values.ts';

/** A word that says by itself that the request was at fault. */
const AT_FAULT = 'invalid_request_error';

/**
 * The status that an error inside of an answer would have had. Without one nobody knows whether the work was done,
 * and that is what a 500 says.
 */
export function statusOf(error: Record<string, unknown>): number {
  const said = asNumber(error.status) ?? asNumber(error.status_code) ?? asNumber(error.code);
  if (said !== undefined && said >= 400 && said < 600) return said;
  return asText(error.type) === AT_FAULT ? 400 : 500;
}

/** What an event says of an error, wherever it says it: nested, flat, or as mere words. */
export function errorOf(body: Record<string, unknown>): Record<string, unknown> {
  const inner = isRecord(body.response) ? body.response.error : undefined;
  const error = body.error ?? inner;
  if (isRecord(error)) return error;
  if (asText(error) !== undefined) return { message: error };
  const { message, code, param } = body;
  return { message, code, param };
}

/** A failure that was told after the answer had begun; once something came, it cannot be undone by asking again. */
export function toldLater(error: GatewayError, hasOutput: boolean): GatewayError {
  const { kind, code, type, param, retryAfterMs } = error;
  return new GatewayError(error.message, {
    ...{ kind, code, type, param, retryAfterMs },
    mayHaveTakenEffect: hasOutput || error.mayHaveTakenEffect,
  });
}
