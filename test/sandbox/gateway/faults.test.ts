import { createServer } from 'node:net';
import { errors } from 'undici';
import { describe, expect, it } from 'vitest';
import { faultPresets } from '../../../sandbox/gateway/fault-presets.ts';
import { FaultQueue } from '../../../sandbox/gateway/faults.ts';
import { profiles, startTestGateway } from './bench.ts';

const modelsPath = '/v1/models';
const imaginePath = '/imgx/submit/imagine';
const promptBody = { prompt: 'a boat' };

describe('The faults of a response', () => {
  it('A fault is applied once by default', async () => {
    const { get, gateway } = await startTestGateway();
    gateway.faults.add({ do: 'server-error' });
    expect((await get(modelsPath)).status).toBe(500);
    expect((await get(modelsPath)).status).toBe(200);
    expect(gateway.faults.list()).toEqual([]);
  });

  it('A fault skips the given number of requests and then applies the given number of times, only to matching requests', async () => {
    const { get, post, gateway } = await startTestGateway();
    gateway.faults.add({ on: { method: 'post', path: '/imgx/' }, do: 'server-error', times: 2, after: 1 });
    expect((await get(modelsPath)).status).toBe(200);
    const statuses: number[] = [];
    for (let count = 0; count < 4; count++) statuses.push((await post(imaginePath, promptBody)).status);
    expect(statuses).toEqual([200, 500, 500, 200]);
    gateway.faults.add({ on: { path: /models\/quill/g }, do: 'server-error', times: 2 });
    expect((await get(modelsPath)).status).toBe(200);
    for (const status of [500, 500, 200]) expect((await get('/v1/models/quill-5')).status).toBe(status);
    gateway.faults.add({ on: { kind: 'describe' }, do: 'server-error' });
    expect((await post(imaginePath, promptBody)).status).toBe(200);
    expect((await post('/imgx/submit/describe', {})).status).toBe(500);
  });

  it('A request without a key is refused before any fault is applied', async () => {
    const { get, gateway } = await startTestGateway();
    gateway.faults.add({ do: 'server-error' });
    expect((await get(modelsPath, { key: null })).status).toBe(401);
    expect((await get(modelsPath)).status).toBe(500);
  });

  it('A fault prevents the handler from running, even after the client has disconnected', async () => {
    const { call, gateway } = await startTestGateway();
    for (const fault of [
      'server-error',
      'empty',
      'error-in-200',
      'bad-gateway',
      'redirect',
      'reset',
      'hang',
    ] as const) {
      gateway.faults.add({ do: fault === 'redirect' ? { type: 'redirect', to: '/elsewhere' } : fault });
      await call('POST', imaginePath, { body: promptBody, timeoutMs: 100 }).catch(() => undefined);
    }
    expect(gateway.faults.list()).toEqual([]);
    // After another round trip, any handler of the earlier requests would have finished.
    expect((await call('GET', modelsPath)).status).toBe(200);
    expect(gateway.jobs.list()).toEqual([]);
  });

  it('A 429 has a Retry-After header in seconds, as a date, or not at all', async () => {
    const { get, gateway, clock } = await startTestGateway();
    for (const fault of ['rate-limited', 'rate-limited-until', 'rate-limited-silent'] as const)
      gateway.faults.add({ do: fault });
    const secondsResponse = await get(modelsPath);
    expect([secondsResponse.status, secondsResponse.headers['retry-after']]).toEqual([429, '2']);
    const dateResponse = await get(modelsPath);
    expect(Date.parse(String(dateResponse.headers['retry-after']))).toBe(clock.now() + 2_000);
    const headerlessResponse = await get(modelsPath);
    expect([headerlessResponse.status, headerlessResponse.text, headerlessResponse.headers['retry-after']]).toEqual([
      429,
      '',
      undefined,
    ]);
  });

  it('A proxy fault responds with HTML', async () => {
    const { get, gateway } = await startTestGateway();
    for (const [fault, status] of [
      ['bad-gateway', 502],
      ['gateway-timeout', 524],
      ['too-large', 413],
    ] as const) {
      gateway.faults.add({ do: fault });
      const response = await get(modelsPath);
      expect(response.status).toBe(status);
      expect(response.headers['content-type']).toBe('text/html');
      expect(response.text).toContain('<html>');
    }
  });

  it('A fault uses the error envelope of the profile and the family', async () => {
    const spec = await startTestGateway();
    spec.gateway.faults.add({ do: 'quota' });
    const quotaResponse = await spec.get(modelsPath);
    expect([quotaResponse.status, quotaResponse.json.error.code]).toEqual([403, 'insufficient_user_quota']);
    const stock = await startTestGateway({ profile: 'stock' });
    stock.gateway.faults.add({ do: 'saturated' });
    const saturatedResponse = await stock.post(imaginePath, promptBody);
    expect([saturatedResponse.status, saturatedResponse.json]).toEqual([
      429,
      { code: 30, description: expect.any(String), type: 'upstream_error' },
    ]);
    stock.gateway.faults.add({ do: 'quota' });
    const video = await stock.post('/v1/video/generations', {});
    expect([video.status, video.json]).toEqual([
      403,
      { code: 'insufficient_user_quota', message: expect.any(String), data: null },
    ]);
    stock.gateway.faults.add({ do: 'unauthorized' });
    expect((await stock.post(imaginePath, promptBody)).json.error.code).toBe('invalid_api_key');
  });

  it('A fault can send an empty response, an error with status 200, any other JSON or a redirect', async () => {
    const { get, gateway } = await startTestGateway();
    gateway.faults.add({ do: 'empty' });
    expect(await get(modelsPath)).toMatchObject({ status: 200, text: '' });
    gateway.faults.add({ do: 'error-in-200' });
    expect(await get(modelsPath)).toMatchObject({ status: 200, json: { error: { message: expect.any(String) } } });
    gateway.faults.add({ do: 'success-false' });
    expect(await get(modelsPath)).toMatchObject({ status: 200, json: { success: false } });
    gateway.faults.add({ do: { type: 'body', body: [null, { data: 'x' }], status: 202 } });
    expect(await get(modelsPath)).toMatchObject({ status: 202, json: [null, { data: 'x' }] });
    gateway.faults.add({ do: { type: 'redirect', to: 'http://127.0.0.1:9/elsewhere' } });
    const redirect = await get(modelsPath);
    expect([redirect.status, redirect.headers.location]).toEqual([307, 'http://127.0.0.1:9/elsewhere']);
  });

  it('A fault can truncate a JSON response in three ways', async () => {
    const { get, gateway } = await startTestGateway();
    const fullText = (await get(modelsPath)).text;
    gateway.faults.add({ do: 'half' });
    const truncatedResponse = await get(modelsPath);
    expect([truncatedResponse.status, truncatedResponse.json]).toEqual([200, undefined]);
    expect(fullText.startsWith(truncatedResponse.text)).toBe(true);
    for (const fault of ['lying', 'cut'] as const) {
      gateway.faults.add({ do: fault });
      await expect(get(modelsPath), fault).rejects.toThrow(/other side closed|terminated|aborted|socket/i);
    }
  });

  it('A reset fault closes the connection', async () => {
    const { get, gateway } = await startTestGateway();
    gateway.faults.add({ do: 'reset' });
    await expect(get(modelsPath)).rejects.toThrow(/ECONNRESET|other side closed/);
    expect((await get(modelsPath)).status).toBe(200);
  });

  it('With a hang fault, nothing is sent until the gateway closes', async () => {
    const { get, gateway } = await startTestGateway();
    gateway.faults.add({ do: 'hang', times: 2 });
    const rejections = [get(modelsPath), get(modelsPath)].map((one) => expect(one).rejects.toThrow(errors.SocketError));
    while (gateway.faults.list().length > 0) await new Promise((resolve) => setImmediate(resolve));
    await gateway.close();
    await Promise.all(rejections);
  });

  it('A drip fault sends the whole response slowly', async () => {
    const { get, gateway, clock } = await startTestGateway();
    const fullText = (await get('/v1/models/quill-5')).text;
    gateway.faults.add({ do: { type: 'drip', bytes: 50, everyMs: 1_000 } });
    let hasEnded = false;
    const pending = get('/v1/models/quill-5').finally(() => {
      hasEnded = true;
    });
    const startedAt = clock.now();
    while (!hasEnded) {
      clock.advance(100);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await pending).text).toBe(fullText);
    expect(clock.now() - startedAt).toBeGreaterThan(1_000);
  });

  it.each(['accepted-then-500', 'accepted-then-reset'] as const)(
    'The fault %s accepts the job and charges for it',
    async (fault) => {
      const { post, gateway } = await startTestGateway();
      gateway.faults.add({ do: fault, on: { path: imaginePath } });
      const response = await post(imaginePath, promptBody).catch((problem: Error) => problem);
      if (!(response instanceof Error)) expect(response.status).toBe(500);
      expect(gateway.jobs.list()).toHaveLength(1);
      expect(gateway.usage.rows('sk-sandbox')).toHaveLength(1);
    },
  );

  it('An accepted-then fault does not affect a request that is refused', async () => {
    const { post, gateway } = await startTestGateway();
    gateway.faults.add({ do: 'accepted-then-500' });
    expect((await post(imaginePath, {})).status).toBe(400);
  });

  it('Faults are applied to files too', async () => {
    const { post, get, runToEnd, gateway } = await startTestGateway();
    const { json } = await post('/v1/images/generations/jobs', { model: 'lumen-image-1', ...promptBody });
    await runToEnd(json.id);
    gateway.faults.add({ do: 'bad-gateway', on: { path: '/files/' } });
    expect((await get(`/files/${json.id}/1.png`)).status).toBe(502);
    gateway.faults.add({ do: 'cut', on: { path: '/files/' } });
    await expect(get(`/files/${json.id}/1.png`)).rejects.toThrow();
  });
});

