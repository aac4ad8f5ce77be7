import type { GatewayError } from '../errors.ts';
import type { TextRequest } from './request.ts';

/** What the specification's order of verification (4.6) adds last, and a model may not take. */
export type RefusablePart = 'tools' | 'reasoning';

/**
 * Which of the parts that were sent a refusal may be about: the caller asks once more without them.
 * Empty where it was no definite refusal, or is known to be about something else.
 */
export function refusedParts(_error: GatewayError, _request: TextRequest): RefusablePart[] {
  return [];
}
