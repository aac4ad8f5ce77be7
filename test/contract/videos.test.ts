import { describe, expect, it } from 'vitest';
import { videoShapes } from '../../sandbox/gateway/quirks.ts';
import { guessKind } from '../../src/services/gateway/model-families.ts';
import { itVariants } from '../support/variants.ts';
import { type Fixture, failureOf, lastRequest, openFixture, profiles, redImage } from './both.ts';

async function videoModel(fixture: Fixture): Promise<string> {
  const models = await fixture.gateway.models.list();
  return models.find((model) => guessKind(model) === 'video')?.id ?? '';
}

describe.each(profiles)('Videos of a %s gateway', (profile) => {
  it('Videos are created with every parameter of the specification, each in its specified place', async () => {
    const fixture = await openFixture({
      profile,
      settings: {
        fields: {
          referenceVideos: 'reference_video_urls',
          referenceAudios: 'reference_audio_urls',
          faceCheck: 'face_check',
          describeField: 'base64Array',
        },
      },
    });
    const model = await videoModel(fixture);
    const { remoteId } = await fixture.gateway.videos.create({
      model,
      prompt: 'waves',
      size: '640x360',
      duration: '4',
      images: [redImage],
      mode: 'pro',
      aspectRatio: '16:9',
      metadata: { seed: 7 },
      faceCheck: false,
      extra: { movement_amplitude: 'small', seed: 9 },
    });
    expect(lastRequest(fixture, '/v1/video/generations').body).toEqual({
      model,
      prompt: 'waves',
      size: '640x360',
      duration: '4',
      images: [redImage],
      mode: 'pro',
      aspect_ratio: '16:9',
      metadata: { seed: 7 },
      face_check: false,
      movement_amplitude: 'small',
      seed: 9,
    });
    // The specification, 4.4: top-level extension fields are merged into the metadata, where an explicit key takes precedence.
    expect(fixture.embedded.jobs.get(remoteId)?.details).toMatchObject({
      metadata: { seed: 7, movement_amplitude: 'small' },
    });
    const done = await fixture.pollUntil(() => fixture.gateway.videos.get(remoteId));
    expect(done).toMatchObject({ state: 'succeeded', remoteId });
    expect(done.media).toMatchObject([{ kind: 'video' }]);
  });

  it('A video request omits the face check if no field name is configured for it', async () => {
    const fixture = await openFixture({ profile });
    await fixture.gateway.videos.create({ model: await videoModel(fixture), prompt: 'waves', faceCheck: true });
    expect(Object.keys(lastRequest(fixture, '/v1/video/generations').body as object)).toEqual(['model', 'prompt']);
  });

  it('Videos that fail report the reason', async () => {
    const fixture = await openFixture({ profile });
    const { remoteId } = await fixture.gateway.videos.create({ model: await videoModel(fixture), prompt: 'waves' });
    fixture.embedded.jobs.fail(remoteId, 'the reference could not be read');
    expect(await fixture.gateway.videos.get(remoteId)).toMatchObject({
      state: 'failed',
      media: [],
      failure: { reason: 'the reference could not be read' },
    });
  });

  it('Videos from the /v1/videos endpoint are created, read, and fetched by id with the key', async () => {
    const fixture = await openFixture({ profile, quirks: { contentOnly: true } });
    const order = { model: await videoModel(fixture), prompt: 'waves', size: '320x180', duration: 1 };
    const { remoteId } = await fixture.gateway.v1Videos.create(order);
    expect(lastRequest(fixture, '/v1/videos').body).toEqual({
      model: order.model,
      prompt: 'waves',
      size: '320x180',
      seconds: '1',
    });
    const done = await fixture.pollUntil(() => fixture.gateway.v1Videos.get(remoteId));
    expect(done.media).toEqual([{ kind: 'video', address: `${fixture.embedded.url}/v1/videos/${remoteId}/content` }]);
    const url = done.media[0]?.address ?? '';
    expect((await fetch(url)).status).toBe(401);
    const video = await fetch(url, { headers: { authorization: 'Bearer sk-sandbox' } });
    expect(video.headers.get('content-type')).toBe('video/mp4');
    expect(
      Buffer.from(await video.arrayBuffer())
        .subarray(4, 8)
        .toString(),
    ).toBe('ftyp');
  });

  it('Videos from an image are created and polled at the vendor endpoint, and a failure names the image', async () => {
    const fixture = await openFixture({ profile });
    const image = `${fixture.embedded.url}/files/none.png`;
    const order = { model: await videoModel(fixture), prompt: 'waves', image, duration: 5, mode: 'std' };
    const { remoteId } = await fixture.gateway.imageToVideo.create(order);
    expect(lastRequest(fixture, '/videoa/v1/videos/image2video').body).toEqual(order);
    expect((await fixture.gateway.imageToVideo.get(remoteId)).state).toMatch(/queued|running/);
    // The image URL does not exist, so the job fails with an error that names the URL.
    const failed = await fixture.pollUntil(() => fixture.gateway.imageToVideo.get(remoteId));
    expect(failed.failure?.reason).toContain('/files/none.png');
  });

  it.each([404, 200] as const)(
    'Videos from an image are polled elsewhere if the vendor path is a page with status %i',
    async (status) => {
      const fixture = await openFixture({ profile });
      const image = `${fixture.embedded.url}/files/none.png`;
      const order = { model: await videoModel(fixture), prompt: 'waves', image };
      const { remoteId } = await fixture.gateway.imageToVideo.create(order);
      const page = { type: 'status', status, as: 'html' } as const;
      fixture.embedded.faults.add({
        on: { method: 'GET', path: '/videoa' },
        times: Number.POSITIVE_INFINITY,
        do: page,
      });
      expect((await fixture.gateway.imageToVideo.get(remoteId)).state).toMatch(/queued|running/);
      expect(await failureOf(fixture.gateway.imageToVideo.get('nobody'))).toMatchObject({
        kind: status === 404 ? 'not-found' : 'malformed',
      });
    },
  );

  it('Polling a video by an unknown id fails as not found at every endpoint', async () => {
    const { gateway } = await openFixture({ profile });
    expect(await failureOf(gateway.videos.get('nobody'))).toMatchObject({ kind: 'not-found' });
    expect(await failureOf(gateway.v1Videos.get('nobody'))).toMatchObject({ kind: 'not-found' });
    expect(await failureOf(gateway.imageToVideo.get('nobody'))).toMatchObject({ kind: 'not-found' });
  });
});

