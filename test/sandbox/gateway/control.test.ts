import { describe, expect, it } from 'vitest';
import { bench } from './bench.ts';

const control = '/_sandbox';

describe('The control API', () => {
  it('The control API accepts only local requests from its own origin with the key', async () => {
    const { get, gateway } = await bench();
    const { host } = new URL(gateway.url);
    const state = async (headers: Record<string, string>, key?: string | null) =>
      await get(`${control}/state`, { headers, ...(key === undefined ? {} : { key }) });
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

  it('The control API shows the state, is not recorded and is not affected by faults', async () => {
    const { get, post, gateway } = await bench();
    gateway.faults.add({ do: 'hang' });
    gateway.faults.clear();
    await post('/imgx/submit/imagine', { prompt: 'a' });
    gateway.faults.add({ do: 'server-error' });
    const { json } = await get(`${control}/state`);
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

  it('The control API changes the settings and explains refused ones', async () => {
    const { get, call, gateway } = await bench();
    const patch = async (body: unknown) => await call('PATCH', `${control}/settings`, { body });
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
      const answer = await patch(body);
      expect([answer.status, answer.json], JSON.stringify(body)).toEqual([400, { error: expect.stringMatching(/\S/) }]);
    }
    expect((await get(`${control}/settings`)).json).toMatchObject({ profile: 'stock', speed: 25 });
  });

  it('The control API injects faults by name or in full, lists them and removes them', async () => {
    const { get, post, call } = await bench();
    const first = await post(`${control}/faults`, { do: 'server-error', on: { path: '/v1/models' } });
    expect([first.status, first.json]).toEqual([201, { id: expect.any(Number) }]);
    await post(`${control}/faults`, {
      do: { type: 'accepted-then', spoilt: { type: 'status', status: 502, as: 'html' } },
      times: 3,
    });
    const { json } = await get(`${control}/faults`);
    expect(json.faults).toHaveLength(2);
    expect(Object.keys(json.presets)).toContain('hang');
    expect((await get('/v1/models')).status).toBe(500);
    expect((await call('DELETE', `${control}/faults/${json.faults[1].id}`)).json.faults).toEqual([]);
    expect((await call('DELETE', `${control}/faults/999`)).status).toBe(404);
    expect((await call('DELETE', `${control}/faults`)).json.faults).toEqual([]);
    for (const body of [
      {},
      { do: 'nonsense' },
      { do: { type: 'status' } },
      { do: 'hang', times: 0 },
      { do: 'hang', on: { path: 'x' } },
      { do: 'hang', on: { kind: 'x' } },
    ]) {
      const answer = await post(`${control}/faults`, body);
      expect([answer.status, answer.json], JSON.stringify(body)).toEqual([400, { error: expect.stringMatching(/\S/) }]);
    }
  });

  it('The control API shows jobs without their keys, and controls them', async () => {
    const { get, post } = await bench();
    const { id } = (await post('/v1/images/generations/jobs', { model: 'lumen-image-1', prompt: 'a' })).json;
    const list = await get(`${control}/jobs`);
    expect(list.json.jobs).toMatchObject([
      { id, state: 'queued', kind: 'image', charge: '0.0312345678901234', files: [] },
    ]);
    expect(list.text).not.toContain('sk-sandbox');
    const order = async (body: unknown) => await post(`${control}/jobs/${id}`, body);
    expect((await order({ do: 'dance' })).status).toBe(400);
    expect((await order({ do: 'finish' })).json).toMatchObject({
      state: 'succeeded',
      files: [expect.stringContaining('/files/')],
    });
    expect((await order({ do: 'fail', reason: 'late' })).status).toBe(409);
    expect((await order({ do: 'expire-files' })).json.expired).toBe(true);
    expect((await get(`${control}/jobs/${id}`)).json.id).toBe(id);
    expect((await get(`${control}/jobs/none`)).status).toBe(404);
    expect((await post(`${control}/jobs/none`, { do: 'finish' })).status).toBe(404);
    expect((await get(`${control}/nothing`)).status).toBe(404);
  });

  it('The control API shows the recorded requests without the key and without large bodies', async () => {
    const { get, post, call, gateway } = await bench();
    await post('/imgx/submit/imagine?a=1', { prompt: 'a', base64Array: ['QUJD'.repeat(5_000)] });
    await get('/v1/models', { key: null });
    const { json, text } = await get(`${control}/heard`);
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
    await call('DELETE', `${control}/heard`);
    expect(gateway.heard).toEqual([]);
  });

  it('The control API keeps the last thousand requests', async () => {
    const { get, gateway } = await bench();
    for (let at = 0; at < 1_010; at++) await get(`/x?at=${at}`, { key: null });
    expect(gateway.heard).toHaveLength(1_000);
    expect(gateway.heard.at(-1)?.query).toEqual({ at: '1009' });
  });
});
