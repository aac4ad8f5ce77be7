import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { advance } from '../../../src/services/tasks/advance.ts';
import { hasEnded, type Task } from '../../../src/services/tasks/task.ts';
import { markAccepted } from '../../../src/services/tasks/transitions.ts';
import { taskFrom } from '../../support/tasks.ts';
import { acceptedSubmit, buildSnapshot, buildTask, minute, start } from '../orders/builders.ts';

const now = start + minute;
const acceptedTask = (): Task => markAccepted(buildTask(), acceptedSubmit, start + 1_000);
const image = { kind: 'image', address: 'https://files.example/1.png' } as const;

describe('An update of a running task', () => {
  it.each(['queued', 'running', 'needs-input'] as const)('An update of a running task to %s is applied', (state) => {
    const task = advance(acceptedTask(), buildSnapshot({ state }), now);
    expect(task).toMatchObject({ state, times: { lastPending: now } });
  });

  it('An update of a running task that arrives late never moves the task back', () => {
    const runningTask = advance(acceptedTask(), buildSnapshot({ state: 'running', progress: 40 }), now);
    const afterLateUpdate = advance(
      runningTask,
      buildSnapshot({ state: 'queued', progress: 10, word: 'SUBMITTED' }),
      now + 1,
    );
    expect(afterLateUpdate).toMatchObject({ state: 'running', progress: 40 });
  });

  it('An update of a running task keeps the tracks of a song, without URLs of streaming tracks and only with useful fields', () => {
    const track = {
      id: 'clip',
      title: 't'.repeat(300),
      audio: 'https://files.example/live',
      video: undefined,
      cover: 'https://files.example/1.png',
      lyrics: 'l'.repeat(20_000),
      style: undefined,
      seconds: 20,
      failure: undefined,
      state: 'running' as const,
    };
    const finishedTrack = { ...track, state: 'finished' as const, audio: 'https://files.example/1.mp3' };
    const { tracks } = advance(acceptedTask(), buildSnapshot({ tracks: [track, finishedTrack] }), now);
    expect(tracks?.map(({ audio, cover }) => [audio, cover])).toEqual([
      [undefined, undefined],
      ['https://files.example/1.mp3', 'https://files.example/1.png'],
    ]);
    expect(tracks?.map(({ title, lyrics }) => [title?.length, lyrics?.length])).toEqual([
      [200, 10_000],
      [200, 10_000],
    ]);
    const manyTracksSnapshot = buildSnapshot({ tracks: Array.from({ length: 500 }, () => finishedTrack) });
    expect(advance(acceptedTask(), manyTracksSnapshot, now).tracks).toHaveLength(20);
  });

  it('An update of a running task keeps at most a thousand characters of the style and the failure of a track', () => {
    const track = { id: 'clip', title: 'a', audio: undefined, video: undefined, cover: undefined, lyrics: undefined };
    const long = 's'.repeat(2_000);
    const failed = { ...track, style: long, failure: long, seconds: 20, state: 'failed' as const };
    const [stored] = advance(acceptedTask(), buildSnapshot({ tracks: [failed] }), now).tracks ?? [];
    expect([stored?.style?.length, stored?.failure?.length]).toEqual([1_000, 1_000]);
  });

  it('An update of a running task with a finished song is held back while a track still streams, but not forever', () => {
    const streaming = { id: 'clip', title: 'a', audio: undefined, video: undefined, cover: undefined };
    const track = { ...streaming, lyrics: undefined, style: undefined, seconds: undefined, failure: undefined };
    const snapshot = buildSnapshot({ state: 'succeeded', tracks: [{ ...track, state: 'running' }] });
    const waitingTask = advance(acceptedTask(), snapshot, now);
    expect(waitingTask.state).toBe('running');
    expect(
      advance(waitingTask, buildSnapshot({ ...snapshot, tracks: [{ ...track, state: 'finished' }] }), now).state,
    ).toBe('ready');
    expect(advance({ ...waitingTask, times: { ...waitingTask.times, overdue: now } }, snapshot, now).state).toBe(
      'ready',
    );
  });

  it('An update of a running task only increases the progress, and keeps it if the response omits it', () => {
    const withProgress = (task: Task, progress: number | undefined): Task =>
      advance(task, buildSnapshot({ progress }), now);
    expect(withProgress(withProgress(withProgress(acceptedTask(), 30), 20), undefined).progress).toBe(30);
    expect(withProgress(withProgress(acceptedTask(), 30), 55).progress).toBe(55);
  });

  it('An update of a running task keeps a preview with the time at which it was first seen, and without its bytes', () => {
    const first = advance(acceptedTask(), buildSnapshot({ preview: { ...image, base64: 'AAAA' } }), now);
    const second = advance(first, buildSnapshot({ preview: image }), now + minute);
    expect(second.preview).toEqual({ ...image, firstSeenAt: now });
  });

  it('An update of a running task resets the count of responses that did not know the task', () => {
    const reportedUnknown = { ...acceptedTask(), unknown: { answers: 3, since: start } };
    expect(advance(reportedUnknown, buildSnapshot(), now)).not.toHaveProperty('unknown');
  });

  it('An update of a running task keeps buttons, seed and text that a later response omits', () => {
    const actions = [{ customId: 'x::1', label: 'U1', emoji: '', style: 2 }];
    const updated = advance(acceptedTask(), buildSnapshot({ actions, seed: '7', text: 'words' }), now);
    expect(advance(updated, buildSnapshot(), now)).toMatchObject({ actions, seed: '7', text: 'words' });
  });
});

