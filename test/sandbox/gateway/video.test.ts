import { describe, expect, it } from 'vitest';
import { type Answer, type Bench, bench, type Json, pngUri, profiles } from './bench.ts';

const wave = { model: 'reel-2', prompt: 'a wave' };
const doors = {
  generations: '/v1/video/generations',
  videos: '/v1/videos',
  vendor: '/videoa/v1/videos/image2video',
} as const;

const create = async (side: Bench, body: object, path: string = doors.generations): Promise<Answer> =>
  await side.post(path, body);

async function finishTask(side: Bench, body: object, path: string = doors.generations): Promise<Json> {
  const { json } = await create(side, body, path);
  await side.settle(json.task_id);
  return (await side.get(`${path}/${json.task_id}`)).json;
}

/** The size and duration of a task's video. */
async function videoOf(side: Bench, body: object): Promise<Record<string, unknown> | undefined> {
  const task = await finishTask(side, body);
  await side.get(new URL(task.url).pathname);
  return side.drawn.calls.findLast(({ what }) => what === 'video')?.options;
}

describe('The generic video tasks of the gateway', () => {
  it('Generic video tasks have the flat format of the specification', async () => {
    const side = await bench();
    const created = await create(side, wave);
    expect(created.json).toMatchObject({
      task_id: expect.stringMatching(/^task_[a-z0-9]{32}$/),
      status: 'queued',
      progress: 0,
    });
    side.clock.advance(30_000);
    const running = (await side.get(`${doors.generations}/${created.json.task_id}`)).json;
    expect(running).toMatchObject({ status: 'running', error: null });
    expect(running).not.toHaveProperty('url');
    await side.settle(created.json.task_id);
    const task = (await side.get(`${doors.generations}/${created.json.task_id}`)).json;
    expect(task).toMatchObject({
      status: 'succeeded',
      progress: 100,
      format: 'mp4',
      url: expect.stringContaining('/files/'),
    });
    expect((await side.get(new URL(task.url).pathname, { key: null })).headers['content-type']).toBe('video/mp4');
  });

  it('Generic video tasks in the stock profile are wrapped, with upper case and seconds', async () => {
    const side = await bench({ profile: 'stock' });
    const json = await finishTask(side, wave);
    expect(json).toMatchObject({
      code: 'success',
      data: { status: 'SUCCESS', progress: '100%', fail_reason: '', result_url: expect.stringContaining('/files/') },
    });
    expect(json.data.id).not.toBe(json.data.task_id);
    expect(json.data.finish_time).toBeLessThan(1e11);
    expect(json.data.data).toMatchObject({ status: 'succeeded', model: 'reel-2' });
  });

  it('Top-level extension fields are merged into metadata, where an explicit key takes precedence', async () => {
    const side = await bench();
    const body = {
      ...wave,
      negative_prompt: 'boats',
      cfg_scale: 0.7,
      movement_amplitude: 'small',
      metadata: { cfg_scale: 0.2, bgm: true },
    };
    const created = await create(side, body);
    const merged = { negative_prompt: 'boats', cfg_scale: 0.2, movement_amplitude: 'small', bgm: true };
    expect(created.json.metadata).toEqual(merged);
    expect((await side.get(`${doors.generations}/${created.json.task_id}`)).json.metadata).toMatchObject(merged);
    const hostile = await side.call('POST', doors.generations, {
      raw: '{"model":"reel-2","prompt":"a","__proto__":{"x":1},"constructor":2}',
    });
    expect(hostile.status).toBe(200);
    expect(hostile.json.metadata.constructor).toBe(2);
  });

  it('Generic video tasks read metadata that is a JSON string', async () => {
    const side = await bench();
    expect((await create(side, { ...wave, metadata: '{"seed":5}' })).json.metadata).toEqual({ seed: 5 });
    expect((await create(side, { ...wave, metadata: '{' })).status).toBe(400);
    expect((await create(side, { ...wave, metadata: '[]' })).status).toBe(400);
  });

  it('Every known parameter takes effect, at the top level and in metadata', async () => {
    const side = await bench();
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
      [{ metadata: { duration: '3' } }, { seconds: 3 }],
    ];
    for (const [request, video] of cases)
      expect(await videoOf(side, { ...wave, ...request }), JSON.stringify(request)).toMatchObject(video);
    const task = await finishTask(side, { ...wave, seed: 77, size: '64x64', duration: 2 });
    expect(task.metadata).toMatchObject({ seed: 77, width: 64, height: 64, duration: 2 });
    expect(side.drawn.calls.at(-1)?.scenes[0]?.seed).toBe(77);
  });

  it('Generic video tasks enforce the limits of the specification', async () => {
    const side = await bench();
    const uri = await pngUri();
    const wrong: [object, RegExp][] = [
      [{ model: 'reel-2' }, /prompt is required/],
      [{ prompt: 'a' }, /model is required/],
      [{ ...wave, images: Array(8).fill(uri) }, /images must have at most 7/],
      [
        { ...wave, reference_video_urls: Array(4).fill('http://127.0.0.1/a.mp4') },
        /reference_video_urls must have at most 3/,
      ],
      [{ ...wave, video_urls: Array(4).fill('http://127.0.0.1/a.mp4') }, /video_urls must have at most 3/],
      [{ ...wave, size: '640' }, /size must have the form/],
      [{ ...wave, size: '1x99999' }, /size/],
      [{ ...wave, duration: 'long' }, /duration must be a number/],
      [{ ...wave, duration: 0 }, /duration must be from 1 to 60/],
      [{ ...wave, image: 'data:image/png,raw' }, /image is not a base64 data URI/],
      [{ ...wave, aspect_ratio: 'wide' }, /aspect_ratio must have the form/],
      [{ ...wave, metadata: { resolution: 'huge' } }, /resolution/],
      [{ ...wave, metadata: 5 }, /metadata/],
      [{ ...wave, model: 'quill-5' }, /does not do this/],
    ];
    for (const [body, message] of wrong) {
      const answer = await create(side, body);
      expect([answer.status, answer.json.error?.message], JSON.stringify(body)).toEqual([
        400,
        expect.stringMatching(message),
      ]);
    }
    expect((await create(side, { ...wave, model: 'none' })).status).toBe(404);
  });

  it('Generic video tasks accept references under all known names, including videos and audio', async () => {
    const side = await bench();
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
      expect((await create(side, { ...wave, [name]: [video] })).status, name).toBe(200);
    }
    for (const name of ['reference_audio_urls', 'audio_urls', 'audios', 'reference_audios']) {
      expect((await create(side, { ...wave, [name]: ['data:audio/wav;base64,AAAA'] })).status, name).toBe(200);
    }
    const options = await videoOf(side, { ...wave, image: uri, input_reference: uri, images: [uri, video] });
    expect(options?.references).toHaveLength(3);
    expect(
      (await videoOf(side, { ...wave, model: 'northlight/keyframes-1', images: [uri, uri, uri] }))?.references,
    ).toHaveLength(2);
  });

  it('A failed video task has a reason in every format', async () => {
    for (const profile of profiles) {
      const side = await bench({ profile });
      side.gateway.faults.add({ do: { type: 'fail', reason: 'No video left.' } });
      const json = await finishTask(side, wave);
      if (profile === 'spec')
        expect(json).toMatchObject({ status: 'failed', error: { code: 500, message: 'No video left.' } });
      // Stock gateways return the reason in the field of the URL.
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
    const side = await bench({ profile });
    const created = await create(side, { ...wave, seconds: '4', size: '320x180' }, doors.videos);
    expect(created.json).toMatchObject({
      object: 'video',
      status: 'queued',
      seconds: '4',
      size: '320x180',
      error: null,
    });
    const content = `${doors.videos}/${created.json.id}/content`;
    expect((await side.get(content)).status).toBe(400);
    await side.settle(created.json.id);
    const { json } = await side.get(`${doors.videos}/${created.json.id}`);
    expect(json).toMatchObject({
      status: profile === 'spec' ? 'succeeded' : 'completed',
      progress: 100,
      metadata: { url: expect.any(String) },
    });
    expect((await side.get(content, { key: null })).status).toBe(401);
    expect((await side.get(content)).headers['content-type']).toBe('video/mp4');
  });
});

