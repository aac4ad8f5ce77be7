import { createServer } from 'node:net';
import { errors } from 'undici';
import { describe, expect, it } from 'vitest';
import { faultPresets } from '../../../sandbox/gateway/fault-presets.ts';
import { FaultQueue } from '../../../sandbox/gateway/faults.ts';
import { bench, profiles } from './bench.ts';

const models = '/v1/models';
const imagine = '/imgx/submit/imagine';
const words = { prompt: 'a boat' };

describe('The faults of a response', () => {
  it('A fault is applied once by default', async () => {
    const { get, gateway } = await bench();
    gateway.faults.add({ do: 'server-error' });
    expect((await get(models)).status).toBe(500);
    expect((await get(models)).status).toBe(200);
    expect(gateway.faults.list()).toEqual([]);
  });

  it('A fault skips the given number of requests and then applies the given number of times, only to matching requests', async () => {
    const { get, post, gateway } = await bench();
    gateway.faults.add({ on: { method: 'post', path: '/imgx/' }, do: 'server-error', times: 2, after: 1 });
    expect((await get(models)).status).toBe(200);
    const statuses: number[] = [];
    for (let at = 0; at < 4; at++) statuses.push((await post(imagine, words)).status);
    expect(statuses).toEqual([200, 500, 500, 200]);
    gateway.faults.add({ on: { path: /models\/quill/g }, do: 'server-error', times: 2 });
    expect((await get(models)).status).toBe(200);
    for (const status of [500, 500, 200]) expect((await get('/v1/models/quill-5')).status).toBe(status);
    gateway.faults.add({ on: { kind: 'describe' }, do: 'server-error' });
    expect((await post(imagine, words)).status).toBe(200);
    expect((await post('/imgx/submit/describe', {})).status).toBe(500);
  });

  it('A request without a key is refused before any fault is applied', async () => {
    const { get, gateway } = await bench();
    gateway.faults.add({ do: 'server-error' });
    expect((await get(models, { key: null })).status).toBe(401);
    expect((await get(models)).status).toBe(500);
  });

  it('A fault keeps the handler from running, even if the client has disconnected', async () => {
    const { call, gateway } = await bench();
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
      await call('POST', imagine, { body: words, timeoutMs: 100 }).catch(() => undefined);
    }
    expect(gateway.faults.list()).toEqual([]);
    // After another round trip, delayed work of the earlier requests would have been done.
    expect((await call('GET', models)).status).toBe(200);
    expect(gateway.jobs.list()).toEqual([]);
  });

  it('A 429 has a Retry-After header in seconds, as a date, or not at all', async () => {
    const { get, gateway, clock } = await bench();
    for (const fault of ['rate-limited', 'rate-limited-until', 'rate-limited-silent'] as const)
      gateway.faults.add({ do: fault });
    const seconds = await get(models);
    expect([seconds.status, seconds.headers['retry-after']]).toEqual([429, '2']);
    const date = await get(models);
    expect(Date.parse(String(date.headers['retry-after']))).toBe(clock.now() + 2_000);
    const silent = await get(models);
    expect([silent.status, silent.text, silent.headers['retry-after']]).toEqual([429, '', undefined]);
  });

  it('A proxy fault responds with HTML', async () => {
    const { get, gateway } = await bench();
    for (const [fault, status] of [
      ['bad-gateway', 502],
      ['gateway-timeout', 524],
      ['too-large', 413],
    ] as const) {
      gateway.faults.add({ do: fault });
      const answer = await get(models);
      expect(answer.status).toBe(status);
      expect(answer.headers['content-type']).toBe('text/html');
      expect(answer.text).toContain('<html>');
    }
  });

  it('A fault uses the error envelope of the profile and the family', async () => {
    const spec = await bench();
    spec.gateway.faults.add({ do: 'quota' });
    const quota = await spec.get(models);
    expect([quota.status, quota.json.error.code]).toEqual([403, 'insufficient_user_quota']);
    const stock = await bench({ profile: 'stock' });
    stock.gateway.faults.add({ do: 'saturated' });
    const saturated = await stock.post(imagine, words);
    expect([saturated.status, saturated.json]).toEqual([
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
    expect((await stock.post(imagine, words)).json.error.code).toBe('invalid_api_key');
  });

  it('A response with status 200 can be empty, or contain an error or any other JSON', async () => {
    const { get, gateway } = await bench();
    gateway.faults.add({ do: 'empty' });
    expect(await get(models)).toMatchObject({ status: 200, text: '' });
    gateway.faults.add({ do: 'error-in-200' });
    expect(await get(models)).toMatchObject({ status: 200, json: { error: { message: expect.any(String) } } });
    gateway.faults.add({ do: 'success-false' });
    expect(await get(models)).toMatchObject({ status: 200, json: { success: false } });
    gateway.faults.add({ do: { type: 'body', body: [null, { data: 'x' }], status: 202 } });
    expect(await get(models)).toMatchObject({ status: 202, json: [null, { data: 'x' }] });
    gateway.faults.add({ do: { type: 'redirect', to: 'http://127.0.0.1:9/elsewhere' } });
    const moved = await get(models);
    expect([moved.status, moved.headers.location]).toEqual([307, 'http://127.0.0.1:9/elsewhere']);
  });

  it('A JSON response is truncated in three ways', async () => {
    const { get, gateway } = await bench();
    const whole = (await get(models)).text;
    gateway.faults.add({ do: 'half' });
    const half = await get(models);
    expect([half.status, half.json]).toEqual([200, undefined]);
    expect(whole.startsWith(half.text)).toBe(true);
    for (const fault of ['lying', 'cut'] as const) {
      gateway.faults.add({ do: fault });
      await expect(get(models), fault).rejects.toThrow(/other side closed|terminated|aborted|socket/i);
    }
  });

  it('A reset closes the connection', async () => {
    const { get, gateway } = await bench();
    gateway.faults.add({ do: 'reset' });
    await expect(get(models)).rejects.toThrow(/ECONNRESET|other side closed/);
    expect((await get(models)).status).toBe(200);
  });

  it('A hang sends nothing until the gateway closes', async () => {
    const { get, gateway } = await bench();
    gateway.faults.add({ do: 'hang', times: 2 });
    const hanging = [get(models), get(models)].map((one) => expect(one).rejects.toThrow(errors.SocketError));
    while (gateway.faults.list().length > 0) await new Promise((resolve) => setImmediate(resolve));
    await gateway.close();
    await Promise.all(hanging);
  });

  it('A drip sends the whole response slowly', async () => {
    const { get, gateway, clock } = await bench();
    const whole = (await get('/v1/models/quill-5')).text;
    gateway.faults.add({ do: { type: 'drip', bytes: 50, everyMs: 1_000 } });
    let ended = false;
    const dripping = get('/v1/models/quill-5').finally(() => {
      ended = true;
    });
    const began = clock.now();
    while (!ended) {
      clock.advance(100);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await dripping).text).toBe(whole);
    expect(clock.now() - began).toBeGreaterThan(1_000);
  });

  it.each(['accepted-then-500', 'accepted-then-reset'] as const)(
    'The fault %s accepts the job and charges for it',
    async (fault) => {
      const { post, gateway } = await bench();
      gateway.faults.add({ do: fault, on: { path: imagine } });
      const answer = await post(imagine, words).catch((problem: Error) => problem);
      if (!(answer instanceof Error)) expect(answer.status).toBe(500);
      expect(gateway.jobs.list()).toHaveLength(1);
      expect(gateway.usage.rows('sk-sandbox')).toHaveLength(1);
    },
  );

  it('An accepted-then fault does not hide that a request was refused', async () => {
    const { post, gateway } = await bench();
    gateway.faults.add({ do: 'accepted-then-500' });
    expect((await post(imagine, {})).status).toBe(400);
  });

  it('Faults are applied to files too', async () => {
    const { post, get, runToEnd, gateway } = await bench();
    const { json } = await post('/v1/images/generations/jobs', { model: 'lumen-image-1', ...words });
    await runToEnd(json.id);
    gateway.faults.add({ do: 'bad-gateway', on: { path: '/files/' } });
    expect((await get(`/files/${json.id}/1.png`)).status).toBe(502);
    gateway.faults.add({ do: 'cut', on: { path: '/files/' } });
    await expect(get(`/files/${json.id}/1.png`)).rejects.toThrow();
  });
});

