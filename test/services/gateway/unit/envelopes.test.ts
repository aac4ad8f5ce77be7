import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../../src/services/gateway/errors.ts';
import { errorFor, IMGX_CODES, KEY } from './failed-answer.ts';

const HTML_502 =
  '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>';

describe('An error response', () => {
  it.each([
    [
      'the envelope of the specification',
      401,
      '{"error":{"message":"Invalid token (request id: 2026)","type":"new_api_error","param":"","code":""}}',
      { kind: 'unauthorized', message: 'Invalid token (request id: 2026)', type: 'new_api_error', code: undefined },
    ],
    [
      'the envelope of the specification with null as its code',
      403,
      '{"error":{"message":"no","type":"new_api_error","param":null,"code":null},"metadata":{}}',
      { kind: 'forbidden', message: 'no', code: undefined },
    ],
    [
      'the envelope of the specification with a number as its code',
      400,
      '{"error":{"message":"no","type":"upstream_error","code":400}}',
      { kind: 'invalid', code: '400', type: 'upstream_error' },
    ],
    [
      'the envelope of the specification with a specific code',
      403,
      '{"error":{"message":"used up","type":"new_api_error","code":"insufficient_user_quota"}}',
      { kind: 'quota', code: 'insufficient_user_quota' },
    ],
    [
      'the flat envelope of the image-prompt family, whose code is in the description',
      429,
      '{"description":"quota_not_enough ","type":"upstream_error","code":4}',
      { kind: 'quota', code: 'quota_not_enough', message: 'quota_not_enough', type: 'upstream_error' },
    ],
    [
      'the flat envelope of the image-prompt family for a missing task',
      400,
      '{"description":"task_no_found","type":"upstream_error","code":4}',
      { kind: 'not-found', code: 'task_no_found' },
    ],
    [
      'the flat envelope of the image-prompt family for an unknown action',
      400,
      '{"description":"unknown_action:MJ::BOOKMARK::0c5b","type":"upstream_error","code":4}',
      { kind: 'not-offered', code: 'unknown_action', message: 'unknown_action:MJ::BOOKMARK::0c5b' },
    ],
    [
      'the flat envelope of the image-prompt family if the upstream does not respond',
      400,
      '{"description":"do_request_failed ","type":"upstream_error","code":5}',
      { kind: 'unavailable', code: 'do_request_failed' },
    ],
    [
      'the task envelope',
      400,
      '{"code":"task_not_exist","message":"task_not_exist","data":null}',
      { kind: 'not-found', code: 'task_not_exist', message: 'task_not_exist' },
    ],
    [
      'the task envelope with a quota',
      403,
      '{"code":"quota_not_enough","message":"used up","data":null}',
      { kind: 'quota', code: 'quota_not_enough', message: 'used up' },
    ],
    [
      'the flat envelope of the documentation',
      400,
      '{"code":"invalid_request","message":"prompt is required","param":"prompt","type":"invalid_request_error"}',
      { kind: 'invalid', code: 'invalid_request', type: 'invalid_request_error', message: 'prompt is required' },
    ],
    [
      'the fields `success` and `message`',
      200,
      '{"success":false,"message":"no such group"}',
      { message: 'no such group' },
    ],
    [
      'an error that is a string',
      400,
      '{"error":"midjourney_task_not_found"}',
      { message: 'midjourney_task_not_found' },
    ],
    ['an error that is a sentence', 500, '{"error":"it broke"}', { kind: 'unavailable', message: 'it broke' }],
    ['an empty body', 429, '', { kind: 'rate-limited', code: undefined }],
    ['an empty body with another status', 403, '', { kind: 'forbidden' }],
    ['an HTML page from a proxy', 502, HTML_502, { kind: 'unavailable', message: '502 Bad Gateway' }],
    ['plain text', 503, 'upstream connect error', { kind: 'unavailable', message: 'upstream connect error' }],
    ['msg', 400, '{"code":400,"msg":"no model"}', { message: 'no model' }],
    ['err', 400, '{"err":"no model"}', { message: 'no model' }],
    ['error_msg', 400, '{"error_code":17,"error_msg":"no model"}', { message: 'no model' }],
    ['detail', 422, '{"detail":"no model"}', { kind: 'invalid', message: 'no model' }],
    ['header.message', 400, '{"header":{"code":10013,"message":"no model"}}', { message: 'no model' }],
    [
      'response.error.message',
      500,
      '{"response":{"error":{"message":"no model","code":"server_error","type":"t"}}}',
      { message: 'no model', code: 'server_error', type: 't' },
    ],
    [
      'an endpoint that is not implemented',
      501,
      '{"error":{"message":"API not implemented","type":"new_api_error","param":"","code":"api_not_implemented"}}',
      { kind: 'not-offered', code: 'api_not_implemented' },
    ],
    [
      'a response with status 200 about a missing model',
      200,
      '{"error":{"message":"The model does not exist","type":"invalid_request_error","param":"model","code":"model_not_found"}}',
      { kind: 'not-found', status: 200 },
    ],
    [
      'a missing image job',
      404,
      '{"error":{"code":"OPENAI_IMAGE_JOB_NOT_FOUND","message":"gone"}}',
      { kind: 'not-found' },
    ],
    ['a body that is too large', 413, '{"code":"REQUEST_BODY_TOO_LARGE","message":"too large"}', { kind: 'invalid' }],
    [
      'a response with status 200 that reveals the kind of error only by its type',
      200,
      '{"error":{"message":"m","type":"authentication_error"}}',
      { kind: 'unauthorized' },
    ],
  ])('An error response is read from %s', (_what, status, text, expected) => {
    const error = errorFor(status, text);
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({ status, mayHaveTakenEffect: false, ...expected });
  });

  it('An error is read from codes that have a meaning in only one family', () => {
    const kinds = [3, 4, 5, 9, 23, 24, 30].map(
      (code) => errorFor(200, `{"code":${code},"description":"no"}`, { familyCodes: IMGX_CODES }).kind,
    );
    expect(kinds).toEqual([
      'not-found',
      'invalid',
      'unavailable',
      'invalid',
      'rate-limited',
      'invalid',
      'rate-limited',
    ]);
  });

  it('An error is read from a numeric code even if the description is a single word', () => {
    const error = errorFor(200, '{"code":23,"description":"queue_is_full"}', { familyCodes: IMGX_CODES });
    expect(error.kind).toBe('rate-limited');
  });

  it('An error is read from a numeric code sent as text', () => {
    expect(errorFor(200, '{"code":"23","description":"full"}', { familyCodes: IMGX_CODES }).kind).toBe('rate-limited');
  });

  it('An error names the banned word', () => {
    const body =
      '{"code":24,"description":"may contain banned words","properties":{"promptEn":"x","bannedWord":"gore"}}';
    expect(errorFor(200, body, { familyCodes: IMGX_CODES })).toMatchObject({
      kind: 'invalid',
      code: '24',
      message: 'may contain banned words: gore',
    });
  });

  it.each([
    [401, 'unauthorized'],
    [402, 'quota'],
    [429, 'rate-limited'],
    [500, 'unavailable'],
  ])('An error is read from a 200 whose body contains an HTTP status as its code: %i', (code, kind) => {
    expect(errorFor(200, `{"code":${code},"msg":"no","data":null}`).kind).toBe(kind);
    expect(errorFor(200, `{"error":{"code":"${code}","message":"no"}}`).kind).toBe(kind);
  });
});