describe('A gateway that waits for a prompt', () => {
  const asking = buildSnapshot({ state: 'needs-input' });
  const withTimes = (times: object): Task => ({
    ...markAccepted(buildTask(), { ...acceptedSubmit, needsInput: true }, start),
    times: { created: start, accepted: start, ...times },
  });

  it('A prompt that was sent counts as lost if the gateway still waits for one after 20 seconds', () => {
    const sent = withTimes({ wordsSent: now });
    expect(advance(sent, asking, now + 19_999).times).toMatchObject({ wordsSent: now });
    const lost = advance(sent, asking, now + 20_000);
    expect(lost).toMatchObject({ state: 'needs-input', times: { wordsLost: now + 20_000 } });
    expect(lost.times).not.toHaveProperty('wordsSent');
  });

  it('The time counts from when the gateway accepted the prompt', () => {
    const taken = { ...withTimes({ wordsSent: now, wordsTaken: now + 5_000 }), state: 'accepted' as const };
    expect(advance(taken, asking, now + 24_999)).toMatchObject({
      state: 'accepted',
      times: { wordsTaken: now + 5_000 },
    });
    const lost = advance(taken, asking, now + 25_000);
    expect(lost.state).toBe('needs-input');
    expect(lost.times).not.toHaveProperty('wordsTaken');
  });

  it('A late report of a gateway that waits for a prompt does not stop a task that is running', () => {
    const running = { ...withTimes({}), state: 'running' as const };
    expect(advance(running, asking, now)).toMatchObject({ state: 'running', times: { lastPending: now } });
  });
});

describe('The start of a job', () => {
  const accepted = start + 1_000;
  const startedOf = (changes: Parameters<typeof buildSnapshot>[0], task = acceptedTask()) =>
    advance(task, buildSnapshot(changes), now).times.started;

  it('The start is what the gateway reports, but neither before the acceptance nor in the future', () => {
    expect(startedOf({ startedAt: accepted + 5_000 })).toBe(accepted + 5_000);
    expect(startedOf({ startedAt: start - minute })).toBe(accepted);
    expect(startedOf({ startedAt: now + minute })).toBe(now);
  });

  it('The start is relative to the submission if the gateway reports that, because its clock may be wrong', () => {
    const wrong = 10 * minute;
    expect(startedOf({ submittedAt: accepted + wrong, startedAt: accepted + wrong + 2_000 })).toBe(accepted + 2_000);
  });

  it('A job has no start while it is queued, if none is reported, or if its task was never accepted', () => {
    expect(startedOf({ startedAt: accepted, state: 'queued' })).toBeUndefined();
    expect(startedOf({})).toBeUndefined();
    const restored = { ...acceptedTask(), times: { created: start } };
    expect(startedOf({ startedAt: accepted }, restored)).toBeUndefined();
  });

  it('The first start is kept, and what the gateway reports is kept with it', () => {
    const first = advance(acceptedTask(), buildSnapshot({ startedAt: accepted + 5_000 }), now);
    const second = advance(first, buildSnapshot({ startedAt: accepted + 9_000 }), now);
    expect(second.times).toMatchObject({ started: accepted + 5_000, remoteStarted: accepted + 9_000 });
    expect(advance(second, buildSnapshot(), now).times.remoteStarted).toBe(accepted + 9_000);
  });
});

