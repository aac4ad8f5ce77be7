import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../support/manual-clock.ts';
import { failureOf, key, startServer } from './scripted.ts';

type UpgradeHandler = NonNullable<NonNullable<Parameters<typeof startServer>[0]>['onUpgrade']>;

const respondWith =
  (status: number, body: string, headers: Record<string, string> = {}): UpgradeHandler =>
  (_request, response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    return true;
  };
const error = (fields: object): string => JSON.stringify({ error: fields });
const page = '<html><head><title>Welcome</title></head><body>Hi</body></html>';

describe('Opening a live conversation', () => {
  it('Opening a live conversation sends the key to the specified path below the path of the gateway', async () => {
    const { gateway, requests } = await startServer({ prefix: '/a/b/' });
    await gateway.realtime.open({ model: 'labs/voice 1' });
    expect(requests[0]?.url).toBe('/a/b/v1/realtime?model=labs%2Fvoice+1');
    expect(requests[0]?.headers).toMatchObject({ authorization: `Bearer ${key}`, 'user-agent': 'atelier' });
    expect(requests[0]?.headers['openai-beta']).toBeUndefined();
  });

  it('Opening a live conversation announces the beta dialect only if the operator configured it', async () => {
    const { gateway, requests } = await startServer({ settings: { realtimeBeta: true } });
    await gateway.realtime.open({ model: 'm' });
    expect(requests[0]?.headers['openai-beta']).toBe('realtime=v1');
  });

  it.each([
    ['no model', respondWith(400, error({ message: 'you must provide a model' })), { kind: 'invalid', status: 400 }],
    [
      'a model without realtime',
      respondWith(400, error({ message: 'Not this one', code: 'model_not_supported', param: 'model' })),
      { kind: 'invalid', message: 'Not this one', code: 'model_not_supported', param: 'model' },
    ],
    [
      'a wrong key',
      respondWith(401, error({ message: `Bad ${key}`, code: 'invalid_api_key' })),
      { kind: 'unauthorized' },
    ],
    ['a forbidden model', respondWith(403, error({ message: 'No' })), { kind: 'forbidden' }],
    ['an account without credit', respondWith(403, error({ code: 'insufficient_user_quota' })), { kind: 'quota' }],
    ['a missing model', respondWith(404, error({ code: 'model_not_found', message: 'No m' })), { kind: 'not-found' }],
    ['a missing endpoint', respondWith(404, error({ message: 'Invalid URL' })), { kind: 'not-offered' }],
    ['too many requests', respondWith(429, '', { 'retry-after': '7' }), { kind: 'rate-limited', retryAfterMs: 7_000 }],
    [
      'a proxy’s HTML page',
      respondWith(502, page, { 'content-type': 'text/html' }),
      { kind: 'unavailable', message: 'Welcome' },
    ],
    [
      'an HTML page instead of an upgrade',
      respondWith(200, page, { 'content-type': 'text/html' }),
      { kind: 'not-offered' },
    ],
    ['JSON instead of an upgrade', respondWith(200, '{"fine":true}'), { kind: 'not-offered', code: 'not_upgraded' }],
    [
      'an error in a 200 response',
      respondWith(200, error({ code: 'access_denied', message: 'No' })),
      { kind: 'forbidden' },
    ],
    ['a very long page', respondWith(500, 'x'.repeat(2 ** 18)), { kind: 'unavailable', status: 500 }],
    [
      'a redirect',
      respondWith(307, '', { location: 'https://elsewhere.example/v1/realtime' }),
      { kind: 'not-offered', code: 'redirected' },
    ],
  ])(
    'Opening a live conversation reports errors in the same way as any other request: %s',
    async (_name, onUpgrade, expected) => {
      const { gateway, requests } = await startServer({ onUpgrade });
      const failure = await failureOf(gateway.realtime.open({ model: 'm' }));
      expect(failure).toMatchObject({ mayHaveTakenEffect: false, ...expected });
      expect(failure.message).not.toMatch(/[<>]/);
      expect(requests).toHaveLength(1);
    },
  );

  it('Opening a live conversation is retried only if the gateway is temporarily busy', async () => {
    let requestCount = 0;
    const onUpgrade: UpgradeHandler = (...args) =>
      ++requestCount < 3 && respondWith(503, error({ message: 'Busy' }))(...args);
    const { gateway, requests } = await startServer({ onUpgrade, limits: { attempts: 3 } });
    await gateway.realtime.open({ model: 'm' });
    expect(requests).toHaveLength(3);
    const refusingServer = await startServer({
      onUpgrade: respondWith(400, error({ message: 'No' })),
      limits: { attempts: 3 },
    });
    await failureOf(refusingServer.gateway.realtime.open({ model: 'm' }));
    expect(refusingServer.requests).toHaveLength(1);
  });

  it('Opening a live conversation fails if no server listens or the connection is dropped before it is open', async () => {
    const server = await startServer();
    await server.stop();
    expect(await failureOf(server.gateway.realtime.open({ model: 'm' }))).toMatchObject({
      kind: 'unreachable',
      code: 'ECONNREFUSED',
      mayHaveTakenEffect: false,
    });
    const droppingServer = await startServer({ onUpgrade: (_request, _response, socket) => Boolean(socket.destroy()) });
    expect(await failureOf(droppingServer.gateway.realtime.open({ model: 'm' }))).toMatchObject({
      kind: 'unreachable',
      mayHaveTakenEffect: false,
    });
  });

  it('Opening a live conversation times out without a response', async () => {
    const clock = new ManualClock();
    const server = await startServer({
      tools: { clock },
      limits: { readMs: 1_000 },
      onUpgrade: () => {
        setImmediate(() => clock.advance(1_000));
        return true;
      },
    });
    expect(await failureOf(server.gateway.realtime.open({ model: 'm' }))).toMatchObject({
      kind: 'unreachable',
      reason: { name: 'silent', variables: {} },
    });
  });

  it('Opening a live conversation is stopped as soon as its caller aborts it', async () => {
    const controller = new AbortController();
    const server = await startServer({ onUpgrade: () => controller.abort() === undefined });
    expect(await failureOf(server.gateway.realtime.open({ model: 'm' }, { signal: controller.signal }))).toMatchObject({
      code: 'aborted',
      mayHaveTakenEffect: false,
    });
    expect(await failureOf(server.gateway.realtime.open({ model: 'm' }, { signal: controller.signal }))).toMatchObject({
      code: 'aborted',
    });
    expect(server.requests).toHaveLength(1);
  });

  it('Opening a live conversation rejects invalid input without a request', async () => {
    const server = await startServer();
    for (const settings of [{ model: ' ' }, { model: 'm', voice: '' }, { model: 'm', transcriber: '' }])
      expect(await failureOf(server.gateway.realtime.open(settings))).toMatchObject({ kind: 'invalid' });
    await server.gateway.close();
    expect(await failureOf(server.gateway.realtime.open({ model: 'm' }))).toMatchObject({ kind: 'unreachable' });
    expect(server.requests).toHaveLength(0);
  });
});
