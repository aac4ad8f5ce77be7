import { describe, expect, it } from 'vitest';
import { errorKindOf } from '../../../../src/services/gateway/error-responses.ts';
import type { GatewayErrorKind } from '../../../../src/services/gateway/errors.ts';
import { errorFor } from './failed-answer.ts';

/** Every status in the table of errors, with its error kind and whether a submit may have taken effect. */
const statuses: [number, GatewayErrorKind, boolean][] = [
  [400, 'invalid', false],
  [401, 'unauthorized', false],
  [402, 'quota', false],
  [403, 'forbidden', false],
  [404, 'not-found', false],
  [405, 'not-offered', false],
  [408, 'unavailable', true],
  [409, 'invalid', false],
  [410, 'not-found', false],
  [413, 'invalid', false],
  [422, 'invalid', false],
  [429, 'rate-limited', false],
  [500, 'unavailable', true],
  [501, 'not-offered', false],
  [502, 'unavailable', true],
  [503, 'unavailable', true],
  [504, 'unavailable', true],
  [520, 'unavailable', true],
  [524, 'unavailable', true],
];

/** The eight envelopes, none with a specific code, so that only the status counts. */
const envelopes: [string, string][] = [
  ['A', '{"error":{"message":"words","type":"new_api_error","param":"","code":""}}'],
  ['B', '{"description":"words of it","type":"upstream_error","code":4}'],
  ['C', '{"code":"strange","message":"words","data":null}'],
  ['D', '{"code":"strange","message":"words","param":"p","type":"t"}'],
  ['E', '{"success":false,"message":"words"}'],
  ['F', '{"error":"words of it"}'],
  ['G', ''],
  ['H', '<!DOCTYPE html><html><head><title>words</title></head><body><h1>words</h1></body></html>'],
];

const cases = envelopes.flatMap(([name, text]) => statuses.map((row) => [name, ...row, text] as const));

describe('A gateway error', () => {
  it.each(cases)(
    'A gateway error in envelope %s with status %i is %s, and a submit may have taken effect: %s',
    (_name, status, kind, submitMayHaveTakenEffect, text) => {
      const readError = errorFor(status, text);
      const submitError = errorFor(status, text, { isSubmit: true });
      expect(readError).toMatchObject({ status, kind, mayHaveTakenEffect: false });
      expect(submitError).toMatchObject({ status, kind, mayHaveTakenEffect: submitMayHaveTakenEffect });
      expect(readError.message).not.toMatch(/[<>]/);
      expect(readError.message).not.toBe('');
    },
  );

  it.each([
    [500, 'insufficient_user_quota', 'quota'],
    [503, 'model_not_found', 'not-found'],
    [500, 'sensitive_words_detected', 'invalid'],
    [500, 'rate_limit_exceeded', 'rate-limited'],
    [500, 'api_not_implemented', 'not-offered'],
    [500, 'access_denied', 'forbidden'],
  ] as const)('A gateway error with status %i and the code %s is a definite refusal: %s', (status, code, kind) => {
    const error = errorFor(status, `{"error":{"message":"m","code":"${code}"}}`, { isSubmit: true });
    expect(error).toMatchObject({ kind, mayHaveTakenEffect: false });
  });

  it.each([
    'do_request_failed',
    'bad_response',
    'bad_response_body',
    'bad_response_status_code',
    'empty_response',
    'fail_to_fetch_task',
    'get_task_failed',
    'internal_error',
    'channel:response_time_exceeded',
  ])('A submit may have taken effect if the gateway error has the code %s, regardless of the status', (code) => {
    for (const status of [200, 400, 500]) {
      const error = errorFor(status, `{"code":"${code}","message":"m","data":null}`, { isSubmit: true });
      expect(error).toMatchObject({ kind: 'unavailable', mayHaveTakenEffect: true });
    }
  });

  it('A gateway error with status 404 at an unknown URL has the kind that the caller specifies', () => {
    const text = '{"error":{"message":"Invalid URL (GET /x)","type":"invalid_request_error","param":"","code":""}}';
    expect(errorFor(404, text, { notFoundKind: 'not-offered' }).kind).toBe('not-offered');
    expect(errorFor(404, text, { notFoundKind: 'not-found' }).kind).toBe('not-found');
  });

  it.each(['invalid_model', 'model_not_available', 'unsupported_model'])(
    'A gateway error with status 404 and the code %s means that the model does not exist',
    (code) => {
      const text = `{"error":{"message":"m","code":"${code}"}}`;
      expect(errorFor(404, text)).toMatchObject({ kind: 'not-found', refusesModel: true });
      expect(errorFor(400, text)).toMatchObject({ kind: 'invalid', refusesModel: true });
    },
  );

  it('A gateway error is classified by its code, then its status, then its type', () => {
    const facts = { messageCode: undefined, familyCodes: undefined, notFoundKind: 'not-found' } as const;
    expect(errorKindOf({ ...facts, status: 400, sentCode: 'INVALID_API_KEY', type: undefined })).toBe('unauthorized');
    expect(errorKindOf({ ...facts, status: 429, sentCode: undefined, type: 'server_error' })).toBe('rate-limited');
    expect(errorKindOf({ ...facts, status: 200, sentCode: undefined, type: 'server_error' })).toBe('unavailable');
    expect(errorKindOf({ ...facts, status: 200, sentCode: 'constructor', type: '__proto__' })).toBeUndefined();
  });
});
