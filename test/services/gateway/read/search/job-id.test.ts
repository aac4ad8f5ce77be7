import { describe, expect, it } from 'vitest';
import { parseExact } from '../../../../../src/lib/exact-json.ts';
import { GatewayError } from '../../../../../src/services/gateway/errors.ts';
import { readSubmission } from '../../../../../src/services/gateway/read/reader.ts';
import type { Family } from '../../../../../src/services/gateway/read/table.ts';

const ID = '9b1c2d3e-0000-4000-8000-1234567890ab';
const OTHER = '11111111-2222-4333-8444-555555555555';

const read = (family: Family, answer: unknown, sent: string[] = []): string =>
  readSubmission(family, parseExact(JSON.stringify(answer)), new Set(sent)).remoteId;

const none = expect.objectContaining({ kind: 'malformed', mayHaveTakenEffect: true });
const families = ['imgx', 'image', 'video', 'music'] as const;

describe.each(families)('The id in an unknown response to a submit of the %s family', (family) => {
  it.each([
    ['one level deeper under an unknown name', { code: 0, parcel: { id: ID, status: 'queued' } }],
    ['under a longer name', { payload: { generationId: ID } }],
    ['in capitals', { PAYLOAD: { JOB_ID: ID, STATUS: 'QUEUED' } }],
    ['in kebab case', { reply: { 'task-id': ID } }],
    ['as one word', { reply: { taskid: ID } }],
    ['as a plain id in a record called a job', { reply: { currentJob: { id: ID } } }],
    ['in a list of one job', { jobs: [{ uuid: ID, status: 'queued' }] }],
    ['under the name of the job itself', { reply: { generation: ID } }],
    ['as the only text of a wrapper', { payload: ID, message: 'ok' }],
    ['under an unknown name for a job, next to a state', { parcel: { errandId: ID, phase: 'queued' } }],
    ['in JSON text', { payload: JSON.stringify({ task_id: ID }) }],
    ['next to ids of other things', { request_id: OTHER, payload: { jobId: ID, userId: 7, model: { id: 'm-1' } } }],
    ['six levels deep', { a: { b: { c: { d: { e: { taskId: ID } } } } } }],
  ])('The id of a submitted task is found %s', (_where, answer) => {
    expect(read(family, answer)).toBe(ID);
  });

  it('The id of a submitted task keeps every digit of a number', () => {
    const answer = parseExact('{"payload":{"generationId":7300000000000000001}}');
    expect(readSubmission(family, answer).remoteId).toBe('7300000000000000001');
  });

  it.each([
    ['two jobs', { first: { taskId: ID }, second: { taskId: OTHER } }],
    [
      'two jobs of which one has a better name',
      { a: { jobId: ID, status: 'queued' }, b: { errandId: OTHER, status: 'queued' } },
    ],
    ['a request', { requestId: ID, payload: { status: 'queued' } }],
    ['a trace', { payload: { traceId: ID, status: 'queued' } }],
    [
      'the user, the account, the model and the session',
      { payload: { userId: ID, accountId: ID, modelId: ID, sessionId: ID, status: 'queued' } },
    ],
    ['another task', { payload: { parentTaskId: ID, status: 'queued' } }],
    ['the request that the response repeats', { payload: { input: { taskId: ID }, status: 'queued' } }],
    ['items of the result', { payload: { images: [{ id: ID }, { id: OTHER }], status: 'queued' } }],
    ['an unknown record without a state', { parcel: { shardId: ID } }],
    ['an error', { error_info: { message: 'refused' }, payload: { taskId: ID } }],
    ['a list of errors', { errors: ['refused'], payload: { taskId: ID } }],
    ['a failed verdict', { payload: { ok: false, taskId: ID } }],
    ['a failed code further down', { payload: { code: 40_001, taskId: ID } }],
    ['a failed state', { payload: { state: 'failed', phase: 'failed', taskId: ID } }],
  ])('No task id is taken from %s', (_what, answer) => {
    expect(() => read(family, answer)).toThrow(none);
  });

  it('An id from the request is never mistaken for the id of the new task, in any part of a response', () => {
    expect(read(family, { task_id: OTHER, payload: { generationId: ID } }, [OTHER])).toBe(ID);
    expect(() => read(family, { task_id: OTHER, data: { task_id: OTHER } }, [OTHER])).toThrow(none);
  });

  it.each([
    ['100,000 fields', Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`taskId${at}`, ID]))],
    ['100,000 items', { list: Array.from({ length: 100_000 }, () => ({ taskId: ID })) }],
    ['a string of a million letters', { payload: { taskId: 'x'.repeat(1_000_000) } }],
    ['a name of a million letters', { payload: { [`${'task'.repeat(250_000)}Id`]: ID } }],
    ['an id below thirteen levels', Array.from({ length: 13 }).reduce((inner) => ({ a: inner }), { taskId: ID })],
  ])('No task id is searched for in %s', (_what, answer) => {
    expect(() => readSubmission(family, answer)).toThrow(GatewayError);
  });
});

describe('An id in a known place', () => {
  it('An id in a known place is accepted next to a failed state or a task’s own code, and rejected next to an error', () => {
    expect(read('video', { code: 0, data: { task_id: ID, task_status: 'failed' } })).toBe(ID);
    expect(
      read('music', {
        code: 'success',
        data: { task_id: ID, status: 'queued', code: 'V4', error_callback_url: 'https://me.example' },
      }),
    ).toBe(ID);
    expect(() => read('image', { id: ID, errors: ['refused'] })).toThrow(none);
    expect(() => read('imgx', { status: 'ok', data: { task_id: ID, code: 40_001 } })).toThrow(none);
    expect(() => read('video', { task_id: ID, data: { error: { message: 'refused' } } })).toThrow(none);
  });
});

describe('A number named id', () => {
  it('A number named id is ignored as a database row in the video and music families', () => {
    const answer = { parcel: { id: 12_345_678, status: 'queued' } };
    for (const family of ['video', 'music'] as const) expect(() => read(family, answer)).toThrow(none);
    for (const family of ['imgx', 'image'] as const) expect(read(family, answer)).toBe('12345678');
  });
});
