import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type PageServer, startPageServer, token } from './page-server.ts';

let server: PageServer;
beforeAll(async () => {
  server = await startPageServer();
});
afterAll(() => server.close());

const readPaths = ['/api/world', '/api/workbench', '/api/messages/1'];
const actionPaths = ['/api/act', '/api/direct', '/api/trouble'];
const endpoints = [
  ...readPaths.map((path) => ['GET', path] as const),
  ...actionPaths.map((path) => ['POST', path] as const),
];

const call = (method: string, path: string, headers: Record<string, string>) =>
  method === 'GET' ? server.get<{ error: string }>(path, headers) : server.post<{ error: string }>(path, {}, headers);

describe('Access to the page server', () => {
  it.each(endpoints)('%s %s requires the token', async (method, path) => {
    for (const authorization of ['', 'Bearer wrong', `Bearer ${token}x`, token.slice(1)]) {
      const { status, body } = await call(method, path, { authorization });
      expect(status).toBe(401);
      expect(body.error).toMatch(/token from the URL/);
    }
  });

  it.each([...endpoints, ['GET', '/'] as const, ['GET', '/assets/main-1234.js'] as const])(
    '%s %s accepts only local requests from its own origin',
    async (method, path) => {
      expect((await call(method, path, { host: 'evil.example' })).status).toBe(403);
      expect((await call(method, path, { host: '127.0.0.1.evil.example:80' })).status).toBe(403);
      expect((await call(method, path, { origin: 'https://evil.example' })).status).toBe(403);
      expect((await call(method, path, { origin: 'null' })).status).toBe(403);
      expect((await call(method, path, { origin: server.url })).status).not.toBe(403);
    },
  );

  it('The socket requires the token and a local origin', async () => {
    const url = `${server.url.replace('http', 'ws')}/api/live?as=member`;
    const refusalStatus = (query: string, headers: Record<string, string> = {}) =>
      new Promise<number | undefined>((resolve, reject) => {
        const socket = new WebSocket(`${url}${query}`, { headers });
        socket.once('unexpected-response', (_, { statusCode }) => {
          resolve(statusCode);
          socket.terminate();
        });
        socket.once('open', () => reject(new Error('The connection was accepted.')));
        socket.on('error', () => undefined);
      });
    expect(await refusalStatus('')).toBe(401);
    expect(await refusalStatus('&token=wrong')).toBe(401);
    expect(await refusalStatus(`&token=${token}`, { origin: 'https://evil.example' })).toBe(403);
    expect(await refusalStatus(`&token=${token}`, { host: 'evil.example' })).toBe(403);
  });

  it('The socket is closed if it is opened as an unknown person', async () => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/api/live?token=${token}&as=stranger`);
    const [code, reason] = await new Promise<[number, string]>((resolve) =>
      socket.once('close', (closeCode, closeReason) => resolve([closeCode, String(closeReason)])),
    );
    expect([code, reason]).toEqual([1008, expect.stringMatching(/no person named stranger/)]);
  });

  it('The control URLs of embedded Discord and the embedded gateway have the same protection', async () => {
    const { discord, gateway, bot } = server.stage;
    if (gateway.kind !== 'embedded') throw new Error('This test requires the embedded gateway.');
    expect(bot.state.state).toBe('running');
    for (const url of [discord.url, gateway.embedded.url]) {
      const controlStatus = (headers: Record<string, string>) => fetchStatus(`${url}/_sandbox/state`, headers);
      expect(await controlStatus({ host: 'evil.example' })).toBe(403);
      expect(await controlStatus({ origin: 'https://evil.example' })).toBe(403);
      expect(await controlStatus({ origin: server.url })).toBe(403);
      expect(await controlStatus({ authorization: 'Bearer wrong' })).toBe(401);
    }
    expect(await fetchStatus(`${discord.url}/_sandbox/state`, { authorization: `Bearer ${discord.token}` })).toBe(200);
  });

  it('The page loads without a token, with a content security policy that allows no other origins', async () => {
    const { status, body, headers } = await server.get<string>('/', { authorization: '' });
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    expect(body).toContain('The page');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain(`img-src 'self' data: blob: ${server.stage.discord.url}`);
    expect(policy).not.toMatch(/unsafe|\*|https:/);
    const script = await server.get('/assets/main-1234.js', { authorization: '' });
    expect(script.headers['cache-control']).toContain('immutable');
    expect((await server.get('/..%2f..%2fpackage.json')).status).not.toBe(200);
    expect((await server.get('/.env')).status).toBe(404);
  });
});

async function fetchStatus(url: string, headers: Record<string, string>): Promise<number> {
  const { request } = await import('undici');
  const response = await request(url, { headers });
  await response.body.dump();
  return response.statusCode;
}
