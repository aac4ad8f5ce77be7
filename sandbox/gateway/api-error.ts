/** An error response; its format depends on the profile (`wire/errors.ts`). */
export interface ApiErrorDetail {
  readonly status: number;
  /** The error code. */
  readonly code: string;
  readonly type?: string;
  /** The invalid field, if the error format contains it. */
  readonly param?: string;
  /** The numeric error code of the imgx endpoints, and the HTTP status sent with it. */
  readonly imgxCode?: number;
  readonly imgxStatus?: number;
  readonly properties?: Record<string, unknown>;
}

export class ApiError extends Error {
  readonly detail: ApiErrorDetail;

  constructor(message: string, detail: ApiErrorDetail) {
    super(message);
    this.name = 'ApiError';
    this.detail = detail;
  }
}

export const invalid = (message: string, code = 'invalid_request') => new ApiError(message, { status: 400, code });

export const unauthorized = () =>
  new ApiError('The API key is missing or unknown: send Authorization: Bearer <key>.', {
    status: 401,
    code: 'invalid_api_key',
    type: 'authentication_error',
  });

export const unknownRoute = (method: string, path: string) =>
  new ApiError(`Invalid URL (${method} ${path})`, { status: 404, code: '', type: 'invalid_request_error' });

export const unknownTask = (id: string) =>
  new ApiError(`There is no task ${truncated(id)} for this key.`, { status: 404, code: 'task_not_found' });

export const unknownModel = (id: string) =>
  new ApiError(`The model ${truncated(id)} does not exist, or this key may not use it.`, {
    status: 404,
    code: 'model_not_found',
  });

/** Truncates text from a request before it is sent back. */
export const truncated = (text: string) => (text.length > 80 ? `${text.slice(0, 80)}…` : text);
