import { describe, expect, it } from 'vitest';
import { type Json, pngUri, profiles, startTestGateway, type TestGateway, type TestResponse } from './bench.ts';

const videoRequest = { model: 'reel-2', prompt: 'a wave' };
const endpoints = {
  generations: '/v1/video/generations',
  videos: '/v1/videos',
  vendor: '/videoa/v1/videos/image2video',
} as const;

const submit = async (
  fixture: TestGateway,
  body: object,
  path: string = endpoints.generations,
): Promise<TestResponse> => await fixture.post(path, body);

async function finishTask(fixture: TestGateway, body: object, path: string = endpoints.generations): Promise<Json> {
  const { json } = await submit(fixture, body, path);
  await fixture.runToEnd(json.task_id);
  return (await fixture.get(`${path}/${json.task_id}`)).json;
}

/** Returns the size and duration of a task's video. */
async function videoOf(fixture: TestGateway, body: object): Promise<Record<string, unknown> | undefined> {
  const task = await finishTask(fixture, body);
  await fixture.get(new URL(task.url).pathname);
  return fixture.recorder.calls.findLast(({ kind }) => kind === 'video')?.options;
}

describe('The generic video tasks of the gateway', () => {
  it('Generic video tasks have the flat format of the specification', async () => {
    const fixture = await startTestGateway();
    const submitResponse = await submit(fixture, videoRequest);
    expect(submitResponse.json).toMatchObject({
      task_id: expect.stringMatching(/^task_[a-z0-9]{32}$/),
      status: 'queued',
      progress: 0,
    });
    fixture.clock.advance(30_000);
    const runningTask = (await fixture.get(`${endpoints.generations}/${submitResponse.json.task_id}`)).json;
    expect(runningTask).toMatchObject({ status: 'running', error: null });
    expect(runningTask).not.toHaveProperty('url');
    await fixture.runToEnd(submitResponse.json.task_id);
    const task = (await fixture.get(`${endpoints.generations}/${submitResponse.json.task_id}`)).json;
    expect(task).toMatchObject({
      status: 'succeeded',
      progress: 100,
      format: 'mp4',
      url: expect.stringContaining('/files/'),
    });
    expect((await fixture.get(new URL(task.url).pathname, { key: null })).headers['content-type']).toBe('video/mp4');
  });

  it('Generic video tasks in the stock profile are wrapped, with upper-case states and times in seconds', async () => {
    const fixture = await startTestGateway({ profile: 'stock' });
    const json = await finishTask(fixture, videoRequest);
    expect(json).toMatchObject({
      code: 'success',
      data: { status: 'SUCCESS', progress: '100%', fail_reason: '', result_url: expect.stringContaining('/files/') },
    });
    expect(json.data.id).not.toBe(json.data.task_id);
    expect(json.data.finish_time).toBeLessThan(1e11);
    expect(json.data.data).toMatchObject({ status: 'succeeded', model: 'reel-2' });
  });

  it('Top-level extension fields are merged into metadata, where an explicit key takes precedence', async () => {
    const fixture = await startTestGateway();
    const body = {
      ...videoRequest,
      negative_prompt: 'boats',
      cfg_scale: 0.7,
      movement_amplitude: 'small',
      metadata: { cfg_scale: 0.2, bgm: true },
    };
    const submitResponse = await submit(fixture, body);
    const mergedMetadata = { negative_prompt: 'boats', cfg_scale: 0.2, movement_amplitude: 'small', bgm: true };
    expect(submitResponse.json.metadata).toEqual(mergedMetadata);
    expect((await fixture.get(`${endpoints.generations}/${submitResponse.json.task_id}`)).json.metadata).toMatchObject(
      mergedMetadata,
    );
    const hostileResponse = await fixture.call('POST', endpoints.generations, {
      raw: '{"model":"reel-2","prompt":"a","__proto__":{"x":1},"constructor":2}',
    });
    expect(hostileResponse.status).toBe(200);
    expect(hostileResponse.json.metadata.constructor).toBe(2);
  });

  it('Generic video tasks read metadata that is a JSON string', async () => {
    const fixture = await startTestGateway();
    expect((await submit(fixture, { ...videoRequest, metadata: '{"seed":5}' })).json.metadata).toEqual({ seed: 5 });
    expect((await submit(fixture, { ...videoRequest, metadata: '{' })).status).toBe(400);
    expect((await submit(fixture, { ...videoRequest, metadata: '[]' })).status).toBe(400);
  });

  it('Every known video parameter takes effect, at the top level and in metadata', async () => {
    const fixture = await startTestGateway();
    const cases: [object, object][] = [
      [{}, { width: 640, height: 360, seconds: 5 }],
      [{ size: '480x270' }, { width: 480, height: 270 }],
      [{ metadata: { size: '320x180' } }, { width: 320, height: 180 }],
      [{ aspect_ratio: '9:16' }, { width: 360, height: 640 }],
      [{ metadata: { aspect_ratio: '1:1' } }, { width: 640, height: 640 }],
      [{ resolution: '480p' }, { width: 854, height: 480 }],
      [{ resolution: '300x200' }, { width: 300, height: 200 }],
      [
        { resolution: '480p', aspect_ratio: '9:16' },
        { width: 480, height: 854 },
      ],
      [
        { width: 200, height: 100 },
        { width: 200, height: 100 },
      ],
      [{ duration: 8 }, { seconds: 8 }],
      [{ duration: '7' }, { seconds: 7 }],
      [{ seconds: '4' }, { seconds: 4 }],
      [{ duration: '7.5' }, { seconds: 7.5 }],
      [{ metadata: { duration: '3' } }, { seconds: 3 }],
    ];
    for (const [request, video] of cases)
      expect(await videoOf(fixture, { ...videoRequest, ...request }), JSON.stringify(request)).toMatchObject(video);
    const task = await finishTask(fixture, { ...videoRequest, seed: 77, size: '64x64', duration: 2 });
    expect(task.metadata).toMatchObject({ seed: 77, width: 64, height: 64, duration: 2 });
    expect(fixture.recorder.calls.at(-1)?.scenes[0]?.seed).toBe(77);
  });

  it('Generic video tasks enforce the limits of the specification', async () => {
    const fixture = await startTestGateway();
    const uri = await pngUri();
    const invalidRequests: [object, RegExp][] = [
      [{ model: 'reel-2' }, /prompt is required/],
      [{ prompt: 'a' }, /model is required/],
      [{ ...videoRequest, images: Array(8).fill(uri) }, /images must have at most 7/],
      [
        { ...videoRequest, reference_video_urls: Array(4).fill('http://127.0.0.1/a.mp4') },
        /reference_video_urls must have at most 3/,
      ],
      [{ ...videoRequest, video_urls: Array(4).fill('http://127.0.0.1/a.mp4') }, /video_urls must have at most 3/],
      [{ ...videoRequest, size: '640' }, /size must have the form/],
      [{ ...videoRequest, size: '1x99999' }, /size/],
      [{ ...videoRequest, duration: 'long' }, /duration must be a number/],
      [{ ...videoRequest, duration: 0 }, /duration must be from 1 to 60/],
      [{ ...videoRequest, duration: 5.5 }, /duration must be a whole number or text/],
      [{ ...videoRequest, image: 'data:image/png,raw' }, /image is not a base64 data URI/],
      [{ ...videoRequest, aspect_ratio: 'wide' }, /aspect_ratio must have the form/],
      [{ ...videoRequest, metadata: { resolution: 'huge' } }, /resolution/],
      [{ ...videoRequest, metadata: 5 }, /metadata/],
      [{ ...videoRequest, model: 'quill-5' }, /does not support this endpoint/],
    ];
    for (const [body, message] of invalidRequests) {
      const response = await submit(fixture, body);
      expect([response.status, response.json.error?.message], JSON.stringify(body)).toEqual([
        400,
        expect.stringMatching(message),
      ]);
    }
    expect((await submit(fixture, { ...videoRequest, model: 'none' })).status).toBe(404);
  });

  it('Generic video tasks accept references under all known names, including videos and audio', async () => {
    const fixture = await startTestGateway();
    const uri = await pngUri();
    const video = 'data:video/mp4;base64,AAAA';
    for (const name of [
      'reference_video_urls',
      'video_urls',
      'videos',
      'reference_videos',
      'referenceVideos',
      'extra_videos',
    ]) {
      expect((await submit(fixture, { ...videoRequest, [name]: [video] })).status, name).toBe(200);
    }
    for (const name of ['reference_audio_urls', 'audio_urls', 'audios', 'reference_audios']) {
      expect((await submit(fixture, { ...videoRequest, [name]: ['data:audio/wav;base64,AAAA'] })).status, name).toBe(
        200,
      );
    }
    const options = await videoOf(fixture, { ...videoRequest, image: uri, input_reference: uri, images: [uri, video] });
    expect(options?.references).toHaveLength(3);
    expect(
      (await videoOf(fixture, { ...videoRequest, model: 'northlight/keyframes-1', images: [uri, uri, uri] }))
        ?.references,
    ).toHaveLength(2);
  });

  it('A failed video task has a reason in every format', async () => {
    for (const profile of profiles) {
      const fixture = await startTestGateway({ profile });
      fixture.gateway.faults.add({ do: { type: 'fail', reason: 'No video left.' } });
      const json = await finishTask(fixture, videoRequest);
      if (profile === 'spec')
        expect(json).toMatchObject({ status: 'failed', error: { code: 500, message: 'No video left.' } });
      // Stock gateways return the reason in the field that normally contains the URL.
      else
        expect(json.data).toMatchObject({
          status: 'FAILURE',
          fail_reason: 'No video left.',
          result_url: 'No video left.',
        });
    }
  });
});

