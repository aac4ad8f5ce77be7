import { describe, expect, it } from 'vitest';
import { parseExact } from '../../../../src/lib/exact-json.ts';
import { readSubmission } from '../../../../src/services/gateway/read/reader.ts';
import type { Family } from '../../../../src/services/gateway/read/table.ts';
import type { Submission } from '../../../../src/services/gateway/snapshot.ts';

const read = (family: Family, body: string): Submission => readSubmission(family, parseExact(body));

describe('The id of a submission', () => {
  it.each<[Family, string, string, string]>([
    ['imgx', 'result', '{"code":1,"description":"ok","result":"1320098173412546"}', '1320098173412546'],
    ['imgx', 'a bare number', '{"code":1,"result":1320098173412546}', '1320098173412546'],
    ['imgx', 'a bare number beyond 2^53', '{"code":1,"result":1320098173412546123}', '1320098173412546123'],
    ['imgx', 'a code as text', '{"code":"1","result":"17"}', '17'],
    ['imgx', 'task_id', '{"code":1,"result":"","task_id":"17"}', '17'],
    ['imgx', 'taskId', '{"code":1,"result":null,"taskId":"17"}', '17'],
    ['imgx', 'id, without any code', '{"id":"17","status":"SUBMITTED"}', '17'],
    ['imgx', 'data.task_id', '{"code":1,"data":{"task_id":"17"}}', '17'],
    ['imgx', 'data as text', '{"code":1,"description":"ok","data":"17"}', '17'],
    ['image', 'id', '{"id":"job-1","status":"queued"}', 'job-1'],
    ['image', 'a numeric id', '{"id":7300000000000000001,"status":"queued"}', '7300000000000000001'],
    ['image', 'job.id', '{"job":{"id":"job-1","status":"queued"},"poll_url":"/x"}', 'job-1'],
    ['image', 'job_id', '{"job_id":"job-1"}', 'job-1'],
    ['image', 'task_id', '{"task_id":"job-1"}', 'job-1'],
    ['image', 'data.id', '{"code":0,"data":{"id":"job-1"}}', 'job-1'],
    ['image', 'data.task_id', '{"code":0,"data":{"task_id":"job-1"}}', 'job-1'],
    ['video', 'task_id before id', '{"id":"v1","task_id":"task_1","object":"video","status":"queued"}', 'task_1'],
    ['video', 'id as text', '{"id":"video_1","object":"video","status":"queued"}', 'video_1'],
    [
      'video',
      'data.task_id',
      '{"code":0,"message":"SUCCEED","request_id":"r","data":{"task_id":"8","task_status":"submitted"}}',
      '8',
    ],
    ['video', 'data.taskId', '{"code":200,"msg":"success","data":{"taskId":"t"}}', 't'],
    ['video', 'data.id as text', '{"data":{"id":"t"}}', 't'],
    ['video', 'taskId', '{"taskId":"t"}', 't'],
    ['video', 'data as text', '{"code":"success","message":"","data":"task_1"}', 'task_1'],
    ['video', 'a numeric task_id beyond 2^53', '{"task_id":7300000000000000001}', '7300000000000000001'],
    ['video', 'a small numeric task_id', '{"task_id":12345,"status":"queued"}', '12345'],
    ['video', 'a small numeric task_id in an envelope', '{"code":0,"data":{"task_id":12345}}', '12345'],
    ['music', 'data as text', '{"code":"success","message":"","data":"9b1c-11"}', '9b1c-11'],
    ['music', 'data.task_id', '{"code":200,"message":"success","data":{"task_id":"9b1c"}}', '9b1c'],
    ['music', 'data.taskId', '{"code":200,"msg":"success","data":{"taskId":"9b1c"}}', '9b1c'],
    ['music', 'task_id', '{"task_id":"9b1c"}', '9b1c'],
    ['music', 'taskId', '{"taskId":"9b1c"}', '9b1c'],
    ['music', 'id', '{"id":"9b1c"}', '9b1c'],
    ['music', 'result', '{"code":1,"result":"9b1c"}', '9b1c'],
    ['music', 'a small numeric task_id', '{"code":200,"data":{"task_id":12345}}', '12345'],
  ])('The id of a submission is read in the %s family from %s', (family, _where, body, id) => {
    expect(read(family, body)).toMatchObject({ remoteId: id, needsInput: false });
  });
});

