import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../sandbox/gateway/catalogue.ts';
import type { KeyGrant } from '../../../sandbox/gateway/gateway.ts';
import { startTestGateway } from './bench.ts';

const idsOf = (response: { json: { data: { id: string }[] } }) => response.json.data.map((model) => model.id);

describe('The list of models', () => {
  it('The list of models has the format of the specification', async () => {
    const { get } = await startTestGateway();
    const response = await get('/v1/models');
    expect(response.json.object).toBe('list');
    expect(idsOf(response)).toEqual(catalogue.map((model) => model.id));
    for (const model of response.json.data) {
      const otherFields = { object: 'model', created: expect.any(Number), owned_by: expect.any(String) };
      expect(model).toEqual({ id: expect.any(String), ...otherFields });
    }
  });

  it('The list of models in the stock profile has a field `success`, no field `object` and a constant creation time', async () => {
    const { get } = await startTestGateway({ profile: 'stock' });
    const { json } = await get('/v1/models');
    expect(json.success).toBe(true);
    expect(json).not.toHaveProperty('object');
    expect(new Set(json.data.map((model: { created: number }) => model.created))).toEqual(new Set([1_626_777_600]));
    expect(json.data[0]).toMatchObject({ permission: [], root: json.data[0].id, parent: null });
  });

  it('A model is found by its full id, whether the slash in it is encoded or not', async () => {
    const { get } = await startTestGateway();
    for (const { id } of catalogue) {
      const encodedResponse = await get(`/v1/models/${encodeURIComponent(id)}`);
      expect(encodedResponse.json, id).toMatchObject({ id, object: 'model' });
      const unencodedResponse = await get(`/v1/models/${id.split('/').map(encodeURIComponent).join('/')}`);
      expect(unencodedResponse.json, id).toEqual(encodedResponse.json);
    }
  });

  it('A model is found if the percent sign in its id is not encoded', async () => {
    const { get } = await startTestGateway();
    expect((await get('/v1/models/inkwell/fern:70b-instruct-50%')).json.id).toBe('inkwell/fern:70b-instruct-50%');
  });

  it('Model ids are case-sensitive', async () => {
    const { get } = await startTestGateway();
    expect((await get('/v1/models/lumen-image-1-2k')).status).toBe(404);
  });

  it('A missing model returns 404 in the spec profile and 200 with an error in the stock profile', async () => {
    const spec = await (await startTestGateway()).get('/v1/models/no-such-model');
    expect(spec.status).toBe(404);
    expect(spec.json.error).toMatchObject({
      message: expect.any(String),
      type: 'invalid_request_error',
      code: 'model_not_found',
    });
    const stock = await (await startTestGateway({ profile: 'stock' })).get('/v1/models/no-such-model');
    expect(stock.status).toBe(200);
    expect(stock.json.error).toMatchObject({ code: 'model_not_found', param: 'model' });
  });

  it('The compatibility endpoint lists fewer models', async () => {
    const { get } = await startTestGateway();
    const compatibleIds = idsOf(await get('/v1beta/compat/models'));
    expect(compatibleIds).toEqual(catalogue.filter((model) => model.isInCompatibleList).map((model) => model.id));
    expect(compatibleIds.length).toBeGreaterThan(0);
  });

  it('A key can list and use only the models granted to it', async () => {
    const keys: KeyGrant[] = [{ key: 'sk-all' }, { key: 'sk-few', models: ['quill-5', 'reel-2'] }];
    const { get, post } = await startTestGateway({ keys });
    expect(idsOf(await get('/v1/models', { key: 'sk-few' }))).toEqual(['reel-2', 'quill-5']);
    expect(idsOf(await get('/v1beta/compat/models', { key: 'sk-few' }))).toEqual(['quill-5']);
    expect((await get('/v1/models/lumen-image-1', { key: 'sk-few' })).status).toBe(404);
    expect((await get('/v1/models/lumen-image-1', { key: 'sk-all' })).status).toBe(200);
    const image = { model: 'lumen-image-1', prompt: 'a boat' };
    expect((await post('/v1/images/generations/jobs', image, { key: 'sk-few' })).status).toBe(404);
    expect((await post('/imgx/submit/imagine', { prompt: 'a boat' }, { key: 'sk-few' })).status).toBe(404);
    const video = await post('/v1/video/generations', { model: 'reel-2', prompt: 'a boat' }, { key: 'sk-few' });
    expect(video.status).toBe(200);
  });

  it('A forbidden model returns 403 in the stock profile, and the list of models for a key without models has success:false', async () => {
    const { get, post } = await startTestGateway({ profile: 'stock', keys: [{ key: 'sk-none', models: [] }] });
    const rejectedResponse = await post(
      '/v1/video/generations',
      { model: 'reel-2', prompt: 'a boat' },
      { key: 'sk-none' },
    );
    expect(rejectedResponse.status).toBe(403);
    expect(rejectedResponse.json.error.code).toBe('access_denied');
    expect((await get('/v1/models', { key: 'sk-none' })).json).toMatchObject({
      success: false,
      message: expect.any(String),
    });
  });
});