describe('The /v1/videos endpoint', () => {
  it.each(profiles)('/v1/videos has its own format and serves the video only with the key (%s)', async (profile) => {
    const fixture = await startTestGateway({ profile });
    const submitResponse = await submit(fixture, { ...videoRequest, seconds: '4', size: '320x180' }, endpoints.videos);
    expect(submitResponse.json).toMatchObject({
      object: 'video',
      status: 'queued',
      seconds: '4',
      size: '320x180',
      error: null,
    });
    const contentPath = `${endpoints.videos}/${submitResponse.json.id}/content`;
    expect((await fixture.get(contentPath)).status).toBe(400);
    await fixture.runToEnd(submitResponse.json.id);
    const { json } = await fixture.get(`${endpoints.videos}/${submitResponse.json.id}`);
    expect(json).toMatchObject({
      status: profile === 'spec' ? 'succeeded' : 'completed',
      progress: 100,
      metadata: { url: expect.any(String) },
    });
    expect((await fixture.get(contentPath, { key: null })).status).toBe(401);
    expect((await fixture.get(contentPath)).headers['content-type']).toBe('video/mp4');
  });
});

describe('The vendor endpoint for videos', () => {
  const createBody = async () => ({
    model: 'motion-v1.6',
    prompt: 'turn around',
    image: await pngUri(),
    duration: 5,
    mode: 'std',
  });

  it('The vendor endpoint has a flat response in the spec profile', async () => {
    const fixture = await startTestGateway();
    expect(await finishTask(fixture, await createBody(), endpoints.vendor)).toMatchObject({
      status: 'succeeded',
      url: expect.any(String),
    });
  });

  it('The vendor endpoint has the format of the vendor in the stock profile', async () => {
    const fixture = await startTestGateway({ profile: 'stock' });
    const submitResponse = await submit(fixture, await createBody(), endpoints.vendor);
    expect(submitResponse.json).toMatchObject({ task_id: expect.any(String), object: 'video', status: 'queued' });
    const query = async () => (await fixture.get(`${endpoints.vendor}/${submitResponse.json.task_id}`)).json;
    expect(await query()).toMatchObject({ code: 0, message: 'SUCCEED', data: { task_status: 'submitted' } });
    await fixture.runToEnd(submitResponse.json.task_id);
    expect((await query()).data).toMatchObject({
      task_status: 'succeed',
      task_result: { videos: [{ url: expect.any(String), duration: '5' }] },
    });
  });

  it('The vendor endpoint returns SUCCEED for a failed task, with the reason in the vendor record', async () => {
    const fixture = await startTestGateway({ profile: 'stock' });
    fixture.gateway.faults.add({ do: 'moderated', on: { kind: 'image2video' } });
    const json = await finishTask(fixture, await createBody(), endpoints.vendor);
    expect(json).toMatchObject({
      message: 'SUCCEED',
      data: { task_status: 'failed', task_status_msg: expect.stringContaining('moderation') },
    });
  });

  it('The vendor endpoint requires an image and accepts the vendor’s name for the model field', async () => {
    const fixture = await startTestGateway();
    const { model, image, ...rest } = await createBody();
    expect((await submit(fixture, { ...rest, model }, endpoints.vendor)).json.error.message).toBe('image is required');
    expect((await submit(fixture, { ...rest, image, model_name: model }, endpoints.vendor)).status).toBe(200);
  });

  it('The vendor endpoint returns the same task as the other two endpoints', async () => {
    const fixture = await startTestGateway();
    const { json } = await submit(fixture, await createBody(), endpoints.vendor);
    for (const path of Object.values(endpoints))
      expect((await fixture.get(`${path}/${json.task_id}`)).json.task_id).toBe(json.task_id);
  });
});
