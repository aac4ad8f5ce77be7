import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../../src/lib/clock.ts';
import { TaskClient } from '../../../src/services/gateway/endpoints/task-client.ts';
import { GatewayError } from '../../../src/services/gateway/errors.ts';
import { GatewayHttp } from '../../../src/services/gateway/http.ts';
import { defaultGatewayLimits, defaultSettings, type GatewayLimits } from '../../../src/services/gateway/settings.ts';

const key = 'sk-secret-of-the-gateway';

interface ReceivedRequest {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage['headers'];
}

type Responder = (request: IncomingMessage, response: ServerResponse) => void;

/** Starts a server that sends its responses one after the other, and repeats the last one. */
async function startServer(
  responders: Responder[],
): Promise<{ url: string; requests: ReceivedRequest[]; server: Server }> {
  const receivedRequests: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    receivedRequests.push({ method: request.method, url: request.url, headers: request.headers });
    const respond = responders[Math.min(receivedRequests.length, responders.length) - 1];
    request.resume().once('end', () => respond?.(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests: receivedRequests, server };
}

const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Responder =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };

/** A clock on which every wait ends immediately, and which records how long the wait would have been. The time limits of bodies never end. */
class SkippingClock implements Clock {
  readonly waits: number[] = [];
  now(): number {
    return Date.UTC(2026, 0, 1);
  }
  after(ms: number, task: () => void): () => void {
    if (ms === defaultGatewayLimits.wholeBodyMs) return () => undefined;
    this.waits.push(ms);
    queueMicrotask(task);
    return () => undefined;
  }
}

