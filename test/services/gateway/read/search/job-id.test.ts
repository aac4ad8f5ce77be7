import { describe, expect, it } from 'vitest';
import { parseExact } from '../../../../../src/lib/exact-json.ts';
import { GatewayError } from '../../../../../src/services/gateway/errors.ts';
import { readSubmission } from '../../../../../src/services/gateway/read/reader.ts';
import type { Family } from '../../../../../src/services/gateway/read/table.ts';

const TASK_ID = '9b1c2d3e-0000-4000-8000-1234567890ab';
const OTHER_ID = '11111111-2222-4333-8444-555555555555';

const read = (family: Family, response: unknown, requestIds: string[] = []): string =>
  readSubmission(family, parseExact(JSON.stringify(response)), new Set(requestIds)).remoteId;

const malformedError = expect.objectContaining({ kind: 'malformed', mayHaveTakenEffect: true });
const families = ['imgx', 'image', 'video', 'music'] as const;

describe.each(families)('The id in a %s submit response of unknown format', (family) => {
  it.each([
    ['one level deeper under an unknown name', { code: 0, parcel: { id: TASK_ID, status: 'queued' } }],
    ['under a longer name', { payload: { generationId: TASK_ID } }],
    ['in capitals', { PAYLOAD: { JOB_ID: TASK_ID, STATUS: 'QUEUED' } }],
    ['in kebab case', { reply: { 'task-id': TASK_ID } }],
    ['as one word', { reply: { taskid: TASK_ID } }],
    ['as a plain id in a record called a job', { reply: { currentJob: { id: TASK_ID } } }],
    ['in a list of one job', { jobs: [{ uuid: TASK_ID, status: 'queued' }] }],
    ['under the name of the job itself', { reply: { generation: TASK_ID } }],
    ['as the only text of a wrapper', { payload: TASK_ID, message: 'ok' }],
    ['under an unknown name for a job, next to a state', { parcel: { errandId: TASK_ID, phase: 'queued' } }],
    ['in JSON text', { payload: JSON.stringify({ task_id: TASK_ID }) }],
    [
      'next to ids of other things',
      { request_id: OTHER_ID, payload: { jobId: TASK_ID, userId: 7, model: { id: 'm-1' } } },
    ],
    ['six levels deep', { a: { b: { c: { d: { e: { taskId: TASK_ID } } } } } }],
  ])('The id of a submitted task is found %s', (_where, response) => {
    expect(read(family, response)).toBe(TASK_ID);
  });

  it('The id of a submitted task keeps every digit of a number', () => {
    const response = parseExact('{"payload":{"generationId":7300000000000000001}}');
    expect(readSubmission(family, response).remoteId).toBe('7300000000000000001');
  });

  it.each([
    ['two jobs', { first: { taskId: TASK_ID }, second: { taskId: OTHER_ID } }],
    [
      'two jobs of which one has a better name',
      { a: { jobId: TASK_ID, status: 'queued' }, b: { errandId: OTHER_ID, status: 'queued' } },
    ],
    ['a request', { requestId: TASK_ID, payload: { status: 'queued' } }],
    ['a trace', { payload: { traceId: TASK_ID, status: 'queued' } }],
    [
      'the user, the account, the model and the session',
      { payload: { userId: TASK_ID, accountId: TASK_ID, modelId: TASK_ID, sessionId: TASK_ID, status: 'queued' } },
    ],
    ['another task', { payload: { parentTaskId: TASK_ID, status: 'queued' } }],
    ['the request that the response repeats', { payload: { input: { taskId: TASK_ID }, status: 'queued' } }],
    ['items of the result', { payload: { images: [{ id: TASK_ID }, { id: OTHER_ID }], status: 'queued' } }],
    ['an unknown record without a state', { parcel: { shardId: TASK_ID } }],
    ['an error', { error_info: { message: 'refused' }, payload: { taskId: TASK_ID } }],
    ['a list of errors', { errors: ['refused'], payload: { taskId: TASK_ID } }],
    ['an ok flag that is false', { payload: { ok: false, taskId: TASK_ID } }],
    ['an error code further down', { payload: { code: 40_001, taskId: TASK_ID } }],
    ['a failed state', { payload: { state: 'failed', phase: 'failed', taskId: TASK_ID } }],
  ])('No task id is taken from %s', (_what, response) => {
    expect(() => read(family, response)).toThrow(malformedError);
  });

  it('An id from the request is never mistaken for the id of the new task, in any part of a response', () => {
    expect(read(family, { task_id: OTHER_ID, payload: { generationId: TASK_ID } }, [OTHER_ID])).toBe(TASK_ID);
    expect(() => read(family, { task_id: OTHER_ID, data: { task_id: OTHER_ID } }, [OTHER_ID])).toThrow(malformedError);
  });

  it.each([
    ['100,000 fields', Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`taskId${index}`, TASK_ID]))],
    ['100,000 items', { list: Array.from({ length: 100_000 }, () => ({ taskId: TASK_ID })) }],
    ['a string of a million characters', { payload: { taskId: 'x'.repeat(1_000_000) } }],
    ['a name of a million characters', { payload: { [`${'task'.repeat(250_000)}Id`]: TASK_ID } }],
    ['an id below thirteen levels', Array.from({ length: 13 }).reduce((inner) => ({ a: inner }), { taskId: TASK_ID })],
  ])('The search for a task id gives up on %s', (_what, response) => {
    expect(() => readSubmission(family, response)).toThrow(GatewayError);
  });
});

describe('An id in a known place', () => {
  it('An id in a known place is accepted next to a failed state or a task’s own code, and rejected next to an error', () => {
    expect(read('video', { code: 0, data: { task_id: TASK_ID, task_status: 'failed' } })).toBe(TASK_ID);
    expect(
      read('music', {
        code: 'success',
        data: { task_id: TASK_ID, status: 'queued', code: 'V4', error_callback_url: 'https://me.example' },
      }),
    ).toBe(TASK_ID);
    expect(() => read('image', { id: TASK_ID, errors: ['refused'] })).toThrow(malformedError);
    expect(() => read('imgx', { status: 'ok', data: { task_id: TASK_ID, code: 40_001 } })).toThrow(malformedError);
    expect(() => read('video', { task_id: TASK_ID, data: { error: { message: 'refused' } } })).toThrow(malformedError);
  });
});

describe('A number named id', () => {
  it('A number named id is treated as the key of a database row and ignored in the video and music families', () => {
    const response = { parcel: { id: 12_345_678, status: 'queued' } };
    for (const family of ['video', 'music'] as const) expect(() => read(family, response)).toThrow(malformedError);
    for (const family of ['imgx', 'image'] as const) expect(read(family, response)).toBe('12345678');
  });
});
