import { keysOf } from '../../lib/entries.ts';
import { isRecord } from '../../lib/exact-json.ts';
import { cleanMessage, GatewayError, type GatewayErrorKind, ownReason } from './errors.ts';
import { asNumber, asText, firstAt, places, splitWords } from './places.ts';
import { SUCCESS_CODES } from './read/search/error-evidence.ts';
import { hasId, hasState } from './record.ts';

/** Gateways disagree on statuses (an exceeded quota is 403, 402 or 400), but rarely on these codes, types and messages. */
const CODES = {
  unauthorized: 'invalid_api_key invalid_token token_expired authentication_error unauthorized',
  forbidden: 'access_denied permission_error permission_denied forbidden',
  quota: `insufficient_user_quota insufficient_quota pre_consume_token_quota_failed quota_not_enough quota_exceeded
    billing_hard_limit_reached`,
  'not-found': `model_not_found model_not_exist task_not_exist task_not_found task_no_found not_found not_found_error
    openai_image_job_not_found midjourney_task_not_found`,
  invalid: `invalid_request bad_request_body sensitive_words_detected prompt_blocked content_policy_violation
    moderation_blocked convert_request_failed request_body_too_large idempotency_key_required invalid_prompt
    invalid_value unsupported_parameter unsupported_value unknown_parameter context_length_exceeded
    invalid_model unsupported_model model_not_supported model_not_available`,
  'rate-limited': 'rate_limit_exceeded rate_limit_error too_many_requests',
  unavailable: `do_request_failed bad_response bad_response_body bad_response_status_code empty_response
    empty_response_body get_channel_failed get_channel_info_failed fail_to_fetch_task get_task_failed server_error
    upstream_error internal_error upstream_timeout channel:no_available_key channel:response_time_exceeded`,
  'not-offered': 'api_not_implemented not_implemented invalid_url unknown_action',
} as const satisfies Partial<Record<GatewayErrorKind, string>>;

const KIND_OF_CODE: ReadonlyMap<string, GatewayErrorKind> = new Map(
  keysOf(CODES).flatMap((kind) => splitWords(CODES[kind]).map((code) => [code, kind] as const)),
);

const MODEL_CODES: ReadonlySet<string> = new Set(
  splitWords('model_not_found model_not_exist invalid_model unsupported_model model_not_supported model_not_available'),
);

/** Whether a code means that the model cannot do what was requested. */
export const isModelCode = (code: string | undefined): boolean => MODEL_CODES.has(normalize(code));

/** Further codes for content that a model refuses to generate. They say nothing about other requests. */
const CONTENT_CODES: ReadonlySet<string> = new Set(
  splitWords(`content_filter content_filtered content_blocked nsfw nsfw_detected safety safety_violation policy_violation
    moderation_failed sensitive_content banned_prompt banned_prompt_detected output_blocked`),
);

const REQUEST_ERRORS: ReadonlySet<GatewayErrorKind | undefined> = new Set<GatewayErrorKind>([
  ...(['invalid', 'quota', 'rate-limited', 'unauthorized'] as const),
]);

/** Whether a job failed because of its content, its parameters or the account, so another job of the same model may succeed. */
export const blamesRequest = (code: string | undefined): boolean =>
  !isModelCode(code) && (CONTENT_CODES.has(normalize(code)) || REQUEST_ERRORS.has(KIND_OF_CODE.get(normalize(code))));

interface ErrorEvidence extends Pick<ErrorResponse, 'status' | 'familyCodes' | 'notFoundKind'> {
  /** The code in the response, which may be a number. */
  sentCode: string | undefined;
  /** The code at the start of the message, if any. */
  messageCode: string | undefined;
  type: string | undefined;
}