describe('A submission that was accepted without an id', () => {
  it.each<[Family, string]>([
    ['imgx', '{"code":1,"description":"ok","result":""}'],
    ['imgx', '{"code":22,"description":"queued","result":null}'],
    ['image', '{"status":"queued"}'],
    ['video', '{"status":"queued","request_id":"r-1"}'],
    ['video', '{"code":"success","data":{"id":42}}'],
    ['video', '{"code":0,"message":"SUCCEED","request_id":"r-1","data":{}}'],
    ['music', '{"code":"success","message":"","data":null}'],
    ['music', '{"code":"success","message":"","data":""}'],
    ['imgx', 'null'],
    ['image', '[]'],
    ['video', 'true'],
  ])(
    'A submission in the %s family that was accepted without an id is malformed and may have taken effect: %s',
    (family, body) => {
      expect(() => read(family, body)).toThrow(
        expect.objectContaining({ name: 'GatewayError', kind: 'malformed', mayHaveTakenEffect: true }),
      );
    },
  );
});

describe('Code 21', () => {
  it.each([
    [
      'a window is waiting: remix is true',
      '{"code":21,"description":"Waiting for window confirm","result":"18","properties":{"finalPrompt":"a cat","remix":true}}',
    ],
    [
      'a window is waiting: there are no properties',
      '{"code":21,"description":"Waiting for window confirm","result":"18"}',
    ],
    ['a window is waiting: the properties are null', '{"code":21,"result":"18","properties":null}'],
    ['a window is waiting: the code is text', '{"code":"21","result":"18","properties":{}}'],
    [
      'a window is waiting: remix takes precedence over an image',
      '{"code":21,"result":"18","properties":{"remix":true,"imageUrl":"https://cdn.example/1.png"}}',
    ],
    [
      'a window is waiting: remix as text takes precedence over an image',
      '{"code":21,"result":"18","properties":{"remix":"true","imageUrl":"https://cdn.example/1.png"}}',
    ],
    [
      'a window is waiting: a null image and a null state do not count',
      '{"code":21,"result":"18","properties":{"finalPrompt":"a cat","imageUrl":null,"status":null}}',
    ],
  ])('Code 21 means that %s', (_what, body) => {
    expect(read('imgx', body)).toMatchObject({ remoteId: '18', needsInput: true });
  });

  it.each([
    [
      'the task exists: there is an image',
      '{"code":21,"result":"18","properties":{"status":"SUCCESS","imageUrl":"https://cdn.example/1.png"}}',
    ],
    ['the task exists: there is a state', '{"code":21,"result":"18","properties":{"status":"IN_PROGRESS"}}'],
  ])('Code 21 means that %s', (_what, body) => {
    expect(read('imgx', body)).toMatchObject({ remoteId: '18', needsInput: false });
  });

  it.each(['{"toString":1}', '[{"toString":""}]', '{"__proto__":null}', '"yes"', '1', '[true]'])(
    'Code 21 is read even if remix is %s',
    (remix) => {
      const body = `{"code":21,"result":"18","properties":{"remix":${remix},"status":"SUCCESS"}}`;
      expect(read('imgx', body)).toMatchObject({ remoteId: '18', needsInput: false });
    },
  );

  it('A code 21 that was rewritten to 1 does not mean that a window is waiting, but the state MODAL does', () => {
    expect(read('imgx', '{"code":1,"result":"18","properties":{"finalPrompt":"a cat","remix":true}}')).toMatchObject({
      remoteId: '18',
      finalPrompt: 'a cat',
    });
    expect(read('imgx', '{"id":"18","status":"MODAL"}').needsInput).toBe(true);
  });
});

describe('A submission that was accepted', () => {
  it('A submission that was accepted reports how many tasks are ahead of it', () => {
    const body =
      '{"code":22,"description":" In queue, 3 tasks ahead ","result":"18","properties":{"numberOfQueues":3,"discordInstanceId":"9"}}';
    expect(read('imgx', body)).toEqual({
      remoteId: '18',
      needsInput: false,
      finalPrompt: undefined,
      queuedBehind: 3,
    });
    expect(read('imgx', body.replace(':3,', ':"3",')).queuedBehind).toBe(3);
  });

  it('A submission that was accepted reports no queue length if its code was rewritten and the length was lost', () => {
    expect(read('imgx', '{"code":1,"description":"","result":"18","properties":{}}')).toEqual({
      remoteId: '18',
      needsInput: false,
      finalPrompt: undefined,
      queuedBehind: undefined,
    });
  });

  it('A submission that was accepted includes the prompt that a form should start with', () => {
    expect(
      read('imgx', '{"code":21,"result":"18","properties":{"finalPrompt":"a cat --zoom 2","remix":true}}').finalPrompt,
    ).toBe('a cat --zoom 2');
    expect(
      read('imgx', '{"code":21,"result":"18","properties":{"finalPrompt":"","remix":true}}').finalPrompt,
    ).toBeUndefined();
  });
});
