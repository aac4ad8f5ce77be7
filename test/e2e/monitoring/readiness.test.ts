import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import type { Gateway } from '../../../src/services/gateway/gateway.ts';
import { ReadinessCheck } from '../../../src/services/operations/readiness.ts';
import { soleOwnership } from '../../../src/services/store/lease.ts';
import { onServers } from '../../services/store/sites.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { noLimits } from '../../support/no-limits.ts';
import { TcpProxy } from '../../support/wire.ts';
import { createFixture, startBot } from '../bot.ts';
import { submitCount } from '../quick.ts';
import { startMonitoredBot, startMonitoredFixture } from './served.ts';

const allReady = { status: 200, reasons: {} };
const gatewayUnreachable = { status: 503, reasons: { gateway: 'The gateway cannot be reached.' } };

/** A clock with real timers whose time only a test moves forward. */
class AdjustableClock {
  #now = Date.now();
  now = (): number => this.#now;
  after = systemClock.after;
  advance(ms: number): void {
    this.#now += ms;
  }
}

/** A client that lists models like this, and last got a response then. */
const gatewayWith = (answeredAt: Gateway['answeredAt'], list: Gateway['models']['list']) =>
  ({ answeredAt, models: { list } }) as never;

/** Sends raw bytes, and returns everything that comes back until the connection ends. */
function rawRequest(url: string, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    let received = '';
    socket.setEncoding('latin1').on('data', (piece) => (received += piece));
    socket.on('error', reject).on('close', () => resolve(received));
    socket.write(bytes);
  });
}

