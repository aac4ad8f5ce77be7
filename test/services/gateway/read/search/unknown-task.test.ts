import { describe, expect, it } from 'vitest';
import type { Family } from '../../../../../src/services/gateway/read/table.ts';
import type { Snapshot } from '../../../../../src/services/gateway/snapshot.ts';
import { MP4, PNG, type ReadResult, read, responseContext } from '../body.ts';

const VIDEO_URL = 'https://cdn.example/out/result.mp4';
const URL_WITHOUT_TYPE = 'https://cdn.example/f/7c1';
const REFERENCE_URL = 'https://me.example/own.mp4';

const readResponse = (response: unknown, family: Family = 'video', ownUrls: readonly string[] = []): ReadResult =>
  read(family, JSON.stringify(response), { ...responseContext, requestUrls: ownUrls });
const snapshotOf = (...args: Parameters<typeof readResponse>): Snapshot => readResponse(...args).snapshot;

const finishedTask = (fields: object): object => ({
  parcel: { generationId: 'g-1', jobPhase: 'Completed', ...fields },
});

describe('The state of a task in an unknown place', () => {
  it.each([
    ['a job with unknown names', { envelope: { parcel: { generationId: 'g-1', jobPhase: 'FAILED' } } }, 'failed'],
    ['another casing', { Data: { TaskId: 'g-1', TaskStatus: 'inProgress' } }, 'running'],
    ['a name next to the id', { status: 'success', parcel: { taskId: 'g-1', stage: 'queued' } }, 'queued'],
    ['a record called a job', { status: 'ok', currentJob: { phase: 'done' } }, 'succeeded'],
    [
      'the field `status` rather than `stage`',
      { parcel: { taskId: 'g-1', stage: 'final touches', status: 'completed' } },
      'succeeded',
    ],
  ])('The state of a task is found in %s', (_where, response, state) => {
    expect(snapshotOf(response)).toMatchObject({ state, media: [] });
  });

  it('The state of a task with an unknown status is running, whatever media are next to it', () => {
    const { snapshot, notices } = readResponse({
      parcel: { taskId: 'g-1', phase: 'developing', resultUrl: VIDEO_URL },
    });
    expect(snapshot).toMatchObject({ state: 'running', media: [] });
    expect(notices).toEqual(['word developing']);
    const withOuterUrl = { parcel: { taskId: 'g-1', phase: 'developing' }, url: VIDEO_URL };
    expect(snapshotOf(withOuterUrl)).toMatchObject({ state: 'running', media: [] });
  });

  it('The state of a task is running if two status words of equal rank contradict each other', () => {
    const response = { parcel: { taskId: 'g-1', phase: 'done', stage: 'failed' }, url: VIDEO_URL };
    expect(snapshotOf(response)).toMatchObject({ state: 'running', media: [] });
  });

  it.each([
    ['the account', { account: { status: 'expired' }, taskId: 'g-1' }],
    ['the webhook', { taskId: 'g-1', webhook: { state: 'failed' } }],
    ['moderation', { taskId: 'g-1', moderationStatus: 'done' }],
    ['items of a list', { taskId: 'g-1', steps: [{ status: 'done' }, { status: 'failed' }] }],
    ['a wrapper', { taskId: 'g-1', wrapper: { status: 'success' } }],
  ])('The state of a task is not taken from %s', (_what, response) => {
    expect(snapshotOf(response)).toMatchObject({ state: 'queued', word: '' });
  });

  it('The state of a task is not taken from the caller’s own tag in the image-prompt family', () => {
    expect(snapshotOf({ parcel: { jobId: 'g-1', state: 'failed' } }, 'imgx').state).toBe('queued');
  });
});

describe('The progress of a task in an unknown place', () => {
  it.each([
    [{ percentComplete: 45 }, 45],
    [{ percentComplete: '45%' }, 45],
    [{ PROGRESS_PERCENT: 0.45 }, 45],
    [{ completionRatio: 1 }, 100],
    [{ progress: { value: 12 } }, 12],
    [{ percent: 30, PctDone: 60 }, undefined],
    [{ percentComplete: 250 }, undefined],
    [{ percentComplete: '9'.repeat(1_000) }, undefined],
    [{ progressUpdateTime: 45 }, undefined],
    [{ usage: { percent: 45 } }, undefined],
  ])('The progress of a task is read from %j as %s', (fields, progress) => {
    expect(snapshotOf({ parcel: { taskId: 'g-1', phase: 'running', ...fields } }).progress).toBe(progress);
  });
});

