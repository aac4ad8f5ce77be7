import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { type Json, profiles, startTestGateway, type TestGateway } from '../bench.ts';
import { settings, startRealtimeGateway, userMessage } from './test-client.ts';

const path = '/v1/realtime';
const validHeaders = { authorization: 'Bearer sk-sandbox' };

/** Returns the response that refuses an upgrade, after waiting for the connection to be closed. */
async function refusalOf({ gateway }: TestGateway, query: string, headers: Record<string, string> = validHeaders) {
  const socket = new WebSocket(`${gateway.url.replace(/^http/, 'ws')}${path}${query}`, { headers });
  onTestFinished(() => socket.terminate());
  socket.on('error', () => undefined);
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
  const socketClose = once(response.socket, 'close');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  await socketClose;
  const text = Buffer.concat(chunks).toString();
  return { status: response.statusCode, headers: response.headers, text, json: (): Json => JSON.parse(text) };
}

describe.each(profiles)('The upgrade to a live session with the %s gateway profile', (profile) => {
  it('An upgrade without a key or with a wrong one is refused with 401', async () => {
    const fixture = await startTestGateway({ profile });
    for (const headers of [{}, { authorization: 'Bearer sk-wrong' }] as Record<string, string>[]) {
      const response = await refusalOf(fixture, '?model=parley-realtime', headers);
      expect(response.status).toBe(401);
      expect(response.json().error).toMatchObject({ code: 'invalid_api_key', message: expect.any(String) });
    }
    expect(fixture.gateway.realtime.openedCount).toBe(0);
  });

  it('An upgrade without a model or with a text model is refused with 400', async () => {
    const fixture = await startTestGateway({ profile });
    for (const query of ['', '?model=', '?model=quill-5', '?model=parley-transcribe-1']) {
      const response = await refusalOf(fixture, query);
      expect(response.status, query).toBe(400);
      expect(Object.keys(response.json().error)).toEqual(
        profile === 'spec' ? ['message', 'type', 'code'] : ['message', 'type', 'param', 'code'],
      );
    }
    expect((await refusalOf(fixture, '?model=no-such')).status).toBe(404);
  });

  it('Faults apply to an upgrade as they do to any request', async () => {
    const fixture = await startTestGateway({ profile });
    fixture.gateway.faults.add({ on: { path }, do: 'rate-limited' });
    const rateLimited = await refusalOf(fixture, '?model=parley-realtime');
    expect([rateLimited.status, rateLimited.headers['retry-after']]).toEqual([429, '2']);
    fixture.gateway.faults.add({ on: { kind: 'realtime' }, do: 'bad-gateway' });
    const badGateway = await refusalOf(fixture, '?model=parley-realtime');
    expect(badGateway.status).toBe(502);
    expect(badGateway.text).toContain('<html>');
  });
});

it('An upgrade can be reset, and it can hang without preventing the gateway from closing', async () => {
  const { gateway } = await startTestGateway();
  const openSocket = () => {
    const socket = new WebSocket(`${gateway.url.replace(/^http/, 'ws')}${path}?model=parley-realtime`, {
      headers: validHeaders,
    });
    onTestFinished(() => socket.terminate());
    return socket;
  };
  gateway.faults.add({ on: { path }, do: 'reset' });
  const [problem] = (await once(openSocket(), 'error')) as [NodeJS.ErrnoException];
  expect(problem.code).toBe('ECONNRESET');
  gateway.faults.add({ on: { path }, do: 'hang' });
  const socket = openSocket();
  const socketError = once(socket, 'error');
  await expect.poll(() => gateway.faults.list()).toEqual([]);
  await gateway.close();
  expect(String(await socketError)).toMatch(/hang up|ECONNRESET/);
});

it('A plain request to the path of live sessions is answered with "Upgrade Required"', async () => {
  const { get, gateway } = await startTestGateway();
  expect((await get(`${path}?model=parley-realtime`)).status).toBe(426);
  expect((await get(path)).status).toBe(400);
  expect((await get('/v1/models')).status).toBe(200);
  expect(gateway.requests.map(({ status }) => status)).toEqual([426, 400, 200]);
});

it('An upgrade is recorded with its response, and a session is listed until it ends', async () => {
  const { gateway, connect } = await startRealtimeGateway('ga');
  const { socket, waitFor } = await connect({ headers: { 'x-more': 'yes' } });
  await waitFor('session.created');
  expect(gateway.requests).toMatchObject([{ path, query: { model: 'parley-realtime' }, status: 101 }]);
  expect(JSON.stringify(gateway.requests)).not.toContain('sk-sandbox');
  expect(gateway.realtime.sessions).toHaveLength(1);
  socket.close();
  await expect.poll(() => gateway.realtime.sessions).toEqual([]);
  expect(gateway.realtime.openedCount).toBe(1);
});

it('No upgrade is possible while the gateway is down, and open sessions are disconnected', async () => {
  const { gateway, connect } = await startRealtimeGateway('ga');
  const { closed, waitFor } = await connect();
  await waitFor('session.created');
  await gateway.setDown(true);
  expect(await closed).toBe(1006);
  await expect(connect()).rejects.toThrow(/ECONNREFUSED/);
  await gateway.setDown(false);
  await (await connect()).waitFor('session.created');
});

it('The control API lists live sessions and can disconnect them', async () => {
  const { call, get, connect } = await startRealtimeGateway('ga');
  const { send, waitFor, closed } = await connect();
  send(settings('ga'));
  send(userMessage('Hello'));
  await waitFor('conversation.item.done');
  const { json } = await get('/_sandbox/realtime');
  expect(json).toMatchObject({
    opened: 1,
    sessions: [{ dialect: 'ga', model: 'parley-realtime', items: [{ content: [{ text: 'Hello' }] }] }],
  });
  expect(JSON.stringify(json)).not.toContain('sk-sandbox');
  const perform = async (body: object) => await call('POST', '/_sandbox/realtime', { body });
  expect((await perform({ do: 'cut', session: 'sess_none' })).status).toBe(404);
  expect((await perform({ do: 'dance' })).status).toBe(400);
  expect((await perform({ do: 'cut', session: json.sessions[0].id })).status).toBe(200);
  expect(await closed).toBe(1006);
});

it('The control API sets the dialect and the time limit of live sessions', async () => {
  const { call, gateway, connect } = await startRealtimeGateway('ga');
  const patch = async (quirks: object) => (await call('PATCH', '/_sandbox/settings', { body: { quirks } })).status;
  expect(await patch({ realtimeDialect: 'latin' })).toBe(400);
  expect(await patch({ realtimeDialect: 'beta', realtimeMinutes: 30 })).toBe(200);
  expect(gateway.settings.quirks).toMatchObject({ realtimeDialect: 'beta', realtimeMinutes: 30 });
  const { session } = await (await connect()).waitFor('session.created');
  expect(session).not.toHaveProperty('type');
  expect(session.modalities).toEqual(['text', 'audio']);
});