describe('The shapes of a finished video', () => {
  itVariants(videoShapes)('A finished video is read in every shape: %s', async (videoShape) => {
    const fixture = await openFixture({ profile: 'stock', quirks: { videoShape } });
    const { remoteId } = await fixture.gateway.videos.create({ model: await videoModel(fixture), prompt: 'waves' });
    const done = await fixture.pollUntil(() => fixture.gateway.videos.get(remoteId));
    expect(done).toMatchObject({ state: 'succeeded', media: [{ kind: 'video' }] });
    expect(fixture.logLines).toEqual([]);
  });

  it('A finished video without a URL is empty and is not polled forever', async () => {
    const fixture = await openFixture({ profile: 'stock', quirks: { successWithoutAddress: true } });
    const { remoteId } = await fixture.gateway.videos.create({ model: await videoModel(fixture), prompt: 'waves' });
    expect(await fixture.pollUntil(() => fixture.gateway.videos.get(remoteId))).toMatchObject({
      isEmpty: true,
      media: [],
    });
  });

  it('A finished video follows the outer status when the inner one contradicts it', async () => {
    const fixture = await openFixture({ profile: 'stock', quirks: { innerContradiction: true } });
    const { remoteId } = await fixture.gateway.videos.create({ model: await videoModel(fixture), prompt: 'waves' });
    expect((await fixture.pollUntil(() => fixture.gateway.videos.get(remoteId))).state).toMatch(/succeeded|failed/);
  });
});

describe('An invalid video order', () => {
  const eightImages = Array.from({ length: 8 }, () => redImage);
  it.each([
    [{ prompt: '' }, 'prompt'],
    [{ size: 'large' }, 'size'],
    [{ size: '1280×720' }, 'size'],
    [{ duration: 'soon' }, 'duration'],
    [{ duration: -1 }, 'duration'],
    [{ image: 'data:image/png;base64,abc' }, 'image'],
    [{ extra: { prompt: 'sneaky' } }, '0'],
  ])('An invalid video order is refused locally: %j', async (part, field) => {
    const fixture = await openFixture();
    const error = await failureOf(fixture.gateway.videos.create({ model: 'm', prompt: 'x', ...part }));
    expect(error).toMatchObject({ kind: 'invalid', code: 'bad_input', mayHaveTakenEffect: false });
    expect(error.message).toMatch(new RegExp(`^${field}: `));
    expect(fixture.embedded.requests).toEqual([]);
  });

  it('The gateway decides how many references a model accepts', async () => {
    const fixture = await openFixture();
    const order = { model: await videoModel(fixture), prompt: 'x', images: eightImages };
    await failureOf(fixture.gateway.videos.create(order));
    expect(lastRequest(fixture, '/v1/video/generations')).toMatchObject({ status: 400, body: { images: eightImages } });
  });
});