describe('/livez and /readyz', () => {
  it('A bot whose parts all work is live and ready, and the gateway is queried only if it has not responded for a while', async () => {
    const clock = new AdjustableClock();
    const baseFixture = await createFixture();
    const bot = await startMonitoredFixture({ ...baseFixture, tools: { ...baseFixture.tools, clock } });
    const listRequestCount = (): number => bot.gateway.requests.filter(({ path }) => path === '/v1/models').length;
    expect(await bot.request('/livez')).toMatchObject({ status: 200, text: '{"live":true}' });
    // The start has queried it.
    expect(listRequestCount()).toBe(1);
    expect(await Promise.all([bot.readiness(), bot.readiness(), bot.readiness()])).toEqual([
      allReady,
      allReady,
      allReady,
    ]);
    expect(listRequestCount()).toBe(1);
    clock.advance(49_000);
    expect(await bot.readiness()).toEqual(allReady);
    expect(listRequestCount()).toBe(1);
    clock.advance(2_000);
    expect(await bot.readiness()).toEqual(allReady);
    expect(listRequestCount()).toBe(2);
  });

  it('A bot without a connection to Discord is not ready, and is ready again once it has reconnected', async () => {
    const bot = await startMonitoredBot();
    expect(await bot.readiness()).toEqual(allReady);
    bot.discord.gateway.dropConnections();
    await expect.poll(() => bot.discord.gateway.resumes).toBe(1);
    await expect.poll(bot.readiness).toEqual(allReady);
    await bot.discord.close();
    await expect
      .poll(bot.readiness)
      .toEqual({ status: 503, reasons: { discord: 'There is no connection to Discord.' } });
    expect((await bot.request('/livez')).status).toBe(200);
  });

  it('A bot whose gateway does not respond is not ready, and the reason says what is wrong', async () => {
    const clock = new AdjustableClock();
    const baseFixture = await createFixture();
    const proxy = await TcpProxy.open(baseFixture.gateway.url);
    const baseUrl = proxy.url.replace(/\/$/, '');
    const config = { ...baseFixture.config, gateway: { ...baseFixture.config.gateway, baseUrl } };
    const bot = await startMonitoredFixture({ ...baseFixture, config, tools: { ...baseFixture.tools, clock } });
    expect(await bot.readiness()).toEqual(allReady);
    proxy.disconnect();
    // The gateway’s last response is still recent enough.
    expect(await bot.readiness()).toEqual(allReady);
    clock.advance(51_000);
    expect(await bot.readiness()).toEqual(gatewayUnreachable);
    proxy.restore();
    // For a few seconds, the cached result is returned without another query.
    expect(await bot.readiness()).toEqual(gatewayUnreachable);
    clock.advance(6_000);
    expect(await bot.readiness()).toEqual(allReady);
    clock.advance(51_000);
    bot.gateway.faults.add({ on: { path: '/v1/models' }, do: { type: 'status', status: 401 } });
    expect(await bot.readiness()).toEqual({ status: 503, reasons: { gateway: 'The gateway rejects the API key.' } });
  });

  it('If the gateway does not respond, the bot reports after a few seconds that it is not ready, and simultaneous probes share one request', async () => {
    const clock = new ManualClock();
    const check = new ReadinessCheck(clock);
    let requestCount = 0;
    const list: Gateway['models']['list'] = ({ signal } = {}) => {
      requestCount += 1;
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    };
    check.watch({
      hasStarted: () => true,
      isDiscordReady: () => true,
      ownership: soleOwnership,
      isStoreFailing: () => false,
      gateways: () => [gatewayWith(() => undefined, list)],
    });
    const probes = Array.from({ length: 5 }, () => check.check());
    clock.advance(4_000);
    for (const { gateway } of await Promise.all(probes)) expect(gateway).toBe('silent');
    expect(requestCount).toBe(1);
  });

  it('A bot that has not started, or cannot write its tasks, is not ready', async () => {
    const clock = new ManualClock();
    const check = new ReadinessCheck(clock);
    let [hasStarted, isFailing] = [false, true];
    const list = () => Promise.reject(new Error('The gateway must not be queried.'));
    check.watch({
      hasStarted: () => hasStarted,
      isDiscordReady: () => true,
      ownership: soleOwnership,
      isStoreFailing: () => isFailing,
      gateways: () => [gatewayWith(() => clock.now(), list)],
    });
    expect(await check.check()).toMatchObject({ bot: 'starting', store: 'storeFailing' });
    hasStarted = true;
    isFailing = false;
    expect((await check.check()).store).toBeUndefined();
  });

  it('A bot that is stopping is live but not ready, and its port is closed afterwards', {
    tags: ['breadth'],
  }, async () => {
    const bot = await startMonitoredBot();
    bot.gateway.faults.add({ on: { path: '/imgx/submit' }, do: { type: 'drip', bytes: 3, everyMs: 20 } });
    await bot.discord.as('member').slash('imagine', { prompt: 'a fox' });
    await expect.poll(() => submitCount(bot.gateway)).toBe(1);
    const stopping = bot.app.stop();
    expect(await bot.readiness()).toMatchObject({ status: 503, reasons: { bot: 'The bot is stopping.' } });
    expect((await bot.request('/livez')).status).toBe(200);
    await stopping;
    await expect(bot.request('/livez')).rejects.toThrow();
  });

  it('A request that is not a short GET is refused without reading its body', { tags: ['breadth'] }, async () => {
    const { url, request } = await startMonitoredBot();
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])
      expect(await request('/livez', { method })).toMatchObject({ status: 405 });
    expect((await request('/livez', { method: 'POST', body: 'x'.repeat(100_000) })).status).toBe(405);
    expect((await request('/livez', { method: 'HEAD' })).status).toBe(200);
    expect((await request('/other')).status).toBe(404);
    const body = 'GET /livez HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\nhello';
    expect(await rawRequest(url, body)).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close/i);
    expect(await rawRequest(url, `GET /livez HTTP/1.1\r\nx: ${'y'.repeat(9_000)}\r\n\r\n`)).toMatch(/ 431 /);
    expect(await rawRequest(url, 'nonsense\r\n\r\n')).toMatch(/ 400 /);
  });

  it('Without HTTP_PORT, the bot does not serve its state', async () => {
    const baseFixture = await createFixture();
    expect(baseFixture.config.http.port).toBeUndefined();
    const app = await startBot(baseFixture);
    expect(baseFixture.logged()).not.toContain('Serving /livez');
    await app.stop();
  });
});

describe('/readyz with a store on a server', () =>
  onServers((createStore) => {
    it('The bot is not ready during an outage of the store, nor after it has lost ownership of the store', async () => {
      const store = await createStore();
      const proxy = await TcpProxy.open(store.url);
      const bot = await startMonitoredBot({
        settings: { ...noLimits, STORE_URL: proxy.url, STORE_LEASE_SECONDS: '10' },
      });
      expect(await bot.readiness()).toEqual(allReady);
      proxy.disconnect();
      await expect.poll(bot.readiness).toEqual({ status: 503, reasons: { store: 'The store does not respond.' } });
      proxy.restore();
      await expect.poll(bot.readiness).toEqual(allReady);
      await store.forgetLease();
      await expect.poll(bot.readiness).toEqual({ status: 503, reasons: { store: 'Another bot may own the store.' } });
      expect((await bot.request('/livez')).status).toBe(200);
      expect((await bot.request('/readyz')).text).not.toContain(new URL(store.url).password);
    });
  }));