describe('The message of an error', () => {
  it.each(['', ' ', '{}', '[]', 'null', '{"error":{}}', '{"message":""}', '<html></html>'])(
    'The message of an error is never empty: "%s"',
    (text) => {
      expect(errorFor(502, text).message).toBe('The gateway answered with status 502 and no explanation.');
    },
  );

  it('The message of an error hides the key anywhere in the response', () => {
    const texts = [
      `{"error":{"message":"Incorrect API key provided: ${KEY}."}}`,
      `{"error":"Bearer ${KEY} is not valid"}`,
      `<html><body><p>Authorization: Bearer ${KEY}</p></body></html>`,
      `upstream said: ${KEY}`,
      '{"message":"Incorrect API key provided: sk-other*********************cdef."}',
    ];
    for (const text of texts) {
      const { message } = errorFor(401, text);
      expect(message).not.toContain(KEY);
      expect(message).not.toMatch(/sk-|cdef/);
      expect(message).toContain('[hidden]');
    }
  });

  it('The message of an error contains no markup, even if the markup was inside JSON', () => {
    expect(errorFor(524, '{"error":{"message":"<html><head><title>524 timeout</title></head></html>"}}').message).toBe(
      '524 timeout',
    );
  });
});

describe('The retry delay of an error', () => {
  it.each([
    ['the header', '{"error":{"message":"m"}}', 7_000, 7_000],
    ['the header rather than the body', '{"retry_after":30}', 7_000, 7_000],
    ['the body', '{"message":"m","retry_after":30}', undefined, 30_000],
    ['the body, as text', '{"message":"m","retry_after":"1.5"}', undefined, 1_500],
    ['the error object in the body', '{"error":{"message":"m","retry_after":2}}', undefined, 2_000],
    ['neither the header nor the body if both lack it', '{"message":"m"}', undefined, undefined],
    ['a negative number, which is ignored', '{"message":"m","retry_after":-1}', undefined, undefined],
    ['text, which is ignored', '{"message":"m","retry_after":"soon"}', undefined, undefined],
    ['a number out of range, which is ignored', '{"message":"m","retry_after":1e307}', undefined, undefined],
  ])('The retry delay of an error is read from %s', (_where, text, retryAfterMs, expected) => {
    expect(errorFor(429, text, { retryAfterMs }).retryAfterMs).toBe(expected);
  });
});
