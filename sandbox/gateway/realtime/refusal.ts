import type { Body } from '../wire/view.ts';

interface Trouble {
  readonly code: string;
  /** The field that is objected to. */
  readonly param?: string | undefined;
  readonly type?: string;
}

/** An error event: what was asked for is not done, and the session goes on. */
export class EventRefusal extends Error {
  readonly trouble: Trouble;

  constructor(message: string, trouble: Trouble) {
    super(message);
    this.name = 'EventRefusal';
    this.trouble = trouble;
  }
}

/** `about` is the id that the client gave to the event that is refused. */
export function errorEvent(message: string, trouble: Trouble, about: string | null = null): Body {
  const { code, param = null, type = 'invalid_request_error' } = trouble;
  return { type: 'error', error: { type, code, message, param, event_id: about } };
}