describe('The vendor endpoint for videos', () => {
  const body = async () => ({
    model: 'motion-v1.6',
    prompt: 'turn around',
    image: await pngUri(),
    duration: 5,
    mode: 'std',
  });

  it('The vendor endpoint has a flat response in the spec profile', async () => {
    const side = await bench();
    expect(await finishTask(side, await body(), doors.vendor)).toMatchObject({
      status: 'succeeded',
      url: expect.any(String),
    });
  });

  it('The vendor endpoint has the format of the vendor in the stock profile', async () => {
    const side = await bench({ profile: 'stock' });
    const created = await create(side, await body(), doors.vendor);
    expect(created.json).toMatchObject({ task_id: expect.any(String), object: 'video', status: 'queued' });
    const query = async () => (await side.get(`${doors.vendor}/${created.json.task_id}`)).json;
    expect(await query()).toMatchObject({ code: 0, message: 'SUCCEED', data: { task_status: 'submitted' } });
    await side.settle(created.json.task_id);
    expect((await query()).data).toMatchObject({
      task_status: 'succeed',
      task_result: { videos: [{ url: expect.any(String), duration: '5' }] },
    });
  });

  it('The vendor endpoint returns SUCCEED for a failed task, with the reason in the vendor record', async () => {
    const side = await bench({ profile: 'stock' });
    side.gateway.faults.add({ do: 'moderated', on: { kind: 'image2video' } });
    const json = await finishTask(side, await body(), doors.vendor);
    expect(json).toMatchObject({
      message: 'SUCCEED',
      data: { task_status: 'failed', task_status_msg: expect.stringContaining('moderation') },
    });
  });

  it('The vendor endpoint requires an image and accepts the vendor’s name of the model', async () => {
    const side = await bench();
    const { model, image, ...rest } = await body();
    expect((await create(side, { ...rest, model }, doors.vendor)).json.error.message).toBe('image is required');
    expect((await create(side, { ...rest, image, model_name: model }, doors.vendor)).status).toBe(200);
  });

  it('The vendor endpoint returns the same task as the other two queries', async () => {
    const side = await bench();
    const { json } = await create(side, await body(), doors.vendor);
    for (const path of Object.values(doors))
      expect((await side.get(`${path}/${json.task_id}`)).json.task_id).toBe(json.task_id);
  });
});
