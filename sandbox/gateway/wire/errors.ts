import type { ApiError } from '../api-error.ts';
import type { Profile } from '../quirks.ts';

/** In `stock`, each family has its own error format; in `spec`, all share one (specification, part 7). */
export type ErrorFamily = 'general' | 'imgx' | 'task';

export interface ErrorResponse {
  readonly status: number;
  readonly body: unknown;
}

export function errorBody(error: ApiError, profile: Profile, family: ErrorFamily): ErrorResponse {
  const { status, code } = error.detail;
  if (profile === 'spec') {
    return { status, body: { error: { message: error.message, type: typeOf(error), code } } };
  }
  // The key is checked before the family's handler, so these errors have the general format.
  if (family === 'general' || status === 401 || code === 'model_not_found' || code === 'access_denied') {
    return { status, body: generalError(error) };
  }
  return family === 'imgx' ? imgxError(error) : taskError(error);
}

const generalError = (error: ApiError) => ({
  error: {
    message: `${error.message} (request id: 20260101000000000000000sandbox)`,
    type:
      error.detail.status < 500 && error.detail.code === 'invalid_request' ? 'invalid_request_error' : 'new_api_error',
    param: error.detail.param ?? '',
    code: error.detail.code,
  },
});

/** In real gateways, `description` is two parts joined by a space, and the second is often empty. */
function imgxError(error: ApiError): ErrorResponse {
  const { status, code, imgxCode = 4, imgxStatus, properties } = error.detail;
  const description = imgxCode === 4 ? `${descriptionOf(error)} ` : error.message;
  return {
    status: imgxStatus ?? (status === 404 ? 400 : status),
    // Refusals from the engine itself have the format of a submit response.
    body: imgxStatus
      ? { code: imgxCode, description, result: '', properties: properties ?? {} }
      : { description, type: code === 'task_not_found' ? 'midjourney_error' : 'upstream_error', code: imgxCode },
  };
}

const descriptionOf = ({ message, detail: { code } }: ApiError) =>
  code === 'invalid_request' || code === 'unknown_action' ? message : code;

function taskError(error: ApiError): ErrorResponse {
  const { status, code } = error.detail;
  if (code === 'task_not_found') {
    return { status: 400, body: { code: 'task_not_exist', message: 'task_not_exist', data: null } };
  }
  const taskCode = code.endsWith('_is_required') ? 'invalid_request' : code;
  return { status, body: { code: taskCode, message: error.message, data: null } };
}

function typeOf(error: ApiError): string {
  const { status, type } = error.detail;
  if (type) return type;
  if (status === 429) return 'rate_limit_error';
  return status < 500 ? 'invalid_request_error' : 'server_error';
}
