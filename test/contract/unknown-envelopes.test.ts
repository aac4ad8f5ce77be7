import { FormData } from 'undici';
import { describe, expect, it } from 'vitest';
import { guessKind } from '../../src/services/gateway/model-families.ts';
import { collectRequestWords } from '../../src/services/gateway/read/search/results.ts';
import { describeVariants } from '../support/variants.ts';
import { type Fixture, failureOf, openFixture, profiles } from './both.ts';

describeVariants(profiles)('A %s gateway with undocumented envelopes', (profile) => {
  const startFixture = () => openFixture({ profile, quirks: { unknownEnvelopes: true } });

  it('An image-prompt task is accepted, followed and finished through an unknown envelope, with its buttons', async () => {
    const fixture = await startFixture();
    const { imgx } = fixture.gateway;
    const { remoteId } = await imgx.imagine({ prompt: 'a lighthouse' });
    expect(fixture.embedded.jobs.get(remoteId)).toBeDefined();
    const halfway = await fixture.pollUntil(
      () => imgx.get(remoteId),
      ({ state, progress = 0 }) => state === 'running' && progress > 20,
    );
    expect(halfway.media).toEqual([]);
    const grid = await fixture.pollUntil(() => imgx.get(remoteId));
    expect(grid).toMatchObject({ state: 'succeeded', remoteId });
    expect(grid.media).toMatchObject([{ kind: 'image' }]);
    expect(grid.actions.map(({ label }) => label)).toEqual(expect.arrayContaining(['U1', 'V4']));
    const customId = grid.actions.find(({ label }) => label === 'U1')?.customId ?? '';
    const upscale = await imgx.action({ taskId: remoteId, customId });
    expect(upscale.remoteId).not.toBe(remoteId);
    expect((await fixture.pollUntil(() => imgx.get(upscale.remoteId))).state).toBe('succeeded');
  });

  it('A batch through an unknown envelope has each task under the id that was polled', async () => {
    const fixture = await startFixture();
    const { imgx, music } = fixture.gateway;
    const first = await imgx.imagine({ prompt: 'one' });
    const second = await imgx.imagine({ prompt: 'two' });
    const snapshots = await imgx.getMany([first.remoteId, second.remoteId]);
    expect([...snapshots.keys()].toSorted()).toEqual([first.remoteId, second.remoteId].toSorted());
    expect([...snapshots.values()].map(({ state }) => state)).toEqual(['queued', 'queued']);
    const song = await music.makeSong({ about: 'a lighthouse' });
    expect([...(await music.getMany([song.remoteId])).keys()]).toEqual([song.remoteId]);
  });

  it('An image job is finished through an unknown envelope', async () => {
    const fixture = await startFixture();
    const { imageJobs, models } = fixture.gateway;
    const model = (await models.list()).find((one) => guessKind(one) === 'image')?.id ?? '';
    const order = { model, prompt: 'a lighthouse' };
    const { remoteId } = await imageJobs.create(order, { idempotencyKey: 'order-0001' });
    const done = await fixture.pollUntil(() => imageJobs.get(remoteId));
    expect(done).toMatchObject({ state: 'succeeded', media: [{ kind: 'image' }] });
  });

  it('A video is finished through an unknown envelope at both endpoints', async () => {
    const fixture = await startFixture();
    const { videos, v1Videos } = fixture.gateway;
    const order = { model: 'reel-2', prompt: 'waves' };
    for (const endpoint of [videos, v1Videos]) {
      const { remoteId } = await endpoint.create(order);
      const done = await fixture.pollUntil(() => endpoint.get(remoteId));
      expect(done).toMatchObject({ state: 'succeeded', media: [{ kind: 'video' }] });
    }
  });

  it('A song is finished through an unknown envelope, with its tracks', async () => {
    const fixture = await startFixture();
    const { music } = fixture.gateway;
    const { remoteId } = await music.makeSong({ about: 'a lighthouse', title: 'Light' });
    const done = await fixture.pollUntil(() => music.get(remoteId));
    expect(done.tracks).toMatchObject([{ title: 'Light', state: 'finished' }, { state: 'finished' }]);
    expect(done.media).toHaveLength(2);
  });
});

describe('The content of a request', () => {
  const parent = '0c5b1c1e-5a0e-4f4c-9a2b-1f7d0a6e2b11';
  const respondWith = (fixture: Fixture, path: RegExp, body: object) =>
    fixture.embedded.faults.add({ on: { path }, do: { type: 'body', body: JSON.parse(JSON.stringify(body)) } });

  it('The content of a request is not mistaken for the id of the new task, unless the order continues that task', async () => {
    const fixture = await openFixture();
    const { imgx } = fixture.gateway;
    const action = { taskId: parent, customId: 'MJ::JOB::reroll::0::x' };
    respondWith(fixture, /submit\/action/, { code: 1, result: parent, payload: { generationId: 'job-2' } });
    expect((await imgx.action(action)).remoteId).toBe('job-2');
    respondWith(fixture, /submit\/action/, { code: 1, result: parent });
    expect(await failureOf(imgx.action(action))).toMatchObject({ kind: 'malformed', mayHaveTakenEffect: true });
    respondWith(fixture, /submit\/modal/, { code: 1, result: parent });
    expect((await imgx.modal({ taskId: parent, prompt: 'a fox' })).remoteId).toBe(parent);
  });

  it('The content of a request is not mistaken for the result of its task', async () => {
    const fixture = await openFixture();
    const { videos } = fixture.gateway;
    const reference = 'https://me.example/reference.mp4';
    respondWith(fixture, /generations$/, { task_id: 'task-1', status: 'queued' });
    await videos.create({ model: 'reel-2', prompt: 'waves', images: [reference] });
    const job = { jobId: 'task-1', jobStatus: 'done', harvest: reference };
    respondWith(fixture, /task-1$/, { parcel: job });
    expect(await videos.get('task-1')).toMatchObject({ state: 'succeeded', media: [] });
    respondWith(fixture, /task-1$/, { parcel: { ...job, fruit: 'https://cdn.example/new.mp4' } });
    expect((await videos.get('task-1')).media).toEqual([{ kind: 'video', address: 'https://cdn.example/new.mp4' }]);
  });

  it('The content of a request is recognized even as JSON text or as a form', () => {
    const form = new FormData();
    form.append('input_reference', 'https://me.example/reference.png');
    expect([...collectRequestWords({ body: form })]).toEqual(['https://me.example/reference.png']);
    expect([
      ...collectRequestWords({
        body: '{"image":"https://me.example/a.png","n":4}',
        headers: { 'idempotency-key': 'order-0001' },
      }),
    ]).toEqual(['https://me.example/a.png', 'order-0001']);
  });
});