describe('The HTTP client of the gateway', () => {
  let servers: Server[];
  let clients: GatewayHttp[];
  let clock: SkippingClock;

  beforeEach(() => {
    servers = [];
    clients = [];
    clock = new SkippingClock();
  });
  afterEach(async () => {
    for (const server of servers) server.closeAllConnections();
    for (const server of servers) server.close();
    for (const client of clients) await client.close();
  });

  function clientFor(baseUrl: string, limits: Partial<GatewayLimits> = {}, apiKey = key): GatewayHttp {
    const log = { info: () => undefined, warn: () => undefined };
    const client = new GatewayHttp(
      { ...defaultSettings, baseUrl, apiKey },
      { ...defaultGatewayLimits, ...limits },
      { log, clock, random: () => 1 },
    );
    clients.push(client);
    return client;
  }

  async function openClient(responders: Responder[], limits: Partial<GatewayLimits> = {}) {
    const { url, requests, server } = await startServer(responders);
    servers.push(server);
    return { client: clientFor(url, limits), requests, url };
  }

  async function failureOf(promise: Promise<unknown>): Promise<GatewayError> {
    const error = await promise.then(
      () => new Error('The call succeeded.'),
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(GatewayError);
    return error as GatewayError;
  }

  it('The HTTP client sends the key as a bearer token and bodies as JSON', async () => {
    const { client, requests } = await openClient([json({ fine: true })]);
    await client.submit({ path: '/orders', body: { prompt: 'é' } });
    expect(requests[0]).toMatchObject({
      method: 'POST',
      url: '/orders',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    });
  });

  it('The HTTP client keeps the path of the base URL and omits undefined query parameters', async () => {
    const { requests, url } = await openClient([json({})]);
    const client = clientFor(`${url}/a/b/`);
    await client.read({ path: '/v1/models', query: { start: 'x y', end: undefined } });
    expect(requests[0]?.url).toBe('/a/b/v1/models?start=x+y');
  });

  describe('A read request', () => {
    it.each([500, 502, 503, 504, 524, 429, 408])('A read is retried after status %i', async (status) => {
      const { client, requests } = await openClient([json({}, status), json({}, status), json({ fine: true })]);
      await expect(client.read({ path: '/x' })).resolves.toEqual({ fine: true });
      expect(requests).toHaveLength(3);
      expect(clock.waits).toEqual([500, 1000]);
    });

    it.each([400, 401, 402, 403, 404, 405, 409, 413, 422, 501])(
      'A read is not retried after status %i',
      async (status) => {
        const { client, requests } = await openClient([json({}, status), json({ fine: true })]);
        expect((await failureOf(client.read({ path: '/x' }))).status).toBe(status);
        expect(requests).toHaveLength(1);
      },
    );

    it('A read waits as long as Retry-After states, in seconds or as a date', async () => {
      const date = new Date(clock.now() + 3000).toUTCString();
      const { client } = await openClient([
        json({}, 429, { 'retry-after': '2' }),
        json({}, 429, { 'retry-after': date }),
        json({}),
      ]);
      await client.read({ path: '/x' });
      expect(clock.waits).toEqual([2000, 3000]);
    });

    it('A read does not wait longer than a call may take, and reports how long the gateway asked to wait', async () => {
      const { client, requests } = await openClient([json({}, 429, { 'retry-after': '120' })]);
      expect(await failureOf(client.read({ path: '/x' }))).toMatchObject({
        kind: 'rate-limited',
        retryAfterMs: 120_000,
      });
      expect(requests).toHaveLength(1);
    });

    it('A read gives up after the allowed number of attempts', async () => {
      const { client, requests } = await openClient([json({}, 500)]);
      await failureOf(client.read({ path: '/x' }));
      await failureOf(client.read({ path: '/x', attempts: 1 }));
      expect(requests).toHaveLength(defaultGatewayLimits.attempts + 1);
    });

    it('A read is retried when the connection is lost', async () => {
      const { client, requests } = await openClient([(request) => request.socket.destroy(), json({ fine: true })]);
      await expect(client.read({ path: '/x' })).resolves.toEqual({ fine: true });
      expect(requests).toHaveLength(2);
    });

    it('A read stops waiting for a retry when it is aborted', async () => {
      const { client, requests } = await openClient([json({}, 500)]);
      const controller = new AbortController();
      clock.after = (ms, task) => {
        if (ms === defaultGatewayLimits.wholeBodyMs) return () => undefined;
        controller.abort();
        queueMicrotask(task);
        return () => undefined;
      };
      expect(await failureOf(client.read({ path: '/x', signal: controller.signal }))).toMatchObject({
        code: 'aborted',
      });
      expect(requests).toHaveLength(1);
    });
  });

  describe('A submit', () => {
    it.each([500, 502, 504, 524, 429, 408])(
      'A submit is never sent twice, not even after status %i',
      async (status) => {
        const { client, requests } = await openClient([json({}, status), json({ fine: true })]);
        await failureOf(client.submit({ path: '/x', body: {} }));
        expect(requests).toHaveLength(1);
      },
    );

    it('A submit may have taken effect after a reset, a hang, a truncated body, a 5xx or garbage', async () => {
      const sendTruncatedBody: Responder = (_request, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('{"id":');
        setImmediate(() => response.destroy());
      };
      const { client } = await openClient(
        [
          (request) => request.socket.destroy(),
          () => undefined,
          sendTruncatedBody,
          json({ error: { message: 'upstream' } }, 502),
          (_request, response) => response.end('<html><title>Sorry</title></html>'),
          (_request, response) => response.end(),
        ],
        { submitMs: 200 },
      );
      for (let i = 0; i < 6; i++) {
        expect(await failureOf(client.submit({ path: '/x', body: {} }))).toMatchObject({ mayHaveTakenEffect: true });
      }
    });

    it.each([
      { code: 20_000, message: 'accepted', data: {} },
      { code: 1102, message: 'balance not enough', request_id: 'r' },
      { code: 'E_SOMETHING', data: 'no id, but a sentence' },
      { message: 'insufficient balance' },
    ])('A submit whose response with status 200 has no known code may have taken effect: %j', async (body) => {
      const { client } = await openClient([json(body)]);
      const submit = new TaskClient(client, { ...defaultSettings, baseUrl: 'http://x', apiKey: key }).submit('music', {
        path: '/x',
        body: {},
      });
      expect(await failureOf(submit)).toMatchObject({ kind: 'malformed', mayHaveTakenEffect: true });
    });

    it.each(['imgx', 'image', 'video', 'music'] as const)(
      'A submit of the %s family is accepted by a lone id in `data`, next to an unknown code',
      async (family) => {
        const { client } = await openClient([json({ code: 20_000, message: 'ok', data: 'job-17' })]);
        const tasks = new TaskClient(client, { ...defaultSettings, baseUrl: 'http://x', apiKey: key });
        expect(await tasks.submit(family, { path: '/x', body: {} })).toMatchObject({ remoteId: 'job-17' });
      },
    );

    it('A submit did not take effect after a definite refusal or if no server was reached', async () => {
      const refusals: Responder[] = [400, 401, 402, 403, 404, 405, 413, 429, 501].map((status) => json({}, status));
      const quotaError = json({ error: { code: 'insufficient_user_quota', message: 'no' } }, 500);
      const { client } = await openClient([...refusals, quotaError]);
      for (let i = 0; i <= refusals.length; i++) {
        expect(await failureOf(client.submit({ path: '/x', body: {} }))).toMatchObject({ mayHaveTakenEffect: false });
      }
      const { url, server } = await startServer([]);
      await new Promise((resolve) => server.close(resolve));
      expect(await failureOf(clientFor(url).submit({ path: '/x', body: {} }))).toMatchObject({
        kind: 'unreachable',
        code: 'ECONNREFUSED',
        mayHaveTakenEffect: false,
      });
    });

    it('A submit did not take effect if it was aborted before it was sent, and may have if it was aborted in flight', async () => {
      const { client, requests } = await openClient([() => undefined]);
      const abortedSubmit = client.submit({ path: '/x', body: {}, signal: AbortSignal.abort() });
      expect(await failureOf(abortedSubmit)).toMatchObject({ code: 'aborted', mayHaveTakenEffect: false });
      expect(requests).toHaveLength(0);

      const controller = new AbortController();
      const abortedInFlight = failureOf(client.submit({ path: '/x', body: {}, signal: controller.signal }));
      await expect.poll(() => requests.length).toBe(1);
      controller.abort();
      expect(await abortedInFlight).toMatchObject({ code: 'aborted', mayHaveTakenEffect: true });
    });
  });

  describe('A redirect', () => {
    it('A redirect within the gateway is followed for a read', async () => {
      const { client, requests } = await openClient([
        json({}, 307, { location: '/elsewhere?a=1' }),
        json({ fine: true }),
      ]);
      await expect(client.read({ path: '/x' })).resolves.toEqual({ fine: true });
      expect(requests[1]).toMatchObject({ url: '/elsewhere?a=1', headers: { authorization: `Bearer ${key}` } });
    });

    it('A redirect to another origin is not followed, so the key cannot leak, and the error says what to configure', async () => {
      const otherServer = await startServer([json({})]);
      servers.push(otherServer.server);
      const { client } = await openClient([json({}, 302, { location: `${otherServer.url}/v1` })]);
      const error = await failureOf(client.read({ path: '/x' }));
      expect(error).toMatchObject({ kind: 'not-offered', code: 'redirected' });
      expect(error.message).toContain(`GATEWAY_BASE_URL`);
      expect(error.message).not.toContain(otherServer.url);
      expect(otherServer.requests).toHaveLength(0);
    });

    it('A redirect is never followed for a submit, which did not take effect', async () => {
      const { client, requests } = await openClient([json({}, 308, { location: '/elsewhere' }), json({ fine: true })]);
      expect(await failureOf(client.submit({ path: '/x', body: {} }))).toMatchObject({ mayHaveTakenEffect: false });
      expect(requests).toHaveLength(1);
    });

    it('A redirect loop ends with an error', async () => {
      const { client, requests } = await openClient([json({}, 302, { location: '/x' })]);
      expect((await failureOf(client.read({ path: '/x' }))).kind).toBe('not-offered');
      expect(requests).toHaveLength(4);
    });
  });

  describe('A response from the gateway', () => {
    it('A response above the size limit is not read to its end, whether its size is announced or not', async () => {
      const largeText = 'x'.repeat(200_000);
      const sendChunks: Responder = (_request, response) => {
        response.write(largeText);
        response.end(largeText);
      };
      const { client } = await openClient([json({ large: largeText }), sendChunks], {
        responseBytes: 100_000,
        attempts: 1,
      });
      for (let i = 0; i < 2; i++) {
        expect(await failureOf(client.read({ path: '/x' }))).toMatchObject({ kind: 'malformed', code: 'too_large' });
      }
    });

    it('A response that never arrives or stops in the middle is abandoned at its time limit', async () => {
      const stallBody: Responder = (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).write('{"id":');
      };
      const { client } = await openClient([() => undefined, stallBody], { readMs: 200, bodyMs: 200, attempts: 1 });
      expect(await failureOf(client.read({ path: '/x' }))).toMatchObject({ code: 'UND_ERR_HEADERS_TIMEOUT' });
      expect(await failureOf(client.read({ path: '/x' }))).toMatchObject({ code: 'UND_ERR_BODY_TIMEOUT' });
    });

    it('A 404 with an error envelope on an endpoint that has responded before is reported in the words of the gateway', async () => {
      const envelope = json({ error: { message: 'No such style: noir', type: 'x', code: '' } }, 404);
      const { client } = await openClient([envelope, json({ id: 't' }), envelope, envelope, json('gone', 404)]);
      const failure = (path: string) => failureOf(client.submit({ path, body: {} }));
      expect((await failure('/x')).kind).toBe('not-offered');
      await client.submit({ path: '/x', body: {} });
      expect(await failure('/x')).toMatchObject({ kind: 'invalid', message: 'No such style: noir' });
      expect((await failure('/y')).kind).toBe('not-offered');
      expect((await failure('/x')).kind).toBe('not-offered');
    });

    it('A 404 with an error envelope after a streamed response is reported in the words of the gateway', async () => {
      const stream: Responder = (_request, response) =>
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {}\n\n');
      const { client } = await openClient([stream, json({ error: { message: 'No such voice' } }, 404)]);
      await client.stream({ path: '/x', body: {} });
      expect(await failureOf(client.stream({ path: '/x', body: {} }))).toMatchObject({ kind: 'invalid' });
    });

    it('A response in HTML is reported by its title, without any markup', async () => {
      const sendPage: Responder = (_request, response) => {
        response.writeHead(502, { 'content-type': 'text/html' });
        response.end(
          '<!doctype html><html><head><title>502 Bad Gateway</title><style>b{}</style></head><body>x</body>',
        );
      };
      const { client } = await openClient([sendPage], { attempts: 1 });
      const error = await failureOf(client.read({ path: '/x' }));
      expect(error).toMatchObject({ kind: 'unavailable', status: 502, message: '502 Bad Gateway' });
    });

    it('The error for a response that quotes the key does not contain the key', async () => {
      const { client } = await openClient([json({ error: { message: `bad key ${key} in Bearer ${key}` } }, 401)]);
      const error = await failureOf(client.read({ path: '/x' }));
      expect(`${error.message} ${error.stack}`).not.toContain('secret-of-the-gateway');
    });

    it('A response keeps every digit of long ids and amounts', async () => {
      const sendLongNumbers: Responder = (_request, response) =>
        response.end('{"result":1320098173412546123,"amount":0.100000000000000000001,"count":3}');
      const { client } = await openClient([sendLongNumbers]);
      await expect(client.read({ path: '/x' })).resolves.toEqual({
        result: '1320098173412546123',
        amount: '0.100000000000000000001',
        count: 3,
      });
    });
  });

  it.each(['ftp://x', 'nonsense', '', 'https://user:password@x'])(
    'The HTTP client refuses the invalid URL %j with a readable error',
    (url) => {
      expect(() => clientFor(url)).toThrow(GatewayError);
    },
  );

  it.each(['', 'two words', 'sk-\nx'])(
    'The HTTP client refuses the invalid key %j without repeating it in the error',
    (apiKey) => {
      expect(() => clientFor('http://127.0.0.1:1', {}, apiKey)).toThrow('must be printable ASCII');
    },
  );
});
