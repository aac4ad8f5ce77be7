import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeVariants } from '../../support/variants.ts';
import { startTestGateway } from './bench.ts';

const submitPaths = [
  '/v1/images/generations/jobs',
  '/imgx/submit/imagine',
  '/imgx/submit/describe',
  '/imgx/submit/shorten',
  '/imgx/submit/blend',
  '/imgx/submit/upload-discord-images',
  '/imgx/submit/action',
  '/imgx/submit/change',
  '/imgx/submit/simple-change',
  '/imgx/submit/modal',
  '/imgx/submit/edits',
  '/imgx/submit/video',
  '/imgx/task/list-by-condition',
  '/v1/video/generations',
  '/v1/videos',
  '/videoa/v1/videos/image2video',
  '/music/submit/music',
  '/music/submit/lyrics',
  '/music/fetch',
];
const queryPaths = [
  '/v1/models',
  '/v1/models/quill-5',
  '/v1beta/compat/models',
  '/v1/dashboard/billing/usage',
  '/v1/fine-tunes/ft-sandbox-1/events',
  '/v1/images/generations/jobs/x',
  '/imgx/task/1/fetch',
  '/imgx/task/1/image-seed',
  '/v1/video/generations/x',
  '/v1/videos/x',
  '/v1/videos/x/content',
  '/videoa/v1/videos/image2video/x',
  '/music/fetch/x',
];

