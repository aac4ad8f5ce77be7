import { describe, expect, it } from 'vitest';
import type { RecordedGatewayRequest } from '../../../sandbox/gateway/request-log.ts';
import { startTestGateway } from './bench.ts';

describe('The request counts of a job', () => {
  it('The request counts of a job include its submits, the polls before its end and the queries after its end', async () => {
    const { post, get, runToEnd, gateway } = await startTestGateway();
    const body = { model: 'lumen-image-1', prompt: 'a' };
    const idempotencyOptions = { headers: { 'idempotency-key': 'one' } };
    const first = await post('/v1/images/generations/jobs', body, idempotencyOptions);
    const { id } = first.json;
    expect(gateway.tally.countOf(id)).toEqual({ polls: 0, submits: 1, queries: 0, callbacks: 0 });
    await post('/v1/images/generations/jobs', body, idempotencyOptions);
    await get(`/v1/images/generations/jobs/${id}`);
    await get(`/v1/images/generations/jobs/${id}`);
    await runToEnd(id);
    await get(`/v1/images/generations/jobs/${id}`);
    expect(gateway.tally.countOf(id)).toEqual({ polls: 2, submits: 2, queries: 1, callbacks: 0 });
    const controlResponse = await get(`/_sandbox/jobs/${id}`);
    expect(controlResponse.json).toMatchObject({ polls: 2, submits: 2, queries: 1 });
  });

  it.each([
    ['/imgx/submit/imagine', { prompt: 'a' }, (id: string) => `/imgx/task/${id}/fetch`],
    ['/v1/video/generations', { model: 'reel-2', prompt: 'a' }, (id: string) => `/v1/video/generations/${id}`],
    ['/v1/videos', { model: 'reel-2', prompt: 'a' }, (id: string) => `/v1/videos/${id}`],
    ['/music/submit/music', { prompt: 'a' }, (id: string) => `/music/fetch/${id}`],
  ])('The requests of a job submitted to %s are counted', async (submitPath, body, queryPathOf) => {
    const { post, get, gateway } = await startTestGateway();
    await post(submitPath, body);
    const [job] = gateway.jobs.list();
    await get(queryPathOf(job?.id ?? ''));
    await get(queryPathOf('unknown'));
    expect(gateway.tally.countOf(job?.id ?? '')).toEqual({ polls: 1, submits: 1, queries: 0, callbacks: 0 });
  });
});

describe('The recorded requests', () => {
  it('A request is recorded with its response, or with status 0 if the response was never received', async () => {
    const { post, gateway } = await startTestGateway();
    const received: RecordedGatewayRequest[] = [];
    const stopRecording = gateway.onRequest((request) => received.push(request));
    await post('/imgx/submit/imagine', { prompt: 'a' });
    gateway.faults.add({ on: { method: 'POST', kind: 'any' }, do: 'accepted-then-reset' });
    await expect(post('/imgx/submit/imagine', { prompt: 'b' })).rejects.toThrow();
    stopRecording();
    await post('/imgx/submit/imagine', { prompt: 'c' });
    expect(received.map(({ status, body }) => [status, body])).toEqual([
      [200, { prompt: 'a' }],
      [0, { prompt: 'b' }],
    ]);
    expect(JSON.parse(received[0]?.responseText ?? '')).toHaveProperty('id');
    expect(received[0]?.ms).toEqual(expect.any(Number));
    expect(gateway.jobs.list().map(({ prompt }) => prompt)).toEqual(['a', 'b', 'c']);
  });

  it('A fault for submits of any kind does not affect polls', async () => {
    const { get, post, gateway } = await startTestGateway();
    gateway.faults.add({ on: { kind: 'any' }, do: 'rate-limited' });
    expect((await get('/v1/models')).status).toBe(200);
    expect((await post('/music/submit/music', { prompt: 'a' })).status).toBe(429);
  });
});

describe('An outage of the gateway', () => {
  it('The gateway can go down and come up again at the same URL in quick succession, while its jobs continue', async () => {
    const { get, post, gateway, clock } = await startTestGateway();
    const { json } = await post('/imgx/submit/imagine', { prompt: 'a' });
    await Promise.all([gateway.setDown(true), gateway.setDown(false), gateway.setDown(true), gateway.setDown(true)]);
    expect(gateway.isDown).toBe(true);
    await expect(get('/v1/models')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    clock.advance(3_600_000);
    await gateway.setDown(false);
    expect((await get(`/imgx/task/${json.id}/fetch`)).json.status).toBe('succeeded');
  });

  it('The gateway can be closed while it is down', async () => {
    const { gateway } = await startTestGateway();
    await gateway.setDown(true);
    await expect(gateway.close()).resolves.toBeUndefined();
  });
});
