import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Json, startTestGateway } from './bench.ts';

async function startReceiver(responseStatus = 200) {
  const received: Json[] = [];
  const waiters: { count: number; resolve: () => void }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push(JSON.parse(Buffer.concat(chunks).toString()));
    response.writeHead(responseStatus).end();
    for (const waiter of waiters) if (received.length >= waiter.count) waiter.resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  const { port } = server.address() as { port: number };
  const waitForCount = (count: number) =>
    new Promise<void>((resolve) => (received.length >= count ? resolve() : waiters.push({ count, resolve })));
  return { url: `http://127.0.0.1:${port}/hook`, received, waitForCount };
}

describe('The callbacks of tasks', () => {
  it('Callbacks report the task on every change, in order', async () => {
    const { post, get, runToEnd } = await startTestGateway();
    const hook = await startReceiver();
    const { json } = await post('/imgx/submit/imagine', { prompt: 'a', notifyHook: hook.url });
    expect(json.notifyHook).toBe(hook.url);
    await runToEnd(json.id);
    await hook.waitForCount(11);
    expect(hook.received.map((task) => task.status)).toEqual(['queued', ...Array(9).fill('running'), 'succeeded']);
    const progress = hook.received.map((task) => task.progress);
    expect(progress).toEqual([...progress].sort((one, other) => one - other));
    expect(hook.received.at(-1)).toEqual((await get(`/imgx/task/${json.id}/fetch`)).json);
  });

  it('Callbacks use the format of the profile', async () => {
    const { post, runToEnd } = await startTestGateway({ profile: 'stock' });
    const hook = await startReceiver();
    const { json } = await post('/imgx/submit/imagine', { prompt: 'a', notifyHook: hook.url });
    await runToEnd(json.result);
    await hook.waitForCount(11);
    expect(hook.received.at(-1)).toMatchObject({ id: json.result, status: 'SUCCESS', progress: '100%' });
  });

  it('A callback for a song has the format of a poll response', async () => {
    const { post, get, runToEnd } = await startTestGateway();
    const hook = await startReceiver();
    const { json } = await post('/music/submit/music', { prompt: 'la la', notify_hook: hook.url });
    await runToEnd(json.id);
    await hook.waitForCount(11);
    expect(hook.received.at(-1)).toEqual((await get(`/music/fetch/${json.id}`)).json);
  });

  it('A callback URL that is invalid, unreachable or responds with an error does not affect the task', async () => {
    const hook = await startReceiver(500);
    for (const notifyHook of [hook.url, 'http://127.0.0.1:1/none', 'http://192.0.2.1/far', 'not an address', 5, null]) {
      const { post, runToEnd } = await startTestGateway();
      const response = await post('/imgx/submit/imagine', { prompt: 'a', notifyHook });
      expect(response.status, String(notifyHook)).toBe(200);
      expect((await runToEnd(response.json.id)).state).toBe('succeeded');
    }
  });

  it('Callbacks report a task that is waiting for a prompt, and continue after the prompt was submitted', async () => {
    const { post, get, runToEnd } = await startTestGateway({ quirks: { remix: true } });
    const gridId = (await post('/imgx/submit/imagine', { prompt: 'a' })).json.id;
    await runToEnd(gridId);
    const { buttons } = (await get(`/imgx/task/${gridId}/fetch`)).json;
    const hook = await startReceiver();
    const { customId } = buttons.find((button: { customId: string }) => button.customId.includes('variation'));
    const actionResponse = await post('/imgx/submit/action', { taskId: gridId, customId, notifyHook: hook.url });
    await post('/imgx/submit/modal', { taskId: actionResponse.json.id, prompt: 'b' });
    await runToEnd(actionResponse.json.id);
    await hook.waitForCount(12);
    expect(hook.received.map((task) => task.status).slice(0, 3)).toEqual(['modal', 'queued', 'running']);
    expect(hook.received.at(-1)?.status).toBe('succeeded');
  });

  it('Music callbacks report every change of a task in the format of the music endpoints', async () => {
    const { post, get, runToEnd } = await startTestGateway();
    const hook = await startReceiver();
    const { json } = await post('/music/submit/music', { prompt: 'a', notify_hook: hook.url });
    await runToEnd(json.id);
    await hook.waitForCount(11);
    expect(hook.received.map((task) => task.status)).toEqual(['queued', ...Array(9).fill('running'), 'succeeded']);
    expect(hook.received.at(-1)).toEqual((await get(`/music/fetch/${json.id}`)).json);
  });
});

