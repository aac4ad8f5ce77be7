import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type Bench, bench, type Json, profiles } from '../bench.ts';
import { settings, stage, userMessage } from './test-client.ts';

const path = '/v1/realtime';
const validHeaders = { authorization: 'Bearer sk-sandbox' };

/** Returns the response that refuses an upgrade, and whether the connection is closed after it. */
async function refusalOf({ gateway }: Bench, query: string, headers: Record<string, string> = validHeaders) {
  const socket = new WebSocket(`${gateway.url.replace(/^http/, 'ws')}${path}${query}`, { headers });
  onTestFinished(() => socket.terminate());
  socket.on('error', () => undefined);
  const [, answer] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
  const closed = once(answer.socket, 'close');
  const chunks: Buffer[] = [];
  for await (const piece of answer) chunks.push(piece as Buffer);
  await closed;
  const text = Buffer.concat(chunks).toString();
  return { status: answer.statusCode, headers: answer.headers, text, json: (): Json => JSON.parse(text) };
}

describe.each(profiles)('The upgrade to a live session with the %s gateway profile', (profile) => {
  it('An upgrade without a key or with a wrong one is refused with 401', async () => {
    const fixture = await bench({ profile });
    for (const headers of [{}, { authorization: 'Bearer sk-wrong' }] as Record<string, string>[]) {
      const answer = await refusalOf(fixture, '?model=parley-realtime', headers);
      expect(answer.status).toBe(401);
      expect(answer.json().error).toMatchObject({ code: 'invalid_api_key', message: expect.any(String) });
    }
    expect(fixture.gateway.realtime.opened).toBe(0);
  });

  it('An upgrade without a model or with a text model is refused with 400', async () => {
    const fixture = await bench({ profile });
    for (const query of ['', '?model=', '?model=quill-5', '?model=parley-transcribe-1']) {
      const answer = await refusalOf(fixture, query);
      expect(answer.status, query).toBe(400);
      expect(Object.keys(answer.json().error)).toEqual(
        profile === 'spec' ? ['message', 'type', 'code'] : ['message', 'type', 'param', 'code'],
      );
    }
    expect((await refusalOf(fixture, '?model=no-such')).status).toBe(404);
  });

  it('Faults apply to an upgrade as to any request', async () => {
    const fixture = await bench({ profile });
    fixture.gateway.faults.add({ on: { path }, do: 'rate-limited' });
    const limited = await refusalOf(fixture, '?model=parley-realtime');
    expect([limited.status, limited.headers['retry-after']]).toEqual([429, '2']);
    fixture.gateway.faults.add({ on: { kind: 'realtime' }, do: 'bad-gateway' });
    const page = await refusalOf(fixture, '?model=parley-realtime');
    expect(page.status).toBe(502);
    expect(page.text).toContain('<html>');
  });
});

it('An upgrade can be reset, and it can hang without preventing the gateway from closing', async () => {
  const { gateway } = await bench();
  const dial = () => {
    const socket = new WebSocket(`${gateway.url.replace(/^http/, 'ws')}${path}?model=parley-realtime`, {
      headers: validHeaders,
    });
    onTestFinished(() => socket.terminate());
    return socket;
  };
  gateway.faults.add({ on: { path }, do: 'reset' });
  const [problem] = (await once(dial(), 'error')) as [NodeJS.ErrnoException];
  expect(problem.code).toBe('ECONNRESET');
  gateway.faults.add({ on: { path }, do: 'hang' });
  const hanging = dial();
  const ended = once(hanging, 'error');
  await vi.waitFor(() => expect(gateway.faults.list()).toEqual([]));
  await gateway.close();
  expect(String(await ended)).toMatch(/hang up|ECONNRESET/);
});

it('A plain request to the path of live sessions is answered with "Upgrade Required"', async () => {
  const { get, gateway } = await bench();
  expect((await get(`${path}?model=parley-realtime`)).status).toBe(426);
  expect((await get(path)).status).toBe(400);
  expect((await get('/v1/models')).status).toBe(200);
  expect(gateway.heard.map(({ status }) => status)).toEqual([426, 400, 200]);
});

it('An upgrade is recorded with its response, and a session is listed until it ends', async () => {
  const { gateway, talker } = await stage('ga');
  const { socket, until } = await talker({ headers: { 'x-more': 'yes' } });
  await until('session.created');
  expect(gateway.heard).toMatchObject([{ path, query: { model: 'parley-realtime' }, status: 101 }]);
  expect(JSON.stringify(gateway.heard)).not.toContain('sk-sandbox');
  expect(gateway.realtime.sessions).toHaveLength(1);
  socket.close();
  await vi.waitFor(() => expect(gateway.realtime.sessions).toEqual([]));
  expect(gateway.realtime.opened).toBe(1);
});

it('No upgrade is possible while the gateway is down, and open sessions are disconnected', async () => {
  const { gateway, talker } = await stage('ga');
  const { closed, until } = await talker();
  await until('session.created');
  await gateway.setDown(true);
  expect(await closed).toBe(1006);
  await expect(talker()).rejects.toThrow(/ECONNREFUSED/);
  await gateway.setDown(false);
  await (await talker()).until('session.created');
});

it('The control URL lists and controls sessions', async () => {
  const { call, get, talker } = await stage('ga');
  const { say, until, closed } = await talker();
  say(settings('ga'));
  say(userMessage('Hello'));
  await until('conversation.item.done');
  const { json } = await get('/_sandbox/realtime');
  expect(json).toMatchObject({
    opened: 1,
    sessions: [{ dialect: 'ga', model: 'parley-realtime', items: [{ content: [{ text: 'Hello' }] }] }],
  });
  expect(JSON.stringify(json)).not.toContain('sk-sandbox');
  const order = async (body: object) => await call('POST', '/_sandbox/realtime', { body });
  expect((await order({ do: 'cut', session: 'sess_none' })).status).toBe(404);
  expect((await order({ do: 'dance' })).status).toBe(400);
  expect((await order({ do: 'cut', session: json.sessions[0].id })).status).toBe(200);
  expect(await closed).toBe(1006);
});

it('The control URL sets the dialect and the limit', async () => {
  const { call, gateway, talker } = await stage('ga');
  const patch = async (quirks: object) => (await call('PATCH', '/_sandbox/settings', { body: { quirks } })).status;
  expect(await patch({ realtimeDialect: 'latin' })).toBe(400);
  expect(await patch({ realtimeDialect: 'beta', realtimeMinutes: 30 })).toBe(200);
  expect(gateway.settings.quirks).toMatchObject({ realtimeDialect: 'beta', realtimeMinutes: 30 });
  const { session } = await (await talker()).until('session.created');
  expect(session).not.toHaveProperty('type');
  expect(session.modalities).toEqual(['text', 'audio']);
});
