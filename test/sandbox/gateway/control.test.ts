import { describe, expect, it } from 'vitest';
import { startTestGateway } from './bench.ts';

const controlPath = '/_sandbox';

describe('The control API', () => {
  it('The control API accepts only local requests from its own origin with the key', async () => {
    const { get, gateway } = await startTestGateway();
    const { host } = new URL(gateway.url);
    const state = async (headers: Record<string, string>, key?: string | null) =>
      await get(`${controlPath}/state`, { headers, ...(key === undefined ? {} : { key }) });
    expect((await state({}, null)).status).toBe(401);
    expect((await state({}, 'sk-wrong')).status).toBe(401);
    expect((await state({ host: 'evil.example' })).status).toBe(403);
    expect((await state({ host: '127.0.0.1.evil.example' })).status).toBe(403);
    expect((await state({ host: 'localhost:80' })).status).toBe(200);
    expect((await state({ origin: 'http://evil.example' })).status).toBe(403);
    expect((await state({ origin: 'null' })).status).toBe(403);
    expect((await state({ origin: `http://${host}` })).status).toBe(200);
    expect((await state({ host: 'evil.example' }, null)).json).toEqual({
      error: expect.stringMatching(/127\.0\.0\.1/),
    });
  });

  it('The control API returns the state, and its requests are neither recorded nor affected by faults', async () => {
    const { get, post, gateway } = await startTestGateway();
    gateway.faults.add({ do: 'hang' });
    gateway.faults.clear();
    await post('/imgx/submit/imagine', { prompt: 'a' });
    gateway.faults.add({ do: 'server-error' });
    const { json } = await get(`${controlPath}/state`);
    expect(json).toMatchObject({
      url: gateway.url,
      profile: 'spec',
      speed: 1,
      jobs: { queued: 1 },
      faults: 1,
      heard: 1,
      quirks: { remix: false },
    });
  });

  it('The control API changes settings, and rejects invalid ones with an explanation', async () => {
    const { get, call, gateway } = await startTestGateway();
    const patch = async (body: unknown) => await call('PATCH', `${controlPath}/settings`, { body });
    expect(
      (await patch({ profile: 'stock', speed: 25, quirks: { remix: true, videoShape: 'legacy' } })).json,
    ).toMatchObject({ profile: 'stock', speed: 25 });
    expect(gateway.settings).toMatchObject({
      profile: 'stock',
      speed: 25,
      quirks: { remix: true, videoShape: 'legacy', rewriteCodes: true },
    });
    for (const body of [
      { speed: 0 },
      { speed: 'fast' },
      { profile: 'wild' },
      { quirks: { nonsense: true } },
      { quirks: { remix: 'yes' } },
      { colour: 1 },
    ]) {
      const response = await patch(body);
      expect([response.status, response.json], JSON.stringify(body)).toEqual([
        400,
        { error: expect.stringMatching(/\S/) },
      ]);
    }
    expect((await get(`${controlPath}/settings`)).json).toMatchObject({ profile: 'stock', speed: 25 });
  });

  it('The control API injects faults by name or in full, lists them and removes them', async () => {
    const { get, post, call } = await startTestGateway();
    const first = await post(`${controlPath}/faults`, { do: 'server-error', on: { path: '/v1/models' } });
    expect([first.status, first.json]).toEqual([201, { id: expect.any(Number) }]);
    await post(`${controlPath}/faults`, {
      do: { type: 'accepted-then', spoilt: { type: 'status', status: 502, as: 'html' } },
      times: 3,
    });
    const { json } = await get(`${controlPath}/faults`);
    expect(json.faults).toHaveLength(2);
    expect(Object.keys(json.presets)).toContain('hang');
    expect((await get('/v1/models')).status).toBe(500);
    expect((await call('DELETE', `${controlPath}/faults/${json.faults[1].id}`)).json.faults).toEqual([]);
    expect((await call('DELETE', `${controlPath}/faults/999`)).status).toBe(404);
    expect((await call('DELETE', `${controlPath}/faults`)).json.faults).toEqual([]);
    for (const body of [
      {},
      { do: 'nonsense' },
      { do: { type: 'status' } },
      { do: 'hang', times: 0 },
      { do: 'hang', on: { path: 'x' } },
      { do: 'hang', on: { kind: 'x' } },
    ]) {
      const response = await post(`${controlPath}/faults`, body);
      expect([response.status, response.json], JSON.stringify(body)).toEqual([
        400,
        { error: expect.stringMatching(/\S/) },
      ]);
    }
  });

  it('The control API lists jobs without their keys, and can finish, fail and expire them', async () => {
    const { get, post } = await startTestGateway();
    const { id } = (await post('/v1/images/generations/jobs', { model: 'lumen-image-1', prompt: 'a' })).json;
    const list = await get(`${controlPath}/jobs`);
    expect(list.json.jobs).toMatchObject([
      { id, state: 'queued', kind: 'image', charge: '0.0312345678901234', files: [] },
    ]);
    expect(list.text).not.toContain('sk-sandbox');
    const perform = async (body: unknown) => await post(`${controlPath}/jobs/${id}`, body);
    expect((await perform({ do: 'dance' })).status).toBe(400);
    expect((await perform({ do: 'finish' })).json).toMatchObject({
      state: 'succeeded',
      files: [expect.stringContaining('/files/')],
    });
    expect((await perform({ do: 'fail', reason: 'late' })).status).toBe(409);
    expect((await perform({ do: 'expire-files' })).json.expired).toBe(true);
    expect((await get(`${controlPath}/jobs/${id}`)).json.id).toBe(id);
    expect((await get(`${controlPath}/jobs/none`)).status).toBe(404);
    expect((await post(`${controlPath}/jobs/none`, { do: 'finish' })).status).toBe(404);
    expect((await get(`${controlPath}/nothing`)).status).toBe(404);
  });

  it('The control API lists the recorded requests without the key and without large bodies', async () => {
    const { get, post, call, gateway } = await startTestGateway();
    await post('/imgx/submit/imagine?a=1', { prompt: 'a', base64Array: ['QUJD'.repeat(5_000)] });
    await get('/v1/models', { key: null });
    const { json, text } = await get(`${controlPath}/heard`);
    expect(json.heard).toMatchObject([
      {
        method: 'POST',
        path: '/imgx/submit/imagine',
        query: { a: '1' },
        status: 200,
        body: { prompt: 'a', base64Array: [expect.stringContaining('20000 characters')] },
      },
      { method: 'GET', path: '/v1/models', status: 401 },
    ]);
    expect(text).not.toContain('sk-sandbox');
    expect(json.heard[0].headers).not.toHaveProperty('authorization');
    await call('DELETE', `${controlPath}/heard`);
    expect(gateway.requests).toEqual([]);
  });

  it('The control API keeps the last thousand requests', { tags: ['breadth'] }, async () => {
    const { get, gateway } = await startTestGateway();
    for (let index = 0; index < 1_010; index++) await get(`/x?at=${index}`, { key: null });
    expect(gateway.requests).toHaveLength(1_000);
    expect(gateway.requests.at(-1)?.query).toEqual({ at: '1009' });
  });
});
