import { describe, expect, it } from 'vitest';
import { parseExact } from '../../../../src/lib/exact-json.ts';
import { containsError } from '../../../../src/services/gateway/error-responses.ts';
import { IMGX_CODES } from './failed-answer.ts';

describe('A response with status 200', () => {
  it.each([
    '{"error":{"message":"no","type":"new_api_error","param":"","code":""}}',
    '{"error":{"code":"model_not_found","type":"invalid_request_error","param":"model"}}',
    '{"object":"list","data":[],"error":{"message":"no"}}',
    '{"type":"error","error":{"type":"overloaded_error","message":"no"}}',
    '{"error":"midjourney_task_not_found"}',
    '{"success":false,"message":"no such group"}',
    '{"success":"false","message":"no such group"}',
    '{"success":false,"message":"","data":{"id":"t","status":"queued"}}',
    '{"code":3,"description":"task not found","result":""}',
    '{"code":4,"description":"prompt is empty"}',
    '{"code":9,"description":"failure"}',
    '{"code":23,"description":"queue full","properties":{"discordInstanceId":"1"}}',
    '{"code":"24","description":"banned","properties":{"bannedWord":"x"}}',
    '{"code":"task_not_exist","message":"task_not_exist","data":null}',
    '{"code":"quota_not_enough","message":"no"}',
    '{"code":"fail_to_fetch_task","message":"no","data":""}',
    '{"code":402,"msg":"credits insufficient","data":null}',
    '{"code":1102,"message":"balance not enough","request_id":"r"}',
    '{"code":1102,"message":"balance not enough","request_id":"r","data":{}}',
    '{"code":"internal_error","message":"no","data":[]}',
  ])('A response with status 200 and the body %s is an error', (text) => {
    expect(containsError(parseExact(text), false)).toBe(true);
  });
});

describe('A response with status 200 without an error', () => {
  it.each([
    ['a failed image job', '{"id":"j","status":"failed","error":{"message":"blocked","code":"moderation_blocked"}}'],
    ['a failed video', '{"task_id":"t","status":"failed","error":{"code":1001,"message":"no"}}'],
    [
      'a failed video in an envelope',
      '{"code":"success","data":{"task_id":"t","status":"failed","error":{"message":"no"}}}',
    ],
    [
      'a failed task of the vendor path',
      '{"code":0,"message":"SUCCEED","data":{"task_id":"8","task_status":"failed"}}',
    ],
    ['a failed task with a differently named state', '{"id":"t","state":"error","error":"no"}'],
    ['a failed task with an empty status', '{"id":"t","status":"","error":"no"}'],
    ['a failed job nested under `job`', '{"job":{"id":"j","status":"failed"},"error":{"message":"blocked"}}'],
    ['a null error', '{"id":"j","error":null}'],
    ['an empty error', '{"id":"j","error":""}'],
    ['an empty object as its error', '{"id":"j","error":{}}'],
    ['false as its error', '{"id":"j","error":false}'],
    ['an accepted submit', '{"code":1,"description":"ok","result":"17"}'],
    ['an accepted submit with its code as a string', '{"code":"1","description":"ok","result":"17"}'],
    [
      'a submit whose task exists or waits for a prompt',
      '{"code":21,"description":"exists","result":"17","properties":{"status":"SUCCESS"}}',
    ],
    ['a queued submit', '{"code":22,"description":"queued","result":"17","properties":{"numberOfQueues":1}}'],
    ['code 0', '{"code":0,"message":"SUCCEED","data":{"task_id":"8"}}'],
    ['code 0 as text', '{"code":"0","data":"t"}'],
    ['code 200', '{"code":200,"msg":"success","data":{"taskId":"t"}}'],
    ['code success', '{"code":"success","message":"","data":"9b1c"}'],
    ['code SUCCESS and no task', '{"code":"SUCCESS","message":"","data":null}'],
    ['code succeed', '{"code":" Succeed ","data":[]}'],
    ['an empty code', '{"code":"","data":[]}'],
    ['code null', '{"code":null,"data":[]}'],
    ['an unknown code and a list of tasks', '{"code":20000,"data":[{"task_id":"t","status":"SUCCESS"}]}'],
    ['success true', '{"success":true,"message":"","data":[{"id":"m"}]}'],
    ['a list of models', '{"object":"list","data":[{"id":"m","object":"model"}]}'],
    ['usage', '{"object":"list","total_usage":2500.0}'],
    ['a list', '[{"error":"no"}]'],
    ['nothing', 'null'],
    ['a string', '"error"'],
  ])('A response with status 200 that contains %s is not an error: %s', (_what, text) => {
    expect(containsError(parseExact(text), false)).toBe(false);
  });
});

describe('A submit with status 200', () => {
  it.each([
    '{"code":"quota_not_enough","message":"no"}',
    '{"code":7,"message":"quota_not_enough"}',
    '{"code":402,"msg":"credits insufficient","data":null}',
    '{"code":23,"description":"queue full","properties":{"discordInstanceId":"1"}}',
    '{"code":"24","description":"banned","properties":{"bannedWord":"x"}}',
    '{"success":false,"code":20000,"data":"t"}',
    '{"code":20000,"error":{"message":"no"}}',
  ])('A submit with status 200 and the body %s is an error', (text) => {
    expect(containsError(parseExact(text), true, IMGX_CODES)).toBe(true);
  });

  it.each(['{"code":20000,"data":"t"}', '{"code":1102,"message":"no"}', '{"code":"E7","data":{"task_id":"t"}}'])(
    'A submit with status 200, an unknown code and the body %s is not an error',
    (text) => {
      expect(containsError(parseExact(text), true, IMGX_CODES)).toBe(false);
    },
  );
});

describe('A failed status without a task', () => {
  const text = '{"status":"error","error":{"message":"no"}}';

  it('A failed status without a task counts as a refusal in the response to a submit', () => {
    expect(containsError(parseExact(text), true)).toBe(true);
  });

  it('A failed status without a task counts as a failed task in the response to a poll', () => {
    expect(containsError(parseExact(text), false)).toBe(false);
  });
});