describe('The end of a task', () => {
  it('The end of a task makes it ready with the URLs of its results, the time at which they were first seen and their expiry', () => {
    const media = [{ ...image, expiresAt: now + minute, base64: 'AAAA' }];
    const task = advance(acceptedTask(), buildSnapshot({ state: 'succeeded', media, finishedAt: now - 1 }), now);
    expect(task).toMatchObject({ state: 'ready', progress: 100, times: { ended: now, remoteFinished: now - 1 } });
    expect(task.media).toEqual([{ ...image, expiresAt: now + minute, firstSeenAt: now }]);
    expect(task.preview).toBeUndefined();
  });

  it('The end of a task keeps its cost, and the time at which a known address was first seen', () => {
    const previous: Task = { ...acceptedTask(), media: [{ ...image, firstSeenAt: start }] };
    const task = advance(previous, buildSnapshot({ state: 'succeeded', media: [image], cost: '0.07' }), now);
    expect(task).toMatchObject({ cost: '0.07', media: [{ firstSeenAt: start }] });
    expect(advance(acceptedTask(), buildSnapshot({ state: 'succeeded' }), now)).not.toHaveProperty('cost');
    const inline = { kind: 'image' as const };
    const unnamed: Task = { ...acceptedTask(), media: [{ ...inline, firstSeenAt: start }] };
    expect(advance(unnamed, buildSnapshot({ state: 'succeeded', media: [inline] }), now).media[0]?.firstSeenAt).toBe(
      now,
    );
  });

  it.each(['failed', 'cancelled', 'expired'] as const)(
    'The end of a task makes it %s with the reason if the gateway reports that',
    (cause) => {
      const failure = { cause, reason: 'no', code: '1' };
      const task = advance(acceptedTask(), buildSnapshot({ state: 'failed', failure }), now);
      expect(task).toMatchObject({ state: cause, failure, times: { ended: now } });
    },
  );

  it('The end of a task makes it failed if the gateway gives no reason at all', () => {
    expect(advance(acceptedTask(), buildSnapshot({ state: 'failed' }), now).state).toBe('failed');
  });

  it('The end of a task is final whatever later updates say', () => {
    const readyTask = advance(acceptedTask(), buildSnapshot({ state: 'succeeded' }), now);
    for (const state of ['queued', 'running', 'failed', 'succeeded'] as const) {
      expect(advance(readyTask, buildSnapshot({ state }), now + minute)).toBe(readyTask);
    }
  });
});

describe('Updates of a task in any order', () => {
  const update = fc.record({
    state: fc.constantFrom('queued', 'running', 'needs-input', 'succeeded', 'failed'),
    progress: fc.option(fc.integer({ min: 0, max: 100 }), { nil: undefined }),
  });

  it('Updates of a task in any order leave a task that the store accepts and whose progress and end are never reverted', () => {
    fc.assert(
      fc.property(fc.array(update, { maxLength: 12 }), (updates) => {
        let task = acceptedTask();
        for (const [index, changes] of updates.entries()) {
          const previous = task;
          task = advance(previous, buildSnapshot(changes), now + index);
          expect(task.progress ?? 0).toBeGreaterThanOrEqual(previous.progress ?? 0);
          if (hasEnded(previous)) expect(task).toBe(previous);
          if (previous.state === 'running' && !hasEnded(task)) expect(task.state).toBe('running');
        }
        expect(taskFrom(JSON.parse(JSON.stringify(task)))).toMatchObject({ state: task.state });
      }),
    );
  });
});
