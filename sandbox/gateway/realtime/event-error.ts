import type { Body } from '../wire/view.ts';

interface ErrorDetail {
  readonly code: string;
  /** The invalid field. */
  readonly param?: string | undefined;
  readonly type?: string;
}

/** An error for the client; the session continues. */
export class EventError extends Error {
  readonly detail: ErrorDetail;

  constructor(message: string, detail: ErrorDetail) {
    super(message);
    this.name = 'EventError';
    this.detail = detail;
  }
}

/** `eventId` is the client's own id for the rejected event. */
export function errorEvent(message: string, detail: ErrorDetail, eventId: string | null = null): Body {
  const { code, param = null, type = 'invalid_request_error' } = detail;
  return { type: 'error', error: { type, code, message, param, event_id: eventId } };
}