describeVariants(['spec', 'stock'] as const)('The errors of the %s profile', (profile) => {
  it('Every endpoint requires a key', async () => {
    const { get, post } = await startTestGateway({ profile });
    for (const key of [null, 'sk-wrong']) {
      for (const path of queryPaths) expect((await get(path, { key })).status, path).toBe(401);
      for (const path of submitPaths) {
        const response = await post(path, {}, { key });
        expect(response.status, path).toBe(401);
        expect(response.json.error, path).toMatchObject({ message: expect.any(String), code: 'invalid_api_key' });
      }
    }
  });

  it('Only the Bearer scheme is accepted for authorization', async () => {
    const { get } = await startTestGateway({ profile });
    const response = await get('/v1/models', { key: null, headers: { authorization: 'Basic sk-sandbox' } });
    expect(response.status).toBe(401);
  });

  it('An unknown path is refused with an error that names it', async () => {
    const { call } = await startTestGateway({ profile });
    for (const [method, path] of [
      ['GET', '/x'],
      ['POST', '/v1/models'],
      ['DELETE', '/imgx/submit/imagine'],
    ] as const) {
      const response = await call(method, `${path}?a=1`);
      expect(response.status).toBe(404);
      expect(response.json.error.message).toContain(`Invalid URL (${method} ${path})`);
    }
  });

  it('A body that is larger than the limit is refused with an explanation', async () => {
    const { post, gateway } = await startTestGateway({ profile, quirks: { bodyLimit: 2_000 } });
    const largeBody = { prompt: 'x'.repeat(3_000) };
    const rejectedResponse = await post('/imgx/submit/imagine', largeBody);
    expect(rejectedResponse.status).toBe(413);
    expect(JSON.stringify(rejectedResponse.json)).toMatch(/request_too_large/);
    expect((await post('/imgx/submit/imagine', { prompt: 'x'.repeat(1_000) })).status).toBe(200);
    gateway.settings.quirks.bodyLimit = 5_000;
    expect((await post('/imgx/submit/imagine', largeBody)).status).toBe(200);
  });

  it('A body that is not JSON is refused', async () => {
    const { call } = await startTestGateway({ profile });
    const path = '/imgx/submit/imagine';
    expect((await call('POST', path, { raw: '{"prompt":' })).status).toBe(400);
    expect((await call('POST', path, { raw: 'prompt=a', headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    expect((await call('POST', path)).status).toBe(400);
    expect((await call('POST', path, { raw: '[]' })).status).toBe(400);
    expect((await call('POST', path, { raw: 'null' })).status).toBe(400);
    const deeplyNested = `{"prompt":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    expect((await call('POST', path, { raw: deeplyNested })).status).toBe(400);
  });

  it('Hostile paths do not cause a server error', async () => {
    const { get } = await startTestGateway({ profile });
    const paths = [
      '/v1/models/%',
      '/v1/models/%FF',
      '/v1/models/%E0%A4%A',
      '/v1/models/../../etc',
      '/files/a/b',
      '/files/%00/x.png',
    ];
    paths.push(
      `/v1/models/${'a'.repeat(5_000)}`,
      `/imgx/task/${'9'.repeat(5_000)}/fetch`,
      '/imgx/task/__proto__/fetch',
      '/v1/fine-tunes/constructor/events',
    );
    for (const path of paths) {
      const { status } = await get(path);
      expect(status === 501 ? 400 : status, path).toBeLessThan(500);
    }
  });

  it('No body, header or path causes a 5xx without an injected fault', { tags: ['breadth'] }, async () => {
    const { call } = await startTestGateway({ profile, quirks: { fineTunesMissing: false } });
    const field = fc.constantFrom(
      ...[
        'prompt',
        'model',
        'base64Array',
        'base64',
        'image',
        'images',
        'metadata',
        'taskId',
        'customId',
        'action',
        'index',
      ],
      ...[
        'content',
        'maskBase64',
        'size',
        'duration',
        'seconds',
        'ids',
        'mv',
        'notifyHook',
        'state',
        '__proto__',
        'constructor',
      ],
    );
    const value = fc.oneof(
      fc.jsonValue(),
      fc.string(),
      fc.constantFrom(
        'lumen-image-1',
        'reel-2',
        'a boat',
        'data:image/png;base64,AAAA',
        'data:,x',
        '99999x1',
        'http://127.0.0.1:1/a.png',
        'U1 1',
        null,
      ),
    );
    const body = fc.oneof(
      fc.dictionary(field, value).map((fields) => JSON.stringify(fields)),
      fc.jsonValue().map((json) => JSON.stringify(json)),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...submitPaths), body, async (path, raw) => {
        const { status } = await call('POST', path, { raw });
        expect(status).toBeLessThan(500);
      }),
      { numRuns: 300 },
    );
    const encodedText = fc.string({ unit: 'binary-ascii', maxLength: 40 }).map((text) => encodeURIComponent(text));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...queryPaths), encodedText, encodedText, async (path, suffix, query) => {
        const { status } = await call('GET', `${path}${suffix}?start_date=${query}&a=${suffix}`, {
          headers: { 'x-odd': query, range: suffix },
        });
        expect(status).toBeLessThan(500);
      }),
      { numRuns: 150 },
    );
  });
});

describe('The error envelopes', () => {
  it('The spec profile has one error envelope for all families', async () => {
    const { get, post } = await startTestGateway();
    const responses = [
      await post('/imgx/submit/imagine', {}),
      await post('/music/submit/lyrics', {}),
      await post('/v1/video/generations', {}),
      await post('/v1/images/generations/jobs', {}),
      await get('/imgx/task/1/fetch'),
      await get('/music/fetch/none'),
      await get('/v1/video/generations/none'),
    ];
    for (const { json } of responses) {
      expect(json).toEqual({
        error: { message: expect.any(String), type: 'invalid_request_error', code: expect.any(String) },
      });
    }
    expect(responses.map(({ status }) => status)).toEqual([400, 400, 400, 400, 404, 404, 404]);
  });

  it('The stock profile has an error envelope for each family', async () => {
    const { get, post } = await startTestGateway({ profile: 'stock' });
    expect((await post('/imgx/submit/imagine', {})).json).toEqual({
      description: 'prompt_is_required ',
      type: 'upstream_error',
      code: 4,
    });
    const unknownTaskResponse = await get('/imgx/task/1/fetch');
    expect(unknownTaskResponse.status).toBe(400);
    expect(unknownTaskResponse.json).toEqual({ description: 'task_not_found ', type: 'midjourney_error', code: 4 });
    const video = await post('/v1/video/generations', { model: 'reel-2' });
    expect(video.json).toEqual({ code: 'invalid_request', message: 'prompt is required', data: null });
    const music = await get('/music/fetch/none');
    expect(music.status).toBe(400);
    expect(music.json).toEqual({ code: 'task_not_exist', message: 'task_not_exist', data: null });
    const image = await post('/v1/images/generations/jobs', { model: 'lumen-image-1' });
    expect(image.json.error).toMatchObject({ message: expect.stringContaining('request id'), param: '' });
  });
});
