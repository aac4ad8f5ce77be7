import { describe, expect, it } from 'vitest';
import { meaningOfStatus, normaliseStatus } from '../../../../src/services/gateway/record.ts';
import { read } from './body.ts';

const statusesByState = {
  queued: ',not_start,not_started,submitted,submitting,queued,queueing,pending,created,preparing,waiting,unknown'.split(
    ',',
  ),
  running: ['in_progress', 'processing', 'running', 'generating', 'streaming', 'started'],
  'needs-input': ['modal'],
  succeeded: ['success', 'succeed', 'succeeded', 'completed', 'complete', 'done', 'finished', 'ready'],
  failed: 'failure,failed,fail,error,cancel,canceled,cancelled,rejected,timeout,expired'.split(','),
} as const;

const cases = Object.entries(statusesByState).flatMap(([state, statuses]) =>
  statuses.map((word) => [word, state] as const),
);

describe('The status of a task', () => {
  it.each(cases)('The status "%s" means %s in any spelling', (word, state) => {
    const spellings = [
      word,
      word.toUpperCase(),
      ` ${word} `,
      word.replaceAll('_', '-'),
      word.replaceAll('_', ' ').toUpperCase(),
    ];
    for (const spelling of spellings) {
      for (const family of ['imgx', 'image', 'video', 'music'] as const) {
        const { snapshot, notices } = read(family, JSON.stringify({ id: 't', task_id: 't', status: spelling }));
        expect(snapshot.state, `${family}: "${spelling}"`).toBe(state);
        expect(notices, `${family}: "${spelling}"`).toEqual([]);
      }
    }
  });

  it('The status of a task distinguishes cancelled and expired from failed', () => {
    expect(meaningOfStatus('CANCEL')?.cause).toBe('cancelled');
    expect(meaningOfStatus('canceled')?.cause).toBe('cancelled');
    expect(meaningOfStatus('cancelled')?.cause).toBe('cancelled');
    expect(meaningOfStatus('expired')?.cause).toBe('expired');
    expect(meaningOfStatus('timeout')?.cause).toBe('failed');
  });

  it.each([null, 0, 3, true, {}, []])(
    'A task whose status is %j, which is not a string, counts as queued',
    (status) => {
      for (const family of ['imgx', 'image', 'video', 'music'] as const) {
        const { snapshot, notices } = read(family, JSON.stringify({ id: 't', task_id: 't', status }));
        expect(snapshot).toMatchObject({ state: 'queued', word: '', remoteId: 't' });
        expect(notices).toEqual([]);
      }
    },
  );

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'The status "%s" is unknown like any other unlisted status',
    (word) => {
      expect(meaningOfStatus(word)).toBeUndefined();
      const { snapshot, notices } = read('image', JSON.stringify({ id: 't', status: word }));
      expect(snapshot.state).toBe('running');
      expect(notices).toEqual([`word ${normaliseStatus(word)}`]);
    },
  );
});