describe('The faults of a job', () => {
  it('A job can hang, fail or be slow, and only matching jobs are affected', async () => {
    const { post, gateway, clock } = await startTestGateway();
    gateway.faults.add({ do: 'stick', on: { kind: 'imagine' } });
    await post('/music/submit/lyrics', promptBody);
    const stuckId = (await post(imaginePath, promptBody)).json.id;
    const normalId = (await post(imaginePath, promptBody)).json.id;
    gateway.faults.add({ do: { type: 'slow', times: 100 } });
    const slowId = (await post(imaginePath, promptBody)).json.id;
    clock.advance(400_000);
    const states = [stuckId, normalId, slowId].map((id) => gateway.jobs.get(id)?.state);
    expect(states).toEqual(['running', 'succeeded', 'running']);
    clock.advance(86_400_000);
    expect(gateway.jobs.get(stuckId)).toMatchObject({ state: 'running', progress: 78 });
    expect(gateway.jobs.get(slowId)?.state).toBe('succeeded');
  });

  it('Two faults can apply to the same job', async () => {
    const { post, gateway, runToEnd } = await startTestGateway();
    gateway.faults.add({ do: 'slow' });
    gateway.faults.add({ do: 'moderated' });
    const { json } = await post(imaginePath, promptBody);
    expect((await runToEnd(json.id)).reason).toMatch(/moderation/);
    expect(gateway.faults.list()).toEqual([]);
  });

  it('Files, media and buttons of a job can be lost', async () => {
    for (const profile of profiles) {
      const { post, get, gateway, runToEnd } = await startTestGateway({ profile });
      const finishWithFault = async (fault: 'lose-files' | 'no-media' | 'no-buttons') => {
        gateway.faults.add({ do: fault });
        const { json } = await post(imaginePath, promptBody);
        const id = json.result ?? json.id;
        await runToEnd(id);
        return (await get(`/imgx/task/${id}/fetch`)).json;
      };
      const taskWithLostFiles = await finishWithFault('lose-files');
      expect((await get(new URL(taskWithLostFiles.imageUrl).pathname)).status).toBe(403);
      expect(await finishWithFault('no-media')).toMatchObject({ imageUrl: '', buttons: expect.arrayContaining([]) });
      expect(await finishWithFault('no-buttons')).toMatchObject({
        imageUrl: expect.stringContaining('http'),
        buttons: [],
      });
    }
  });

  it('Tests can finish, fail and stop jobs directly', async () => {
    const { post, get, gateway, clock } = await startTestGateway();
    const submit = async () => (await post(imaginePath, promptBody)).json.id;
    const [finishedId, failedId, stuckId] = [await submit(), await submit(), await submit()];
    expect(gateway.jobs.finish(finishedId)).toMatchObject({ state: 'succeeded', progress: 100 });
    expect(gateway.jobs.fail(failedId, 'No.')).toMatchObject({ state: 'failed', reason: 'No.' });
    gateway.jobs.freeze(stuckId);
    clock.advance(86_400_000);
    expect((await get(`/imgx/task/${stuckId}/fetch`)).json.status).toBe('queued');
    expect(gateway.jobs.finish(stuckId)?.state).toBe('succeeded');
    expect(gateway.jobs.fail(finishedId, 'Too late.')).toBeUndefined();
    expect(gateway.jobs.finish('none')).toBeUndefined();
  });

  it('The fault of every preset can be injected and removed', () => {
    const queue = new FaultQueue();
    for (const name of Object.keys(faultPresets) as (keyof typeof faultPresets)[]) queue.add({ do: name });
    expect(queue.list()).toHaveLength(Object.keys(faultPresets).length);
    expect(queue.remove(queue.list()[0]?.id ?? 0)).toBe(true);
    queue.clear();
    expect(queue.list()).toEqual([]);
    expect(() => queue.add({ do: 'hang', times: 0 })).toThrow(RangeError);
  });
});

it('Starting the gateway fails if its port is in use', async () => {
  const { startGateway } = await import('../../../sandbox/gateway/gateway.ts');
  const blocker = createServer();
  await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
  const { port } = blocker.address() as { port: number };
  await expect(startGateway({ port })).rejects.toThrow(/EADDRINUSE/);
  blocker.close();
});