describe('The faults of a job', () => {
  it('A job can hang, fail or be slow, and only matching jobs are affected', async () => {
    const { post, gateway, clock } = await bench();
    gateway.faults.add({ do: 'stick', on: { kind: 'imagine' } });
    await post('/music/submit/lyrics', words);
    const stuck = (await post(imagine, words)).json.id;
    const well = (await post(imagine, words)).json.id;
    gateway.faults.add({ do: { type: 'slow', times: 100 } });
    const slow = (await post(imagine, words)).json.id;
    clock.advance(400_000);
    const states = [stuck, well, slow].map((id) => gateway.jobs.get(id)?.state);
    expect(states).toEqual(['running', 'succeeded', 'running']);
    clock.advance(86_400_000);
    expect(gateway.jobs.get(stuck)).toMatchObject({ state: 'running', progress: 78 });
    expect(gateway.jobs.get(slow)?.state).toBe('succeeded');
  });

  it('Two faults can apply to the same job', async () => {
    const { post, gateway, runToEnd } = await bench();
    gateway.faults.add({ do: 'slow' });
    gateway.faults.add({ do: 'moderated' });
    const { json } = await post(imagine, words);
    expect((await runToEnd(json.id)).reason).toMatch(/moderation/);
    expect(gateway.faults.list()).toEqual([]);
  });

  it('Files, media and buttons of a job can be lost', async () => {
    for (const profile of profiles) {
      const { post, get, gateway, runToEnd } = await bench({ profile });
      const done = async (fault: 'lose-files' | 'no-media' | 'no-buttons') => {
        gateway.faults.add({ do: fault });
        const { json } = await post(imagine, words);
        const id = json.result ?? json.id;
        await runToEnd(id);
        return (await get(`/imgx/task/${id}/fetch`)).json;
      };
      const lost = await done('lose-files');
      expect((await get(new URL(lost.imageUrl).pathname)).status).toBe(403);
      expect(await done('no-media')).toMatchObject({ imageUrl: '', buttons: expect.arrayContaining([]) });
      expect(await done('no-buttons')).toMatchObject({ imageUrl: expect.stringContaining('http'), buttons: [] });
    }
  });

  it('Tests can finish, fail and stop jobs directly', async () => {
    const { post, get, gateway, clock } = await bench();
    const make = async () => (await post(imagine, words)).json.id;
    const [one, two, three] = [await make(), await make(), await make()];
    expect(gateway.jobs.finish(one)).toMatchObject({ state: 'succeeded', progress: 100 });
    expect(gateway.jobs.fail(two, 'No.')).toMatchObject({ state: 'failed', reason: 'No.' });
    gateway.jobs.stick(three);
    clock.advance(86_400_000);
    expect((await get(`/imgx/task/${three}/fetch`)).json.status).toBe('queued');
    expect(gateway.jobs.finish(three)?.state).toBe('succeeded');
    expect(gateway.jobs.fail(one, 'Too late.')).toBeUndefined();
    expect(gateway.jobs.finish('none')).toBeUndefined();
  });

  it('Every preset is a fault that can be injected and removed', () => {
    const book = new FaultQueue();
    for (const name of Object.keys(faultPresets) as (keyof typeof faultPresets)[]) book.add({ do: name });
    expect(book.list()).toHaveLength(Object.keys(faultPresets).length);
    expect(book.remove(book.list()[0]?.id ?? 0)).toBe(true);
    book.clear();
    expect(book.list()).toEqual([]);
    expect(() => book.add({ do: 'hang', times: 0 })).toThrow(RangeError);
  });
});

it('If the port is in use, the start fails and leaves nothing open', async () => {
  const { startGateway } = await import('../../../sandbox/gateway/gateway.ts');
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as { port: number };
  await expect(startGateway({ port })).rejects.toThrow(/EADDRINUSE/);
  taken.close();
});