/** The code takes precedence over the status, and the status over `type`, which often only names the software. Undefined if none of them is known. */
export function errorKindOf({
  status,
  sentCode,
  messageCode,
  type,
  familyCodes,
  notFoundKind,
}: ErrorEvidence): GatewayErrorKind | undefined {
  return (
    // A missing model is reported with status 404 (specification, 4.8).
    (status === 404 && [sentCode, messageCode].some(isModelCode) ? 'not-found' : undefined) ??
    KIND_OF_CODE.get(normalize(sentCode)) ??
    KIND_OF_CODE.get(normalize(messageCode)) ??
    // With a 5xx the work may have started, so a numeric code does not decide.
    (status < 500 ? familyCodes?.get(normalize(sentCode)) : undefined) ??
    kindOfStatus(status, notFoundKind) ??
    // In a response with status 200, a three-digit code is the status that should have been sent.
    kindOfStatus(Number(sentCode), notFoundKind) ??
    KIND_OF_CODE.get(normalize(type))
  );
}

const normalize = (text: string | undefined): string => text?.trim().toLowerCase() ?? '';

const KIND_OF_STATUS: ReadonlyMap<number, GatewayErrorKind> = new Map([
  [401, 'unauthorized'],
  [402, 'quota'],
  [403, 'forbidden'],
  [405, 'not-offered'],
  [408, 'unavailable'],
  [429, 'rate-limited'],
  [501, 'not-offered'],
]);

function kindOfStatus(status: number, notFoundKind: GatewayErrorKind): GatewayErrorKind | undefined {
  if (status === 404 || status === 410) return notFoundKind;
  const defaultKind =
    status >= 500 && status < 600 ? 'unavailable' : status >= 400 && status < 500 ? 'invalid' : undefined;
  return KIND_OF_STATUS.get(status) ?? defaultKind;
}

/** Errors after which the work may have started. Every other kind is a definite refusal, even if the status is a 5xx. */
const UNCERTAIN_ERRORS: ReadonlySet<GatewayErrorKind> = new Set(['unavailable', 'malformed', 'unreachable']);

/** Where existing gateways put errors. The specification (part 7) only has `error.message`, `error.type` and `error.code`. */
const fieldPaths = {
  message: places(
    `error.message error message description msg err error_msg detail header.message response.error.message`,
  ),
  code: places('error.code', 'code', 'response.error.code'),
  type: places('error.type', 'type', 'response.error.type'),
  param: places('error.param', 'param', 'response.error.param'),
  /** The image-prompt family reports the banned word next to the description. */
  bannedWord: places('properties.bannedWord'),
  retryAfter: places('retry_after', 'error.retry_after'),
} as const;

/** Descriptions that are really codes: one word with underscores. */
const CODE_LIKE = /^[a-z][a-z0-9]*(?:[_:][a-z0-9]+)+$/i;

export interface ErrorResponse {
  status: number;
  body: unknown;
  /** The body, if it is not JSON. */
  text?: string;
  /** The status is inferred from the error in an event. */
  isInEvent?: true;
  retryAfterMs?: number | undefined;
  isSubmit: boolean;
  /** Numeric codes that have a meaning in one resource family. */
  familyCodes?: ReadonlyMap<string, GatewayErrorKind> | undefined;
  /** The meaning of a 404 without a known code at this URL: the object does not exist, the whole endpoint does not, or the endpoint refuses the request. */
  notFoundKind: 'not-found' | 'not-offered' | 'invalid';
  secrets: readonly string[];
}

export function toGatewayError(response: ErrorResponse): GatewayError {
  const { status, body } = response;
  const message = withBannedWord(firstAt(body, fieldPaths.message, asText), body) ?? asText(response.text);
  const { sentCode, messageCode, type } = codesIn(body, message);
  const kind = errorKindOf({ ...response, sentCode, messageCode, type }) ?? 'invalid';
  const explanation = cleanMessage(message ?? '', response.secrets);
  const isSilent = explanation === '';
  return new GatewayError(isSilent ? `The gateway answered with status ${status} and no explanation.` : explanation, {
    kind,
    ...(isSilent && { reason: ownReason(response.isInEvent ? 'unexplained' : 'status', { status }) }),
    status,
    code: sentCode === undefined || /^-?\d+$/.test(sentCode) ? (messageCode ?? sentCode) : sentCode,
    type,
    param: firstAt(body, fieldPaths.param, asText),
    retryAfterMs: response.retryAfterMs ?? retryDelayIn(body),
    hasKnownCode: [sentCode, messageCode, type].some((text) => KIND_OF_CODE.get(normalize(text)) === kind),
    refusesModel: [sentCode, messageCode].some(isModelCode),
    mayHaveTakenEffect: response.isSubmit && UNCERTAIN_ERRORS.has(kind),
  });
}

