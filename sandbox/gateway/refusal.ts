/** An answer that says no. What it looks like on the wire is the profile's business (`wire/errors.ts`). */
export interface RefusalDetail {
  readonly status: number;
  /** One word, as in part 8 of the wire facts. */
  readonly code: string;
  readonly type?: string;
  /** The field that is objected to, where the envelope has a place for it. */
  readonly param?: string;
  /** The number the image family puts in its body (wire facts, 1.2), and the status it travels with. */
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
  new Refusal(`There is no task ${shown(id)} for this key.`, { status: 404, code: 'task_not_found' });

export const unknownModel = (id: string) =>
  new Refusal(`The model ${shown(id)} does not exist or this key cannot reach it.`, {
    status: 404,
    code: 'model_not_found',
  });

/** A hostile client's own text goes back to it only in small pieces. */
export const shown = (text: string) => (text.length > 80 ? `${text.slice(0, 80)}…` : text);
