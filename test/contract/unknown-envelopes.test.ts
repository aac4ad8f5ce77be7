import { describe, expect, it } from 'vitest';
import { guessKind } from '../../src/services/models/families.ts';
import { both, profiles } from './both.ts';

describe.each(profiles)('A %s gateway whose envelopes no document shows', (profile) => {
  const open = () => both({ profile, quirks: { unknownEnvelopes: true } });

  it('An image-prompt task is accepted, followed and finished through an unknown envelope, with its buttons', async () => {
    const side = await open();
    const { imgx } = side.gateway;
    const { remoteId } = await imgx.imagine({ prompt: 'a lighthouse' });
    expect(side.embedded.jobs.get(remoteId)).toBeDefined();
    const halfway = await side.until(
      () => imgx.get(remoteId),
      ({ state, progress = 0 }) => state === 'running' && progress > 20,
    );
    expect(halfway.media).toEqual([]);
    const grid = await side.until(() => imgx.get(remoteId));
    expect(grid).toMatchObject({ state: 'succeeded', remoteId });
    expect(grid.media).toMatchObject([{ kind: 'image' }]);
    expect(grid.actions.map(({ label }) => label)).toEqual(expect.arrayContaining(['U1', 'V4']));
    const upscale = await imgx.change({ taskId: remoteId, action: 'UPSCALE', index: 1 });
    expect(upscale.remoteId).not.toBe(remoteId);
    expect((await side.until(() => imgx.get(upscale.remoteId))).state).toBe('succeeded');
  });

  it('A batch through an unknown envelope has each task under the id that was polled', async () => {
    const side = await open();
    const { imgx, music } = side.gateway;
    const one = await imgx.imagine({ prompt: 'one' });
    const two = await imgx.imagine({ prompt: 'two' });
    const many = await imgx.getMany([one.remoteId, two.remoteId]);
    expect([...many.keys()].toSorted()).toEqual([one.remoteId, two.remoteId].toSorted());
    expect([...many.values()].map(({ state }) => state)).toEqual(['queued', 'queued']);
    const song = await music.makeSong({ about: 'a lighthouse' });
    expect([...(await music.getMany([song.remoteId])).keys()]).toEqual([song.remoteId]);
  });

  it('An image job is finished through an unknown envelope', async () => {
    const side = await open();
    const { imageJobs, models } = side.gateway;
    const model = (await models.list()).find((one) => guessKind(one) === 'image')?.id ?? '';
    const order = { model, prompt: 'a lighthouse' };
    const { remoteId } = await imageJobs.create(order, { idempotencyKey: 'order-0001' });
    const done = await side.until(() => imageJobs.get(remoteId));
    expect(done).toMatchObject({ state: 'succeeded', media: [{ kind: 'image' }] });
  });

  it('A video is finished through an unknown envelope at both entries', async () => {
    const side = await open();
    const { videos, v1Videos } = side.gateway;
    const order = { model: 'reel-2', prompt: 'waves' };
    for (const entry of [videos, v1Videos]) {
      const { remoteId } = await entry.create(order);
      const done = await side.until(() => entry.get(remoteId));
      expect(done).toMatchObject({ state: 'succeeded', media: [{ kind: 'video' }] });
    }
  });

  it('A song is finished through an unknown envelope, with its tracks', async () => {
    const side = await open();
    const { music } = side.gateway;
    const { remoteId } = await music.makeSong({ about: 'a lighthouse', title: 'Light' });
    const done = await side.until(() => music.get(remoteId));
    expect(done.tracks).toMatchObject([{ title: 'Light', state: 'finished' }, { state: 'finished' }]);
    expect(done.media).toHaveLength(2);
  });
});
