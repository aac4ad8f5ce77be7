import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../src/services/gateway/snapshot.ts';
import { itVariants } from '../support/variants.ts';
import { type Fixture, failureOf, lastRequest, openFixture, profiles, redImage } from './both.ts';

const waitForEnd = async (fixture: Fixture, submission: { remoteId: string }): Promise<Snapshot> =>
  fixture.pollUntil(() => fixture.gateway.imgx.get(submission.remoteId));

function buttonId(snapshot: Snapshot, pattern: RegExp): string {
  const button = snapshot.actions.find(({ customId }) => pattern.test(customId));
  if (!button)
    throw new Error(`No button like ${pattern} among ${snapshot.actions.map(({ customId }) => customId).join(' ')}`);
  return button.customId;
}

describe.each(profiles)('The image-prompt family of a %s gateway', (profile) => {
  it('An imagine task is queued, runs with progress and a preview, and ends in a grid with its buttons', async () => {
    const fixture = await openFixture({ profile });
    const { imgx } = fixture.gateway;
    const submission = await imgx.imagine({
      prompt: 'a lighthouse --ar 16:9',
      images: [redImage],
      callbackUrl: 'http://127.0.0.1:9/callback',
    });
    expect(lastRequest(fixture, '/imgx/submit/imagine').body).toEqual({
      prompt: 'a lighthouse --ar 16:9',
      base64Array: [redImage],
      notifyHook: 'http://127.0.0.1:9/callback',
    });
    expect(submission.needsInput).toBe(false);
    expect((await imgx.get(submission.remoteId)).state).toBe('queued');
    const halfway = await fixture.pollUntil(
      () => imgx.get(submission.remoteId),
      ({ state, progress = 0 }) => state === 'running' && progress > 20,
    );
    expect(halfway.preview?.address).toMatch(/^http/);
    expect(halfway.media).toEqual([]);
    const done = await waitForEnd(fixture, submission);
    expect(done).toMatchObject({ state: 'succeeded', action: 'IMAGINE', progress: 100 });
    expect(done.media).toHaveLength(1);
    expect(done.actions.map(({ label }) => label)).toEqual(expect.arrayContaining(['U1', 'U4', 'V1', 'V4']));
    expect(done.submittedAt).toBeGreaterThan(Date.UTC(2025, 11, 31));
    expect(done.finishedAt).toBeGreaterThan(done.submittedAt ?? 0);
    expect(fixture.logLines).toEqual([]);
  });

  it('Every button of a grid and of an upscale is carried out', async () => {
    const fixture = await openFixture({ profile, quirks: { refusedActions: false } });
    const { imgx } = fixture.gateway;
    const grid = await waitForEnd(fixture, await imgx.imagine({ prompt: 'a lighthouse' }));
    const taskId = grid.remoteId ?? '';
    const upscaled = await waitForEnd(fixture, await imgx.action({ taskId, customId: buttonId(grid, /upsample::2/) }));
    expect(upscaled).toMatchObject({ state: 'succeeded' });
    for (const pattern of [/variation::3/, /reroll/]) {
      const next = await waitForEnd(fixture, await imgx.action({ taskId, customId: buttonId(grid, pattern) }));
      expect(next.state).toBe('succeeded');
      expect(next.remoteId).not.toBe(taskId);
    }
    for (const { customId } of upscaled.actions) {
      if (/CustomZoom|Inpaint|BOOKMARK/i.test(customId)) continue;
      const next = await waitForEnd(fixture, await imgx.action({ taskId: upscaled.remoteId ?? '', customId }));
      expect(next.state, customId).toBe('succeeded');
    }
  });

  itVariants([/CustomZoom/, /Inpaint/])(
    'A task waits for a prompt after %s and continues once it has one',
    async (pattern) => {
      const fixture = await openFixture({ profile });
      const { imgx } = fixture.gateway;
      const grid = await waitForEnd(fixture, await imgx.imagine({ prompt: 'a lighthouse' }));
      const upscale = await imgx.action({ taskId: grid.remoteId ?? '', customId: buttonId(grid, /upsample::1/) });
      const upscaled = await waitForEnd(fixture, upscale);
      const waiting = await imgx.action({ taskId: upscaled.remoteId ?? '', customId: buttonId(upscaled, pattern) });
      expect(waiting.needsInput).toBe(true);
      expect((await imgx.get(waiting.remoteId)).state).toBe('needs-input');
      const continued = await imgx.modal({
        taskId: waiting.remoteId,
        prompt: 'a lighthouse --zoom 1.8',
        ...(pattern.source === 'Inpaint' ? { mask: redImage } : {}),
      });
      expect((await waitForEnd(fixture, continued)).state).toBe('succeeded');
    },
  );

  it('The client detects that a task waits for a prompt even if a proxy has rewritten its code', async () => {
    const fixture = await openFixture({ profile: 'stock', quirks: { remix: true, rewriteCodes: true } });
    const { imgx } = fixture.gateway;
    const grid = await waitForEnd(fixture, await imgx.imagine({ prompt: 'a lighthouse' }));
    const variation = await imgx.action({ taskId: grid.remoteId ?? '', customId: buttonId(grid, /variation::1/) });
    expect(variation).toMatchObject({ needsInput: true, finalPrompt: 'a lighthouse' });
    expect((await imgx.get(variation.remoteId)).state).toBe('needs-input');
  });

  it('A result can be changed by a short text with its id first or last', async () => {
    for (const simpleChangeOrder of ['action-first', 'id-first'] as const) {
      const quirks = { idFirst: simpleChangeOrder === 'id-first' };
      const fixture = await openFixture({ profile, quirks, settings: { simpleChangeOrder } });
      const { imgx } = fixture.gateway;
      const grid = await waitForEnd(fixture, await imgx.imagine({ prompt: 'a lighthouse' }));
      const taskId = grid.remoteId ?? '';
      const simple = await imgx.simpleChange({ taskId, action: 'VARIATION', index: 3 });
      expect(lastRequest(fixture, '/imgx/submit/simple-change').body).toEqual({
        content: simpleChangeOrder === 'action-first' ? `V3 ${taskId}` : `${taskId} V3`,
      });
      expect((await waitForEnd(fixture, simple)).state).toBe('succeeded');
    }
  });

  it.each(['base64Array', 'base64'])('Images sent as %s are described in four lines', async (describeField) => {
    const fixture = await openFixture({
      profile,
      quirks: { refusedActions: false },
      settings: { fields: { ...fields, describeField } },
    });
    const { imgx } = fixture.gateway;
    const described = await waitForEnd(fixture, await imgx.describe({ images: [redImage] }));
    expect(Object.keys(lastRequest(fixture, '/imgx/submit/describe').body as object)).toContain(describeField);
    expect(described.text?.split('\n').filter((line) => line.trim() !== '')).toHaveLength(4);
    expect(described.isEmpty).toBe(false);
    const line = await imgx.action({ taskId: described.remoteId ?? '', customId: buttonId(described, /PicReader::1/) });
    expect(line.needsInput).toBe(true);
  });

  it('The image-prompt family shortens, blends, uploads and animates', async () => {
    const fixture = await openFixture({ profile });
    const { imgx } = fixture.gateway;
    const shortened = await waitForEnd(
      fixture,
      await imgx.shorten({ prompt: 'a very very old lighthouse in a storm at dusk' }),
    );
    expect(shortened.text).toContain('lighthouse');
    const blended = await waitForEnd(fixture, await imgx.blend({ images: [redImage, redImage], shape: 'PORTRAIT' }));
    expect(lastRequest(fixture, '/imgx/submit/blend').body).toMatchObject({ dimensions: 'PORTRAIT' });
    expect(blended.actions.length).toBeGreaterThan(8);
    const [url] = await imgx.upload({ images: [redImage] });
    expect((await fetch(url ?? '')).headers.get('content-type')).toBe('image/png');
    const video = await waitForEnd(fixture, await imgx.video({ prompt: 'waves', motion: 'low', image: redImage }));
    expect(video.media[0]).toMatchObject({ kind: 'video' });
  });

  it('Many image-prompt tasks are returned in one response that omits unknown ones', async () => {
    const fixture = await openFixture({ profile });
    const { imgx } = fixture.gateway;
    const one = await imgx.imagine({ prompt: 'one' });
    const two = await imgx.imagine({ prompt: 'two' });
    const snapshots = await imgx.getMany([two.remoteId, 'nobody', one.remoteId]);
    expect([...snapshots.keys()].toSorted()).toEqual([one.remoteId, two.remoteId].toSorted());
    await expect(imgx.getMany(['nobody'])).resolves.toEqual(new Map());
  });

  it('An unknown image-prompt task is reported as not found', async () => {
    const { gateway } = await openFixture({ profile });
    expect(await failureOf(gateway.imgx.get('1320098173412546'))).toMatchObject({ kind: 'not-found' });
    const action = gateway.imgx.action({ taskId: '1320098173412546', customId: 'MJ::JOB::upsample::1::x' });
    expect(await failureOf(action)).toMatchObject({ kind: 'not-found', mayHaveTakenEffect: false });
  });

  it('A button that the gateway does not carry out is reported as refused', async () => {
    const fixture = await openFixture({ profile, quirks: { refusedActions: true } });
    const { imgx } = fixture.gateway;
    const grid = await waitForEnd(fixture, await imgx.imagine({ prompt: 'a lighthouse' }));
    const refusal = await failureOf(imgx.action({ taskId: grid.remoteId ?? '', customId: 'MJ::BOOKMARK::x' }));
    expect(refusal).toMatchObject({ kind: 'not-offered', mayHaveTakenEffect: false });
    expect(refusal.message).toContain('unknown_action');
  });

  it('Ids that are sent as numbers keep every digit', async () => {
    const fixture = await openFixture({ profile: 'stock', quirks: { numericIds: true } });
    const { remoteId } = await fixture.gateway.imgx.imagine({ prompt: 'a lighthouse' });
    expect(fixture.embedded.jobs.get(remoteId)).toBeDefined();
    expect((await fixture.gateway.imgx.get(remoteId)).remoteId).toBe(remoteId);
  });
});

