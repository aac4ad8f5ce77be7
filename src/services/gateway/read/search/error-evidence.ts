import { isRecord } from '../../../../lib/exact-json.ts';
import { asText } from '../../places.ts';
import { meaningOfStatus } from '../../record.ts';
import { hasAny, hasStateField, isStateName, UNRELATED_WORDS, wordSet } from './names.ts';
import type { Spot } from './survey.ts';

/** Values of `code` that mean success in a response with HTTP 200. */
export const SUCCESS_CODES: ReadonlySet<string> = new Set(['', ...wordSet('success succeed ok 0 1 200 201 202 21 22')]);

const ERROR_WORDS = wordSet('error errors err errno errmsg exception fault failure fail');
/** Names that consist only of these words, such as `errorCode` and `failReason`, mean an error. The name of an error URL or error policy does not. */
const ERROR_NAME_WORDS = new Set([
  ...ERROR_WORDS,
  ...wordSet('message messages msg code info detail details type reason text description'),
]);
const CODE_NAME = /^(?:(?:status|result|ret|return|response|biz|business|sub|api|http|app)-)?(?:code|ret|retcode)$/;
const VERDICT_NAME = /^(?:(?:is|was)-)?(?:success|successful|succeeded|ok|accepted)$/;
const REFUSED_NAME = /^(?:(?:is|was|has)-)?(?:failed|rejected|refused|denied|blocked)$/;
const NO_ERROR = new Set(['', '0', 'ok', 'none', 'null', 'success', 'no', 'false']);

/** Whether a response to a submit says anywhere that the job was refused or failed. */
export function hasErrorEvidence(spots: readonly Spot[]): boolean {
  if (namesError(spots)) return true;
  return spots.some(({ words, ancestors, value }) => {
    if (CODE_NAME.test(words.join('-'))) return isFailureCode(value);
    if (!isStateName(words) || typeof value !== 'string' || ancestors.some((one) => hasAny(one, UNRELATED_WORDS)))
      return false;
    return meaningOfStatus(value)?.state === 'failed';
  });
}

/** Whether a response with an id in a known place names an error. A state, or a code of the outermost wrapper that is not negative, may then belong to an accepted task. */
export function namesError(spots: readonly Spot[]): boolean {
  return spots.some(({ words, ancestors, holder, value }) => {
    const name = words.join('-');
    if (CODE_NAME.test(name) && (ancestors.length > 0 || Number(asText(value)) < 0))
      return isFailureCode(value) && !hasStateField(holder);
    if (hasAny(words, ERROR_WORDS)) return words.every((word) => ERROR_NAME_WORDS.has(word)) && isMeaningful(value);
    if (REFUSED_NAME.test(name)) return value === true || value === 'true';
    return VERDICT_NAME.test(name) && (value === false || value === 'false');
  });
}

function isFailureCode(value: unknown): boolean {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  return !SUCCESS_CODES.has(text.trim().toLowerCase());
}

function isMeaningful(value: unknown): boolean {
  if (!isRecord(value)) return isNoteworthy(value);
  return Object.values(value).some((inner) => isRecord(inner) || isNoteworthy(inner));
}

function isNoteworthy(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value === true || !NO_ERROR.has(asText(value)?.toLowerCase() ?? '');
}