describe('The faults of callbacks', () => {
  const EXPECTED_CALLBACKS = {
    'callbacks-lost': { count: 0, ends: 0 },
    'callback-of-end-lost': { count: 10, ends: 0 },
    'callbacks-doubled': { count: 33, ends: 3 },
  } as const;

  it.each(['callbacks-lost', 'callback-of-end-lost', 'callbacks-doubled'] as const)(
    'The fault %s affects only the callbacks of the next job',
    async (preset) => {
      const { gateway, post, runToEnd } = await startTestGateway();
      const hook = await startReceiver();
      gateway.faults.add({ do: preset });
      const { json } = await post('/imgx/submit/imagine', { prompt: 'a', notifyHook: hook.url });
      await runToEnd(json.id);
      const nextResponse = await post('/imgx/submit/imagine', { prompt: 'b', notifyHook: hook.url });
      await runToEnd(nextResponse.json.id);
      const { count, ends } = EXPECTED_CALLBACKS[preset];
      await hook.waitForCount(count + 11);
      const callbacksOf = (id: string) => hook.received.filter((task) => task.id === id);
      expect(callbacksOf(json.id)).toHaveLength(count);
      expect(callbacksOf(json.id).filter(({ status }) => status === 'succeeded')).toHaveLength(ends);
      expect(callbacksOf(nextResponse.json.id)).toHaveLength(11);
    },
  );

  it('Forged callbacks are sent before the real ones, and report the wrong status', async () => {
    const { gateway, post, runToEnd } = await startTestGateway({ profile: 'stock' });
    const hook = await startReceiver();
    gateway.faults.add({ do: 'callbacks-forged' });
    const { json } = await post('/imgx/submit/imagine', { prompt: 'a', notifyHook: hook.url });
    await runToEnd(json.result);
    await hook.waitForCount(14);
    expect(hook.received.slice(0, 3).map(({ status }) => status)).toEqual(['SUCCESS', 'FAILURE', 'SUCCESS']);
  });

  it('No further callbacks of a job are sent if the receiver does not return the challenge', async () => {
    const { gateway, post, runToEnd } = await startTestGateway();
    const hook = await startReceiver();
    gateway.faults.add({ do: 'callbacks-challenge' });
    const { json } = await post('/imgx/submit/imagine', { prompt: 'a', notifyHook: hook.url });
    await runToEnd(json.id);
    const nextResponse = await post('/imgx/submit/imagine', { prompt: 'b', notifyHook: hook.url });
    await runToEnd(nextResponse.json.id);
    await hook.waitForCount(12);
    expect(hook.received.map(({ challenge }) => typeof challenge).indexOf('string')).toBeGreaterThanOrEqual(0);
    expect(hook.received.filter(({ id }) => id === json.id)).toEqual([]);
  });

  it.each([
    ['progress', 10],
    ['ends', 1],
    ['none', 0],
  ] as const)('A gateway may report only some changes by callback: %s', async (callbacks, count) => {
    const { gateway, post, runToEnd } = await startTestGateway({ quirks: { callbacks } });
    const hook = await startReceiver();
    const { json } = await post('/imgx/submit/imagine', { prompt: 'a', notifyHook: hook.url });
    await runToEnd(json.id);
    gateway.settings.quirks.callbacks = 'all';
    const nextResponse = await post('/imgx/submit/imagine', { prompt: 'b', notifyHook: hook.url });
    await runToEnd(nextResponse.json.id);
    await hook.waitForCount(count + 11);
    expect(hook.received.filter(({ id }) => id === json.id)).toHaveLength(count);
  });

  it.each([
    ['/v1/video/generations', {}],
    ['/v1/videos', {}],
    ['/videoa/v1/videos/image2video', { image: 'https://a.example/1.png' }],
  ] as const)('A video uses the callback URL from the top level of its request: %s', async (path, extraFields) => {
    const { post, gateway } = await startTestGateway();
    const hook = await startReceiver();
    const { json } = await post(path, { model: 'reel-2', prompt: 'a', callback_url: hook.url, ...extraFields });
    gateway.jobs.finish(String(json.id ?? json.task_id));
    await expect.poll(() => JSON.stringify(hook.received.at(-1))).toMatch(/succeeded|completed/);
  });
});
