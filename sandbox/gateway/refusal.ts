/** An error response; its format depends on the profile (`wire/errors.ts`). */
export interface RefusalDetail {
  readonly status: number;
  /** The error code (wire facts, part 8). */
  readonly code: string;
  readonly type?: string;
  /** The invalid field, if the error format contains it. */
  readonly param?: string;
  /** The numeric code of the image family (wire facts, 1.2), and the HTTP status sent with it. */
  readonly imgxCode?: number;
  readonly imgxStatus?: number;
  readonly properties?: Record<string, unknown>;
}

export class Refusal extends Error {
  readonly detail: RefusalDetail;

  constructor(message: string, detail: RefusalDetail) {
    super(message);
    this.name = 'Refusal';
    this.detail = detail;
  }
}

export const invalid = (message: string, code = 'invalid_request') => new Refusal(message, { status: 400, code });

export const unauthorized = () =>
  new Refusal('The API key is missing or not known here: send Authorization: Bearer <key>.', {
    status: 401,
    code: 'invalid_api_key',
    type: 'authentication_error',
  });

export const unknownRoute = (method: string, path: string) =>
  new Refusal(`Invalid URL (${method} ${path})`, { status: 404, code: '', type: 'invalid_request_error' });

export const unknownTask = (id: string) =>
  new Refusal(`There is no task ${truncated(id)} for this key.`, { status: 404, code: 'task_not_found' });

export const unknownModel = (id: string) =>
  new Refusal(`The model ${truncated(id)} does not exist or this key cannot reach it.`, {
    status: 404,
    code: 'model_not_found',
  });

/** Truncates text from a request before it is sent back. */
export const truncated = (text: string) => (text.length > 80 ? `${text.slice(0, 80)}…` : text);
