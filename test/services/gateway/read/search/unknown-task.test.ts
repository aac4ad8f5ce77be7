import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../../../../src/services/gateway/read/snapshot.ts';
import type { Family } from '../../../../../src/services/gateway/read/table.ts';
import { MP4, PNG, place, type Reading, read } from '../body.ts';

const VIDEO = 'https://cdn.example/out/result.mp4';
const BARE = 'https://cdn.example/f/7c1';
const OWN = 'https://me.example/own.mp4';

const reading = (answer: unknown, family: Family = 'video', own: readonly string[] = []): Reading =>
  read(family, JSON.stringify(answer), { ...place, own });
const snapshotOf = (...args: Parameters<typeof reading>): Snapshot => reading(...args).snapshot;

const done = (fields: object): object => ({ parcel: { generationId: 'g-1', jobPhase: 'Completed', ...fields } });

describe('The state of a task in no known place', () => {
  it.each([
    ['a job with unknown names', { envelope: { parcel: { generationId: 'g-1', jobPhase: 'FAILED' } } }, 'failed'],
    ['another casing', { Data: { TaskId: 'g-1', TaskStatus: 'inProgress' } }, 'running'],
    ['a name next to the id', { status: 'success', parcel: { taskId: 'g-1', stage: 'queued' } }, 'queued'],
    ['a record called a job', { status: 'ok', currentJob: { phase: 'done' } }, 'succeeded'],
    ['status before stage', { parcel: { taskId: 'g-1', stage: 'final touches', status: 'completed' } }, 'succeeded'],
  ])('The state of a task is found in %s', (_where, answer, state) => {
    expect(snapshotOf(answer)).toMatchObject({ state, media: [] });
  });

  it('The state of a task is running for an unknown word, whatever media are next to it', () => {
    const { snapshot, notices } = reading({ parcel: { taskId: 'g-1', phase: 'developing', resultUrl: VIDEO } });
    expect(snapshot).toMatchObject({ state: 'running', media: [] });
    expect(notices).toEqual(['word developing']);
    const listed = { parcel: { taskId: 'g-1', phase: 'developing' }, url: VIDEO };
    expect(snapshotOf(listed)).toMatchObject({ state: 'running', media: [] });
  });

  it('The state of a task is running if two status words of equal rank contradict each other', () => {
    const answer = { parcel: { taskId: 'g-1', phase: 'done', stage: 'failed' }, url: VIDEO };
    expect(snapshotOf(answer)).toMatchObject({ state: 'running', media: [] });
  });

  it.each([
    ['the account', { account: { status: 'expired' }, taskId: 'g-1' }],
    ['the webhook', { taskId: 'g-1', webhook: { state: 'failed' } }],
    ['moderation', { taskId: 'g-1', moderationStatus: 'done' }],
    ['items of a list', { taskId: 'g-1', steps: [{ status: 'done' }, { status: 'failed' }] }],
    ['a wrapper', { taskId: 'g-1', wrapper: { status: 'success' } }],
  ])('The state of a task is not taken from %s', (_what, answer) => {
    expect(snapshotOf(answer)).toMatchObject({ state: 'queued', word: '' });
  });

  it('The state of a task is not taken from the caller’s own tag in the image-prompt family', () => {
    expect(snapshotOf({ parcel: { jobId: 'g-1', state: 'failed' } }, 'imgx').state).toBe('queued');
  });
});

describe('The progress of a task in no known place', () => {
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

describe('The result of a task in no known place', () => {
  it.each([
    ['a string', { creation: VIDEO }],
    ['a record', { creation: { link: VIDEO, width: 1 } }],
    ['a list', { creations: [VIDEO] }],
    ['a list of records', { creations: [{ href: VIDEO, cover: 'https://cdn.example/c.png' }] }],
    ['a map', { creations: { '0': { href: VIDEO } } }],
    ['a value with a meaningless name', { harvest: VIDEO }],
    ['a URL without a file extension under a name that says what it is', { renderedVideo: VIDEO.slice(0, -4) }],
    ['two places with the same value', { creation: VIDEO, resultUrl: VIDEO }],
  ])('The result of a task is found as %s', (_what, fields) => {
    const media = snapshotOf(done(fields)).media.map(({ address }) => address?.replace('.mp4', ''));
    expect(media).toEqual([VIDEO.slice(0, -4)]);
  });

  it('The result of a task keeps all items of a list, in their order', () => {
    const list = ['b', 'a', 'c'].map((name) => ({ link: `https://cdn.example/${name}.mp4` }));
    expect(snapshotOf(done({ creations: list })).media.map(({ address }) => address)).toEqual(
      list.map(({ link }) => link),
    );
  });

  it('The result of a task may be the file itself', () => {
    expect(snapshotOf(done({ harvest: MP4 })).media).toEqual([{ kind: 'video', base64: MP4 }]);
    expect(snapshotOf(done({ harvest: PNG })).media).toEqual([]);
  });

  it.each([
    ['one of two equal candidates', { left: VIDEO, right: 'https://cdn.example/other.mp4' }],
    ['a cover', { cover: VIDEO, coverUrl: VIDEO, thumbnail: VIDEO, poster: VIDEO, preview_url: VIDEO }],
    ['a page', { pageUrl: BARE, shareLink: VIDEO, creation: 'https://cdn.example/view.html' }],
    ['a file of another kind', { creation: 'https://cdn.example/still.jpg' }],
    ['a URL and a name that both do not reveal what it leads to', { harvest: BARE }],
    ['a value that the response repeats from the request', { input: { file: VIDEO }, harvest: VIDEO }],
    ['a URL in the prompt', { prompt: `like ${VIDEO}`, harvest: `${VIDEO}?sig=1` }],
    ['a request field next to the prompt', { prompt: 'waves', video: VIDEO }],
    ['a mask, an avatar or a first frame', { mask: VIDEO, avatar: VIDEO, firstFrame: VIDEO }],
    ['a URL of more than 8,192 characters', { creation: `https://cdn.example/${'x'.repeat(10_000)}.mp4` }],
  ])('The result of a task is never taken from %s', (_what, fields) => {
    expect(snapshotOf(done(fields))).toMatchObject({ state: 'succeeded', media: [], isEmpty: true });
  });

  it('The result of a task is never a reference that the request contained, even in a known place', () => {
    expect(snapshotOf(done({ harvest: `${OWN}?ex=1`, creation: VIDEO }), 'video', [OWN]).media).toEqual([
      { kind: 'video', address: VIDEO },
    ]);
    expect(snapshotOf(done({ harvest: OWN }), 'video', [OWN]).media).toEqual([]);
    expect(snapshotOf({ task_id: 't', status: 'succeeded', url: OWN }, 'video', [OWN]).media).toEqual([]);
  });

  it('The result of a task is not searched for in a response of more than 5,000 values', () => {
    const fields = Object.fromEntries(Array.from({ length: 6_000 }, (_, at) => [`n${at}`, at]));
    expect(snapshotOf({ task_id: 't', status: 'succeeded', creation: VIDEO, fields }).media).toEqual([]);
  });
});
