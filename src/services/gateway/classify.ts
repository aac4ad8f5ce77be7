import type { GatewayErrorKind } from './errors.ts';

/**
 * Codes, types and one-word descriptions that name a kind by themselves, whatever the HTTP status.
 * Gateways disagree on statuses (a quota refusal is 403, 402 or 400; a missing model 404, 503 or even 200), rarely on these words.
 */
const KIND_OF_WORD = new Map<string, GatewayErrorKind>(
  Object.entries({
    unauthorized: ['invalid_api_key', 'invalid_token', 'token_expired', 'authentication_error', 'unauthorized'],
    forbidden: ['access_denied', 'permission_error', 'permission_denied', 'forbidden'],
    quota: [
      'insufficient_user_quota',
      'insufficient_quota',
      'pre_consume_token_quota_failed',
      'quota_not_enough',
      'quota_exceeded',
      'billing_hard_limit_reached',
    ],
    'not-found': [
      'model_not_found',
      'task_not_exist',
      'task_not_found',
      'task_no_found',
      'not_found',
      'not_found_error',
      'openai_image_job_not_found',
      'midjourney_task_not_found',
    ],
    invalid: [
      'invalid_request',
      'bad_request_body',
      'sensitive_words_detected',
      'prompt_blocked',
      'content_policy_violation',
      'moderation_blocked',
      'convert_request_failed',
      'request_body_too_large',
      'idempotency_key_required',
      'invalid_prompt',
      'invalid_value',
      'unsupported_parameter',
      'unsupported_value',
      'unknown_parameter',
      'context_length_exceeded',
    ],
    'rate-limited': ['rate_limit_exceeded', 'rate_limit_error', 'too_many_requests'],
    unavailable: [
      'do_request_failed',
      'bad_response',
      'bad_response_body',
      'bad_response_status_code',
      'empty_response',
      'empty_response_body',
      'get_channel_failed',
      'get_channel_info_failed',
      'fail_to_fetch_task',
      'get_task_failed',
      'server_error',
      'upstream_error',
      'internal_error',
      'upstream_timeout',
      'channel:no_available_key',
      'channel:response_time_exceeded',
    ],
    'not-offered': ['api_not_implemented', 'not_implemented', 'invalid_url', 'unknown_action'],
  } satisfies Partial<Record<GatewayErrorKind, string[]>>).flatMap(([kind, words]) =>
    words.map((word) => [word, kind as GatewayErrorKind] as const),
  ),
);

/** What is known of an answer that reports an error. */
export interface Symptoms {
  status: number;
  /** The code as the answer gave it, which may be a number. */
  sentCode: string | undefined;
  /** The code with which the message begins, where it does. */
  spokenCode: string | undefined;
  type: string | undefined;
  /** Numeric codes that one endpoint family gives a meaning to. */
  familyCodes?: ReadonlyMap<string, GatewayErrorKind> | undefined;
  /** What a 404 without a telling code means at this address: the thing is missing, or the whole endpoint is. */
  missing: 'not-found' | 'not-offered';
}

/** Codes speak before the status, the status before `type`, which is often only the name of the software. */
export function kindOf({ status, sentCode, spokenCode, type, familyCodes, missing }: Symptoms): GatewayErrorKind {
  return (
    KIND_OF_WORD.get(word(sentCode)) ??
    KIND_OF_WORD.get(word(spokenCode)) ??
    // A number says less than a 5xx: whoever answers that may have begun the work.
    (status < 500 ? familyCodes?.get(word(sentCode)) : undefined) ??
    kindOfStatus(status, missing) ??
    // Inside a 200, a code of three digits is the status that should have been sent.
    kindOfStatus(Number(sentCode), missing) ??
    KIND_OF_WORD.get(word(type)) ??
    'invalid'
  );
}

/** Whether one of its words says so by itself. */
export function isNamed(kind: GatewayErrorKind, { sentCode, spokenCode, type }: Symptoms): boolean {
  return [sentCode, spokenCode, type].some((text) => KIND_OF_WORD.get(word(text)) === kind);
}

function word(text: string | undefined): string {
  return text?.trim().toLowerCase() ?? '';
}

function kindOfStatus(status: number, missing: GatewayErrorKind): GatewayErrorKind | undefined {
  switch (status) {
    case 401:
      return 'unauthorized';
    case 402:
      return 'quota';
    case 403:
      return 'forbidden';
    case 404:
    case 410:
      return missing;
    case 405:
    case 501:
      return 'not-offered';
    case 408:
      return 'unavailable';
    case 429:
      return 'rate-limited';
  }
  if (status >= 500 && status < 600) return 'unavailable';
  return status >= 300 && status < 500 ? 'invalid' : undefined;
}

/** Words of a definite refusal: the work was not begun, even when they come with a 5xx. */
const REFUSED_BEFORE_WORK: ReadonlySet<GatewayErrorKind> = new Set([
  'unauthorized',
  'forbidden',
  'quota',
  'not-found',
  'invalid',
  'rate-limited',
  'not-offered',
]);

/** Whether a submit that was answered like this may have been carried out all the same. */
export function mayHaveWorked(kind: GatewayErrorKind): boolean {
  return !REFUSED_BEFORE_WORK.has(kind);
}
