import type { Body } from '../wire/view.ts';

interface ErrorDetail {
  readonly code: string;
  /** The field that is objected to. */
  readonly param?: string | undefined;
  readonly type?: string;
}

/** An error for the client; the session continues. */
export class EventRefusal extends Error {
  readonly detail: ErrorDetail;

  constructor(message: string, detail: ErrorDetail) {
    super(message);
    this.name = 'EventRefusal';
    this.detail = detail;
  }
}

/** `eventId` is the id that the client gave to the event that is refused. */
export function errorEvent(message: string, detail: ErrorDetail, eventId: string | null = null): Body {
  const { code, param = null, type = 'invalid_request_error' } = detail;
  return { type: 'error', error: { type, code, message, param, event_id: eventId } };
}
