import type { Profile } from '../quirks.ts';
import type { Refusal } from '../refusal.ts';

/** In `stock`, each family has its own error format (wire facts, part 8); in `spec`, all share one (specification, part 7). */
export type ErrorFamily = 'general' | 'imgx' | 'task';

export interface ErrorResponse {
  readonly status: number;
  readonly body: unknown;
}

export function errorBody(refusal: Refusal, profile: Profile, family: ErrorFamily): ErrorResponse {
  const { status, code } = refusal.detail;
  if (profile === 'spec') {
    return { status, body: { error: { message: refusal.message, type: typeOf(refusal), code } } };
  }
  // The key is checked before the family's handler, so these errors have the general format.
  if (family === 'general' || status === 401 || code === 'model_not_found' || code === 'access_denied') {
    return { status, body: generalError(refusal) };
  }
  return family === 'imgx' ? imgxError(refusal) : taskError(refusal);
}

const generalError = (refusal: Refusal) => ({
  error: {
    message: `${refusal.message} (request id: 20260101000000000000000sandbox)`,
    type:
      refusal.detail.status < 500 && refusal.detail.code === 'invalid_request'
        ? 'invalid_request_error'
        : 'new_api_error',
    param: refusal.detail.param ?? '',
    code: refusal.detail.code,
  },
});

/** In real gateways, `description` is two parts joined by a space, and the second is often empty. */
function imgxError(refusal: Refusal): ErrorResponse {
  const { status, code, imgxCode = 4, imgxStatus, properties } = refusal.detail;
  const description = imgxCode === 4 ? `${errorWord(refusal)} ` : refusal.message;
  return {
    status: imgxStatus ?? (status === 404 ? 400 : status),
    // Refusals of the engine itself have the format of a submit response.
    body: imgxStatus
      ? { code: imgxCode, description, result: '', properties: properties ?? {} }
      : { description, type: code === 'task_not_found' ? 'midjourney_error' : 'upstream_error', code: imgxCode },
  };
}

const errorWord = ({ message, detail: { code } }: Refusal) =>
  code === 'invalid_request' || code === 'unknown_action' ? message : code;

function taskError(refusal: Refusal): ErrorResponse {
  const { status, code } = refusal.detail;
  if (code === 'task_not_found') {
    return { status: 400, body: { code: 'task_not_exist', message: 'task_not_exist', data: null } };
  }
  const word = code.endsWith('_is_required') ? 'invalid_request' : code;
  return { status, body: { code: word, message: refusal.message, data: null } };
}

function typeOf(refusal: Refusal): string {
  const { status, type } = refusal.detail;
  if (type) return type;
  if (status === 429) return 'rate_limit_error';
  return status < 500 ? 'invalid_request_error' : 'server_error';
}
