import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { openPageServer, type PageServer, token } from './page-server.ts';

let at: PageServer;
beforeAll(async () => {
  at = await openPageServer();
});
afterAll(() => at.close());

const reading = ['/api/world', '/api/workbench', '/api/messages/1'];
const ordering = ['/api/act', '/api/direct', '/api/trouble'];
const all = [...reading.map((path) => ['GET', path] as const), ...ordering.map((path) => ['POST', path] as const)];

const call = (method: string, path: string, headers: Record<string, string>) =>
  method === 'GET' ? at.get<{ error: string }>(path, headers) : at.post<{ error: string }>(path, {}, headers);

describe('Access to the page server', () => {
  it.each(all)('%s %s requires the token', async (method, path) => {
    for (const authorization of ['', 'Bearer wrong', `Bearer ${token}x`, token.slice(1)]) {
      const { status, body } = await call(method, path, { authorization });
      expect(status).toBe(401);
      expect(body.error).toMatch(/token from the address/);
    }
  });

  it.each([...all, ['GET', '/'] as const, ['GET', '/assets/main-1234.js'] as const])(
    '%s %s accepts only local requests from its own origin',
    async (method, path) => {
      expect((await call(method, path, { host: 'evil.example' })).status).toBe(403);
      expect((await call(method, path, { host: '127.0.0.1.evil.example:80' })).status).toBe(403);
      expect((await call(method, path, { origin: 'https://evil.example' })).status).toBe(403);
      expect((await call(method, path, { origin: 'null' })).status).toBe(403);
      expect((await call(method, path, { origin: at.url })).status).not.toBe(403);
    },
  );

  it('The socket requires the token and a local origin', async () => {
    const url = `${at.url.replace('http', 'ws')}/api/live?as=member`;
    const refused = (query: string, headers: Record<string, string> = {}) =>
      new Promise<number | undefined>((resolve, reject) => {
        const socket = new WebSocket(`${url}${query}`, { headers });
        socket.once('unexpected-response', (_, { statusCode }) => {
          resolve(statusCode);
          socket.terminate();
        });
        socket.once('open', () => reject(new Error('The connection was accepted.')));
        socket.on('error', () => undefined);
      });
    expect(await refused('')).toBe(401);
    expect(await refused('&token=wrong')).toBe(401);
    expect(await refused(`&token=${token}`, { origin: 'https://evil.example' })).toBe(403);
    expect(await refused(`&token=${token}`, { host: 'evil.example' })).toBe(403);
  });

  it('The socket is closed for an unknown person', async () => {
    const socket = new WebSocket(`${at.url.replace('http', 'ws')}/api/live?token=${token}&as=stranger`);
    const [code, reason] = await new Promise<[number, string]>((resolve) =>
      socket.once('close', (number, why) => resolve([number, String(why)])),
    );
    expect([code, reason]).toEqual([1008, expect.stringMatching(/no person named stranger/)]);
  });

  it('The control URLs of embedded Discord and the embedded gateway have the same protection', async () => {
    const { discord, gateway, bot } = at.stage;
    if (gateway.kind !== 'embedded') throw new Error('This test requires the embedded gateway.');
    expect(bot.state.state).toBe('running');
    for (const side of [discord.url, gateway.embedded.url]) {
      const control = (headers: Record<string, string>) => fetchStatus(`${side}/_sandbox/state`, headers);
      expect(await control({ host: 'evil.example' })).toBe(403);
      expect(await control({ origin: 'https://evil.example' })).toBe(403);
      expect(await control({ origin: at.url })).toBe(403);
      expect(await control({ authorization: 'Bearer wrong' })).toBe(401);
    }
    expect(await fetchStatus(`${discord.url}/_sandbox/state`, { authorization: `Bearer ${discord.token}` })).toBe(200);
  });

  it('The page loads without a token, under a policy that allows no other origins', async () => {
    const { status, body, headers } = await at.get<string>('/', { authorization: '' });
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    expect(body).toContain('The page');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain(`img-src 'self' data: blob: ${at.stage.discord.url}`);
    expect(policy).not.toMatch(/unsafe|\*|https:/);
    const script = await at.get('/assets/main-1234.js', { authorization: '' });
    expect(script.headers['cache-control']).toContain('immutable');
    expect((await at.get('/..%2f..%2fpackage.json')).status).not.toBe(200);
    expect((await at.get('/.env')).status).toBe(404);
  });
});

async function fetchStatus(url: string, headers: Record<string, string>): Promise<number> {
  const { request } = await import('undici');
  const answer = await request(url, { headers });
  await answer.body.dump();
  return answer.statusCode;
}
