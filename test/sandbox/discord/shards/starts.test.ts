import { REST, type RESTGetAPIGatewayBotResult, Routes } from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { EmbeddedDiscord } from '../../../../sandbox/discord/discord.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { startFixture } from '../fixture.ts';
import { connectShards } from './fixture.ts';
import { RawSocket } from './raw-socket.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

const gatewayBot = ({ apiUrl, token }: EmbeddedDiscord) =>
  new REST({ api: apiUrl }).setToken(token).get(Routes.gatewayBot()) as Promise<RESTGetAPIGatewayBotResult>;

describe('Session starts', () => {
  it('/gateway/bot recommends the number of shards and reports how many session starts remain', async () => {
    const { discord, clock } = await startFixture({
      shards: 3,
      limits: { maxConcurrency: 2, identifiesPerPeriod: 10 },
    });
    const limit = { total: 10, remaining: 10, reset_after: DAY_MS, max_concurrency: 2 };
    expect(await gatewayBot(discord)).toMatchObject({ shards: 3, session_start_limit: limit });
    await RawSocket.identify(discord, [0, 3]);
    await RawSocket.identify(discord, [1, 3]);
    clock.advance(DAY_MS - 1_000);
    expect((await gatewayBot(discord)).session_start_limit).toEqual({ ...limit, remaining: 8, reset_after: 1_000 });
    clock.advance(1_000);
    expect((await gatewayBot(discord)).session_start_limit).toEqual(limit);
    expect(discord.violations).toEqual([]);
  });

  it('A second IDENTIFY with the same rate limit key within five seconds is answered with an invalid session', async () => {
    const { discord, clock } = await startFixture({ limits: { maxConcurrency: 2 } });
    const startSession = async (id: number) => {
      const socket = await RawSocket.identify(discord, [id, 4]);
      return socket.events.includes('READY') || socket.invalidSessions;
    };
    expect([await startSession(0), await startSession(1), await startSession(2), await startSession(3)]).toEqual([
      true,
      true,
      [false],
      [false],
    ]);
    clock.advance(4_999);
    expect(await startSession(2)).toEqual([false]);
    clock.advance(1);
    expect([await startSession(2), await startSession(0)]).toEqual([true, [false]]);
    expect(discord.gateway.countsOf({ id: 2 })).toMatchObject({ identifies: 1, earlyIdentifies: 2 });
    expect(discord.gateway.identifies).toBe(3);
  });

  it('A refused connection may identify again later', async () => {
    const { discord, clock } = await startFixture();
    await RawSocket.identify(discord);
    const socket = await RawSocket.identify(discord);
    expect(socket.invalidSessions).toEqual([false]);
    clock.advance(discord.limits.identifyWindowMs);
    socket.send(2, { token: discord.token, intents: 0, properties: {} });
    await socket.waitForPacket(({ t }) => t === 'READY');
  });

  it('Resumes are not limited', async () => {
    const { discord } = await startFixture();
    const first = await RawSocket.identify(discord);
    await RawSocket.resume(discord, first, 1);
    await RawSocket.resume(discord, first, 1);
    expect(discord.gateway).toMatchObject({ identifies: 1, resumes: 2 });
  });

  it('@discordjs/ws starts its shards one after another, but two processes that do not coordinate collide', {
    tags: ['breadth'],
  }, async () => {
    // The library waits five seconds between two IDENTIFYs, but they may arrive slightly closer together, so the window is shorter.
    const { discord } = await startFixture({ clock: systemClock, limits: { identifyWindowMs: 4_500 } });
    await connectShards(discord, { shardIds: [0, 1], shardCount: 2 });
    expect(discord.gateway.countsOf({ id: 1 })).toMatchObject({ identifies: 1, earlyIdentifies: 0 });
    await connectShards(discord, { shardIds: [0], shardCount: 2 });
    expect(discord.gateway.countsOf({ id: 0 })).toMatchObject({ sessions: 2, identifies: 2, earlyIdentifies: 1 });
  });
});

describe('When all session starts are used up', () => {
  const loggedIdentifies = ({ requests }: EmbeddedDiscord) =>
    requests.filter(({ method }) => method === 'IDENTIFY').map(({ status, responseText }) => [status, responseText]);

  it('An IDENTIFY beyond the limit ends all sessions and resets the token', async () => {
    const { discord } = await startFixture({ limits: { identifiesPerPeriod: 2, identifyWindowMs: 0 } });
    const sockets = [await RawSocket.identify(discord, [0, 2]), await RawSocket.identify(discord, [1, 2])];
    expect((await gatewayBot(discord)).session_start_limit.remaining).toBe(0);
    expect(sockets.map(({ closeCode }) => closeCode)).toEqual([undefined, undefined]);
    expect((await RawSocket.identify(discord)).closeCode).toBe(4004);
    expect(await Promise.all(sockets.map((socket) => socket.waitForClose()))).toEqual([4004, 4004]);
    await expect(gatewayBot(discord)).rejects.toMatchObject({ status: 401 });
    const [first] = sockets;
    if (first) expect((await RawSocket.resume(discord, first, 1)).closeCode).toBe(4004);
    expect(loggedIdentifies(discord)).toEqual([[4004, 'All session starts are used up. The token was reset.']]);
    expect(JSON.stringify(discord.requests)).not.toContain(discord.token);
  });

  it('An IDENTIFY beyond the limit does not reset the token if the embedded Discord is configured to keep it', async () => {
    const limits = { identifiesPerPeriod: 1, identifyWindowMs: 0 };
    const { discord, clock } = await startFixture({ limits, resetsToken: false });
    const first = await RawSocket.identify(discord);
    expect((await RawSocket.identify(discord)).closeCode).toBe(4004);
    expect((await RawSocket.resume(discord, first, 1)).events).toEqual(['RESUMED']);
    clock.advance(DAY_MS);
    expect((await RawSocket.identify(discord)).events).toEqual(['READY']);
    expect(loggedIdentifies(discord)).toEqual([[4004, 'All session starts are used up.']]);
  });
});
