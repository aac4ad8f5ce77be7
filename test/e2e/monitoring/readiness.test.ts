import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { ReadinessCheck } from '../../../src/services/readiness.ts';
import { onServers } from '../../services/store/sites.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { noLimits } from '../../support/no-limits.ts';
import { Wire } from '../../support/wire.ts';
import { stage, startBot } from '../bot.ts';
import { submits } from '../quick.ts';
import { serve, servedBot } from './served.ts';

const pollOptions = { timeout: 20_000 };
const ready = { status: 200, reasons: {} };
const gatewayAway = { status: 503, reasons: { gateway: 'The gateway cannot be reached.' } };

/** A clock with real timers that a test can move forward. */
class LeapingClock {
  #ahead = 0;
  now = (): number => Date.now() + this.#ahead;
  after = systemClock.after;
  leap(ms: number): void {
    this.#ahead += ms;
  }
}

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
  it('A bot with all its parts is live and ready, and the gateway is queried only if it has not responded for a while', async () => {
    const clock = new LeapingClock();
    const staged = await stage();
    const bot = await serve({ ...staged, tools: { ...staged.tools, clock } });
    const lists = (): number => bot.gateway.heard.filter(({ path }) => path === '/v1/models').length;
    expect(await bot.ask('/livez')).toMatchObject({ status: 200, text: '{"live":true}' });
    const before = lists();
    expect(await Promise.all([bot.readiness(), bot.readiness(), bot.readiness()])).toEqual([ready, ready, ready]);
    expect(lists()).toBe(before + 1);
    clock.leap(49_000);
    expect(await bot.readiness()).toEqual(ready);
    expect(lists()).toBe(before + 1);
    clock.leap(2_000);
    expect(await bot.readiness()).toEqual(ready);
    expect(lists()).toBe(before + 2);
  });

  it('Without a connection to Discord the bot is not ready, and is ready again once the connection is back', async () => {
    const bot = await servedBot();
    expect(await bot.readiness()).toEqual(ready);
    bot.discord.gateway.dropConnections();
    await expect.poll(() => bot.discord.gateway.resumes, pollOptions).toBe(1);
    await expect.poll(bot.readiness, pollOptions).toEqual(ready);
    await bot.discord.close();
    await expect
      .poll(bot.readiness, pollOptions)
      .toEqual({ status: 503, reasons: { discord: 'There is no connection to Discord.' } });
    expect((await bot.ask('/livez')).status).toBe(200);
  });

  it('Without a responding gateway the bot is not ready, and the reason says what is wrong', async () => {
    const clock = new LeapingClock();
    const staged = await stage();
    const wire = await Wire.to(staged.gateway.url);
    const baseUrl = wire.url.replace(/\/$/, '');
    const config = { ...staged.config, gateway: { ...staged.config.gateway, baseUrl } };
    const bot = await serve({ ...staged, config, tools: { ...staged.tools, clock } });
    expect(await bot.readiness()).toEqual(ready);
    wire.cut();
    // Its last response is recent enough.
    expect(await bot.readiness()).toEqual(ready);
    clock.leap(51_000);
    expect(await bot.readiness()).toEqual(gatewayAway);
    wire.mend();
    // For a few seconds the cached verdict is returned without another query.
    expect(await bot.readiness()).toEqual(gatewayAway);
    clock.leap(6_000);
    expect(await bot.readiness()).toEqual(ready);
    clock.leap(51_000);
    bot.gateway.faults.add({ on: { path: '/v1/models' }, do: { type: 'status', status: 401 } });
    expect(await bot.readiness()).toEqual({ status: 503, reasons: { gateway: 'The gateway rejects the key.' } });
  });

  it('If the gateway does not respond, the bot is not ready after a few seconds, and many probes lead to one request', async () => {
    const clock = new ManualClock();
    const check = new ReadinessCheck(clock);
    let requestCount = 0;
    check.watch({
      isDiscordReady: () => true,
      store: { mustBeOurs: () => undefined, trouble: () => undefined, unsaved: () => 0 },
      gateway: {
        answeredAt: () => undefined,
        ask: (signal) => {
          requestCount += 1;
          return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        },
      },
    });
    const probes = Array.from({ length: 5 }, () => check.check());
    clock.advance(4_000);
    for (const { gateway } of await Promise.all(probes)) expect(gateway).toBe('The gateway did not answer in time.');
    expect(requestCount).toBe(1);
  });

  it('A bot that cannot write its tasks is not ready', async () => {
    const clock = new ManualClock();
    const check = new ReadinessCheck(clock);
    let unsaved = 1;
    check.watch({
      isDiscordReady: () => true,
      store: { mustBeOurs: () => undefined, trouble: () => undefined, unsaved: () => unsaved },
      gateway: { answeredAt: () => clock.now(), ask: () => Promise.reject(new Error('It must not be queried.')) },
    });
    expect((await check.check()).store).toBe('The store could not write tasks.');
    unsaved = 0;
    expect((await check.check()).store).toBeUndefined();
  });

  it('While the bot stops it is live and not ready, and afterwards the port is closed', async () => {
    const bot = await servedBot();
    bot.gateway.faults.add({ on: { path: '/imgx/submit' }, do: { type: 'drip', bytes: 1, everyMs: 20 } });
    await bot.discord.as('member').slash('imagine', { prompt: 'a fox' });
    await expect.poll(() => submits(bot.gateway), pollOptions).toBe(1);
    const stopped = bot.app.stop();
    expect(await bot.readiness()).toMatchObject({ status: 503, reasons: { bot: 'The bot is stopping.' } });
    expect((await bot.ask('/livez')).status).toBe(200);
    await stopped;
    await expect(bot.ask('/livez')).rejects.toThrow();
  });

  it('A request that is not a short GET is refused without reading its body', async () => {
    const { address, ask } = await servedBot();
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])
      expect(await ask('/livez', { method })).toMatchObject({ status: 405 });
    expect((await ask('/livez', { method: 'POST', body: 'x'.repeat(100_000) })).status).toBe(405);
    expect((await ask('/livez', { method: 'HEAD' })).status).toBe(200);
    expect((await ask('/other')).status).toBe(404);
    const body = 'GET /livez HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\nhello';
    expect(await rawRequest(address, body)).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close/i);
    expect(await rawRequest(address, `GET /livez HTTP/1.1\r\nx: ${'y'.repeat(9_000)}\r\n\r\n`)).toMatch(/ 431 /);
    expect(await rawRequest(address, 'nonsense\r\n\r\n')).toMatch(/ 400 /);
  });

  it('Without a port nothing is served', async () => {
    const staged = await stage();
    expect(staged.config.http.port).toBeUndefined();
    const app = await startBot(staged);
    expect(staged.logged()).not.toContain('Serving /livez');
    await app.stop();
  });
});

describe('/readyz with a store on a server', () =>
  onServers((site) => {
    it('The bot is not ready during an outage of the store, nor after it has lost ownership of the store', async () => {
      const store = await site();
      const wire = await Wire.to(store.url);
      const bot = await servedBot({ settings: { ...noLimits, STORE_URL: wire.url, STORE_LEASE_SECONDS: '10' } });
      expect(await bot.readiness()).toEqual(ready);
      wire.cut();
      await expect
        .poll(bot.readiness, pollOptions)
        .toEqual({ status: 503, reasons: { store: 'The store does not respond.' } });
      wire.mend();
      await expect.poll(bot.readiness, pollOptions).toEqual(ready);
      await store.forgetLease();
      await expect
        .poll(bot.readiness, pollOptions)
        .toEqual({ status: 503, reasons: { store: 'Another bot may own the store.' } });
      expect((await bot.ask('/livez')).status).toBe(200);
      expect((await bot.ask('/readyz')).text).not.toContain(new URL(store.url).password);
    });
  }));
