import { isRecord } from '../../lib/exact-json.ts';
import { isNamed, kindOf, mayHaveWorked, type Symptoms } from './classify.ts';
import { cleanMessage } from './clean.ts';
import { GatewayError } from './errors.ts';
import { firstAt, places } from './read/places.ts';
import { saysId, saysState } from './read/record.ts';
import { asNumber, asText } from './read/values.ts';

/**
 * The envelopes of errors in the wild. The specification (part 7) knows `error.message`, `error.type`, `error.code`;
 * others put the words flat, call them `description` or `msg`, or nest them under what an upstream said.
 */
const MESSAGE = places(
  'error.message',
  'error',
  'message',
  'description',
  'msg',
  'err',
  'error_msg',
  'detail',
  'header.message',
  'response.error.message',
);
const CODE = places('error.code', 'code', 'response.error.code');
const TYPE = places('error.type', 'type', 'response.error.type');
const PARAM = places('error.param', 'param', 'response.error.param');
/** The image-prompt family names the word it objects to beside its description. */
const BANNED_WORD = places('properties.bannedWord');
const RETRY_AFTER = places('retry_after', 'error.retry_after');

/** Descriptions that are codes in all but name: one word, underscores inside. */
const CODE_LIKE = /^[a-z][a-z0-9]*(?:[_:][a-z0-9]+)+$/i;

export interface FailedAnswer extends Pick<Symptoms, 'familyCodes' | 'missing'> {
  status: number;
  body: unknown;
  /** What came instead where the body is not JSON. */
  text?: string;
  /** What is said of an answer that explains nothing. */
  unexplained?: string;
  retryAfterMs?: number | undefined;
  isSubmit: boolean;
  secrets: readonly string[];
}

export function errorFrom(answer: FailedAnswer): GatewayError {
  const { status, body } = answer;
  const message = withBannedWord(firstAt(body, MESSAGE, asText), body) ?? asText(answer.text);
  const sentCode = firstAt(body, CODE, asText);
  const spokenCode = codeIn(message);
  const type = firstAt(body, TYPE, asText);
  const symptoms = { ...answer, sentCode, spokenCode, type };
  const kind = kindOf(symptoms);
  return new GatewayError(sentenceOf(message, answer), {
    kind,
    status,
    code: isNumber(sentCode) ? (spokenCode ?? sentCode) : sentCode,
    type,
    param: firstAt(body, PARAM, asText),
    retryAfterMs: answer.retryAfterMs ?? retryDelayIn(body),
    isNamed: isNamed(kind, symptoms),
    mayHaveTakenEffect: answer.isSubmit && mayHaveWorked(kind),
  });
}

function withBannedWord(message: string | undefined, body: unknown): string | undefined {
  const banned = firstAt(body, BANNED_WORD, asText);
  return banned === undefined ? message : `${message ?? 'banned word'}: ${banned}`;
}

/** The image-prompt family sends numbers as codes and puts the word into the description. */
function codeIn(message: string | undefined): string | undefined {
  // What the word is about may follow at once: `unknown_action:MJ::…`.
  const [head = ''] = message?.split(/[\s,;]|:(?=[A-Z])/, 1) ?? [];
  return CODE_LIKE.test(head) ? head : undefined;
}

function isNumber(code: string | undefined): boolean {
  return code === undefined || /^-?\d+$/.test(code);
}

function sentenceOf(message: string | undefined, { status, unexplained, secrets }: FailedAnswer): string {
  const clean = message === undefined ? '' : cleanMessage(message, secrets);
  if (clean !== '') return clean;
  return unexplained ?? `The gateway answered with status ${status} and no explanation.`;
}

/** A year: more is no delay but rubbish. */
const LONGEST_DELAY_SECONDS = 366 * 24 * 3600;

function retryDelayIn(body: unknown): number | undefined {
  const seconds = firstAt(body, RETRY_AFTER, asNumber);
  return seconds !== undefined && seconds >= 0 && seconds <= LONGEST_DELAY_SECONDS ? seconds * 1000 : undefined;
}

/** Words and numbers that mean "fine" where an answer with HTTP 200 carries a `code`. */
const FINE = new Set(['', 'success', 'succeed', 'ok', '0', '1', '200', '201', '21', '22']);

/**
 * HTTP 200 is no promise: some gateways report errors inside it. A record that has a state of its own
 * is a task, whose `error` says why the task failed; anything else with an error is a refusal.
 */
export function hidesError(body: unknown, isSubmit: boolean): boolean {
  if (!isRecord(body)) return false;
  if (body.success === false || body.success === 'false') return true;
  // A submit that names no task has made none, whatever word comes with it.
  if (saysState(body) && (saysId(body) || !isSubmit)) return false;
  if (isRecord(body.job) && saysState(body.job)) return false;
  const error = body.error;
  if (isRecord(error) ? Object.values(error).some(saysSomething) : saysSomething(error)) return true;
  const code = body.code;
  if (typeof code !== 'string' && typeof code !== 'number') return false;
  const holdsTask = isRecord(body.data) && (saysState(body.data) || saysId(body.data));
  return !FINE.has(String(code).trim().toLowerCase()) && !holdsTask;
}

function saysSomething(value: unknown): boolean {
  return isRecord(value) || (asText(value) !== undefined && value !== 0);
}
