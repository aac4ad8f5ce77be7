import type { GatewayError } from '../errors.ts';
import type { TextRequest } from './request.ts';

/** What the specification's order of verification (4.6) adds last, and a model may not take. */
type RefusablePart = 'tools' | 'reasoning';

/** Refusals of a request as it stands whose code says that they are about something else than its parts. */
const ABOUT_SOMETHING_ELSE = new Set([
  'bad_input',
  'bad_request_body',
  'redirected',
  'sensitive_words_detected',
  'prompt_blocked',
  'invalid_prompt',
  'content_policy_violation',
  'moderation_blocked',
  'request_body_too_large',
  'context_length_exceeded',
]);

/** Another size of the same request would be needed, not another shape (413), or another kind of it (415). */
const ABOUT_THE_BODY = new Set([413, 415]);

/**
 * Which of the parts that were sent a refusal may be about: the caller asks once more without them, as long as nothing came before it.
 * Where the gateway names the field, that one; where it names none, all that were sent. Empty where the refusal is not definite or is known
 * to be about something else.
 */
export function refusedParts(error: GatewayError, request: TextRequest): RefusablePart[] {
  if (error.mayHaveTakenEffect || (error.kind !== 'invalid' && error.kind !== 'not-offered')) return [];
  if (ABOUT_SOMETHING_ELSE.has(error.code ?? '') || ABOUT_THE_BODY.has(error.status ?? 0)) return [];
  const sent: RefusablePart[] = [
    ...(request.tools === undefined ? [] : (['tools'] as const)),
    ...(request.effort === undefined ? [] : (['reasoning'] as const)),
  ];
  // `tools[0].type`, `tool_choice`, `reasoning.effort`
  const field = error.param === undefined ? undefined : /^[a-z]+/i.exec(error.param)?.[0];
  if (field === undefined) return sent;
  return sent.filter((part) => part === field || (part === 'tools' && field === 'tool'));
}