const fields = {
  referenceVideos: 'reference_video_urls',
  referenceAudios: 'reference_audio_urls',
};

describe('An invalid request of the image-prompt family', () => {
  it.each([
    ['an empty prompt', (fixture: Fixture) => fixture.gateway.imgx.imagine({ prompt: '' }), 'prompt'],
    [
      'malformed base64',
      (fixture: Fixture) => fixture.gateway.imgx.describe({ images: ['data:image/png;base64,***'] }),
      'images.0',
    ],
    ['no image', (fixture: Fixture) => fixture.gateway.imgx.describe({ images: [] }), 'images'],
    ['a blend with one image', (fixture: Fixture) => fixture.gateway.imgx.blend({ images: [redImage] }), 'images'],
    [
      'an index of 5',
      (fixture: Fixture) => fixture.gateway.imgx.simpleChange({ taskId: '1', action: 'UPSCALE', index: 5 }),
      'index',
    ],
    [
      'an index of 0',
      (fixture: Fixture) => fixture.gateway.imgx.simpleChange({ taskId: '1', action: 'VARIATION', index: 0 }),
      'index',
    ],
    ['no action', (fixture: Fixture) => fixture.gateway.imgx.action({ taskId: '1', customId: ' ' }), 'customId'],
  ])('An invalid request of the image-prompt family is refused locally: %s', async (_what, order, field) => {
    const fixture = await openFixture();
    const error = await failureOf(order(fixture));
    expect(error).toMatchObject({ kind: 'invalid', code: 'bad_input', mayHaveTakenEffect: false });
    expect(error.message).toMatch(new RegExp(`^${field}: `));
    expect(fixture.embedded.requests).toEqual([]);
  });
});