describe('The result of a task in an unknown place', () => {
  it.each([
    ['a string', { creation: VIDEO_URL }],
    ['a record', { creation: { link: VIDEO_URL, width: 1 } }],
    ['a list', { creations: [VIDEO_URL] }],
    ['a list of records', { creations: [{ href: VIDEO_URL, cover: 'https://cdn.example/c.png' }] }],
    ['a map', { creations: { '0': { href: VIDEO_URL } } }],
    ['a value with a meaningless name', { harvest: VIDEO_URL }],
    ['a URL without a file extension under a name that says what it is', { renderedVideo: VIDEO_URL.slice(0, -4) }],
    ['two places with the same value', { creation: VIDEO_URL, resultUrl: VIDEO_URL }],
  ])('The result of a task is found as %s', (_what, fields) => {
    const media = snapshotOf(finishedTask(fields)).media.map(({ address }) => address?.replace('.mp4', ''));
    expect(media).toEqual([VIDEO_URL.slice(0, -4)]);
  });

  it('The result of a task keeps all items of a list, in their order', () => {
    const list = ['b', 'a', 'c'].map((name) => ({ link: `https://cdn.example/${name}.mp4` }));
    expect(snapshotOf(finishedTask({ creations: list })).media.map(({ address }) => address)).toEqual(
      list.map(({ link }) => link),
    );
  });

  it('The result of a task may be the file itself', () => {
    expect(snapshotOf(finishedTask({ harvest: MP4 })).media).toEqual([{ kind: 'video', base64: MP4 }]);
    expect(snapshotOf(finishedTask({ harvest: PNG })).media).toEqual([]);
  });

  it.each([
    ['one of two equal candidates', { left: VIDEO_URL, right: 'https://cdn.example/other.mp4' }],
    [
      'a cover',
      { cover: VIDEO_URL, coverUrl: VIDEO_URL, thumbnail: VIDEO_URL, poster: VIDEO_URL, preview_url: VIDEO_URL },
    ],
    ['a page', { pageUrl: URL_WITHOUT_TYPE, shareLink: VIDEO_URL, creation: 'https://cdn.example/view.html' }],
    ['a file of another kind', { creation: 'https://cdn.example/still.jpg' }],
    ['a URL whose type is clear neither from its path nor from its field name', { harvest: URL_WITHOUT_TYPE }],
    ['a value that the response repeats from the request', { input: { file: VIDEO_URL }, harvest: VIDEO_URL }],
    ['a URL in the prompt', { prompt: `like ${VIDEO_URL}`, harvest: `${VIDEO_URL}?sig=1` }],
    ['a request field next to the prompt', { prompt: 'waves', video: VIDEO_URL }],
    ['a mask, an avatar or a first frame', { mask: VIDEO_URL, avatar: VIDEO_URL, firstFrame: VIDEO_URL }],
    ['a URL of more than 8,192 characters', { creation: `https://cdn.example/${'x'.repeat(10_000)}.mp4` }],
  ])('The result of a task is never taken from %s', (_what, fields) => {
    expect(snapshotOf(finishedTask(fields))).toMatchObject({ state: 'succeeded', media: [], isEmpty: true });
  });

  it('The result of a task is never a reference that the request contained, even in a known place', () => {
    expect(
      snapshotOf(finishedTask({ harvest: `${REFERENCE_URL}?ex=1`, creation: VIDEO_URL }), 'video', [REFERENCE_URL])
        .media,
    ).toEqual([{ kind: 'video', address: VIDEO_URL }]);
    expect(snapshotOf(finishedTask({ harvest: REFERENCE_URL }), 'video', [REFERENCE_URL]).media).toEqual([]);
    expect(
      snapshotOf({ task_id: 't', status: 'succeeded', url: REFERENCE_URL }, 'video', [REFERENCE_URL]).media,
    ).toEqual([]);
  });

  it('The result of a task is not searched for in a response of more than 5,000 values', () => {
    const fields = Object.fromEntries(Array.from({ length: 6_000 }, (_, index) => [`n${index}`, index]));
    expect(snapshotOf({ task_id: 't', status: 'succeeded', creation: VIDEO_URL, fields }).media).toEqual([]);
  });
});
