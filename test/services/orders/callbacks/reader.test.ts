import { describe, expect, it } from 'vitest';
import { readCallback } from '../../../../src/services/orders/callback-listener.ts';

const read = (body: unknown) => readCallback(JSON.stringify(body));

describe('The body of a callback', () => {
  it.each([
    ['an image task', { id: '1', status: 'IN_PROGRESS', progress: '45%' }],
    ['an image task that waits', { id: '1', status: 'SUBMITTED' }],
    ['an image task with an empty status', { id: '1', status: '' }],
    ['a song', { code: 'success', data: { task_id: '1', status: 'QUEUED' } }],
    [
      'a video in a vendor’s format',
      { code: 0, message: 'SUCCEED', data: { task_id: '1', task_status: 'processing' } },
    ],
  ])('A callback about progress requires no poll: %s', (_, body) => {
    expect(read(body)).toBe('progress');
  });

  it.each([
    ['an image task', { id: '1', status: 'SUCCESS', progress: '100%' }],
    ['a failed image task', { id: '1', status: 'FAILURE', failReason: 'no' }],
    ['a song', { code: 'success', data: { task_id: '1', status: 'SUCCESS' } }],
    ['a video in a vendor’s format', { code: 0, message: 'SUCCEED', data: { task_id: '1', task_status: 'succeed' } }],
  ])('A callback about the end of a task is a reason to poll: %s', (_, body) => {
    expect(read(body)).toBe('end');
  });

  it('A callback that cannot be understood is also a reason to poll', () => {
    for (const body of ['', 'status=SUCCESS', '{"status":', '[]', '"SUCCESS"', 'null', '5', '[{"status":"SUCCESS"}]'])
      expect(readCallback(body), body).toBe('unclear');
    expect(readCallback(undefined)).toBe('unclear');
    expect(read({ id: '1', status: 'COOKING' })).toBe('unclear');
    expect(read({ code: 200, data: { callbackType: 'complete' } })).toBe('unclear');
    // Only a poll can tell that a task is waiting for a prompt.
    expect(read({ id: '1', status: 'MODAL' })).toBe('unclear');
    expect(readCallback('['.repeat(30_000))).toBe('unclear');
    expect(readCallback(`${'{"data":'.repeat(7_000)}1${'}'.repeat(7_000)}`)).toBe('unclear');
  });

  it('A challenge in a callback is a string of at most 200 characters', () => {
    expect(read({ challenge: 'abc' })).toEqual({ challenge: 'abc' });
    expect(read({ challenge: 'x'.repeat(200), status: 'SUCCESS' })).toEqual({ challenge: 'x'.repeat(200) });
    expect(read({ challenge: 'x'.repeat(201) })).toBe('unclear');
    expect(read({ challenge: 5 })).toBe('unclear');
    expect(read({ data: { challenge: 'abc' } })).toBe('unclear');
  });
});