const codesIn = (body: unknown, message: string | undefined) => ({
  sentCode: firstAt(body, fieldPaths.code, asText),
  messageCode: codeIn(message),
  type: firstAt(body, fieldPaths.type, asText),
});

function withBannedWord(message: string | undefined, body: unknown): string | undefined {
  const bannedWord = firstAt(body, fieldPaths.bannedWord, asText);
  return bannedWord === undefined ? message : `${message ?? 'banned word'}: ${bannedWord}`;
}

/** The image-prompt family sends numbers as codes and puts the real code into the description. */
function codeIn(message: string | undefined): string | undefined {
  // Details may follow the code immediately: `unknown_action:MJ::…`.
  const [firstWord = ''] = message?.split(/[\s,;]|:(?=[A-Z])/, 1) ?? [];
  return CODE_LIKE.test(firstWord) ? firstWord : undefined;
}

/** One year; anything longer is nonsense. */
const MAX_DELAY_SECONDS = 366 * 24 * 3600;

function retryDelayIn(body: unknown): number | undefined {
  const seconds = firstAt(body, fieldPaths.retryAfter, asNumber);
  return seconds !== undefined && seconds >= 0 && seconds <= MAX_DELAY_SECONDS ? seconds * 1000 : undefined;
}

/**
 * Some gateways report errors with HTTP 200. In a record with a state, `error` only says why the task failed. A submit with an
 * unknown code is not refused, because its job may be running.
 */
export function containsError(body: unknown, isSubmit: boolean, familyCodes?: ErrorResponse['familyCodes']): boolean {
  if (!isRecord(body)) return false;
  if (body.success === false || body.success === 'false') return true;
  // A submit response without a task id created no task, even if its status word says otherwise.
  if (hasState(body) && (hasId(body) || !isSubmit)) return false;
  if (isRecord(body.job) && hasState(body.job)) return false;
  const { error, code, data } = body;
  if (isRecord(error) ? Object.values(error).some(isMeaningful) : isMeaningful(error)) return true;
  if (typeof code !== 'string' && typeof code !== 'number') return false;
  if (SUCCESS_CODES.has(normalize(String(code)))) return false;
  if (!isSubmit) return ![data].flat().some((one) => isRecord(one) && (hasState(one) || hasId(one)));
  const codes = codesIn(body, firstAt(body, fieldPaths.message, asText));
  return errorKindOf({ ...codes, status: 200, familyCodes, notFoundKind: 'not-found' }) !== undefined;
}

function isMeaningful(value: unknown): boolean {
  return isRecord(value) || (asText(value) !== undefined && value !== 0);
}

/** The status that an error inside a response should have had; 500 if unknown, because the work may have been done. */
export function statusOfError(error: Record<string, unknown>): number {
  const reportedStatus = asNumber(error.status) ?? asNumber(error.status_code) ?? asNumber(error.code);
  if (reportedStatus !== undefined && reportedStatus >= 400 && reportedStatus < 600) return reportedStatus;
  return asText(error.type) === 'invalid_request_error' ? 400 : 500;
}

/** The error in an event: nested, flat or plain text. */
export function errorInEvent(body: Record<string, unknown>): Record<string, unknown> {
  const responseError = isRecord(body.response) ? body.response.error : undefined;
  const error = body.error ?? responseError;
  if (isRecord(error)) return error;
  if (asText(error) !== undefined) return { message: error };
  const { message, code, param } = body;
  return { message, code, param };
}

/** A failure that is reported in the middle of a response. If there has been output, a retry cannot undo it. */
export function toMidStreamError(error: GatewayError, hasOutput: boolean): GatewayError {
  // The status was inferred, and the response itself had another one.
  const details = { ...error, status: undefined };
  return new GatewayError(error.message, { ...details, mayHaveTakenEffect: hasOutput || error.mayHaveTakenEffect });
}
