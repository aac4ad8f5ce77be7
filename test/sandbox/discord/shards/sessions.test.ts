import { describe, expect, it } from 'vitest';
import { startFixture } from '../fixture.ts';
import { connectShards, joinGuildOn, receivedChannels, registerCommand } from './fixture.ts';
import { RawSocket } from './raw-socket.ts';

const options = { guilds: 4, limits: { maxConcurrency: 2 } };

describe('A session', () => {
  it('A session is resumed by another process, which receives each missed event once and in order', async () => {
    const { discord } = await startFixture(options);
    const first = await connectShards(discord, { shardIds: [0, 1], shardCount: 2 });
    const { speaker, channels } = joinGuildOn(discord, 1, 2);
    const sessions = await first.disconnect();
    await discord.until(() => (discord.gateway.sessions === 0 ? true : undefined));
    await speaker.say('missed');
    await discord.as('member').in('dm').say('missed too');
    await speaker.say('missed as well');
    const second = await connectShards(discord, { shardIds: [0, 1], shardCount: 2, sessions });
    await speaker.say('new');
    await second.waitFor(1, 'MESSAGE_CREATE', 3);
    const channel = channels[0]?.id;
    expect(receivedChannels(second, 1)).toEqual([channel, channel, channel]);
    expect(receivedChannels(second, 0)).toEqual([discord.as('member').in('dm').channel.id]);
    expect(second.received.filter(({ shard }) => shard === 1).map(({ event }) => event)).toEqual([
      'MESSAGE_CREATE',
      'MESSAGE_CREATE',
      'RESUMED',
      'MESSAGE_CREATE',
    ]);
    for (const id of [0, 1])
      expect(discord.gateway.countsOf({ id, count: 2 })).toEqual({
        sessions: 1,
        identifies: 1,
        earlyIdentifies: 0,
        resumes: 1,
        resumesElsewhere: 0,
      });
  });

  it('A session moves to the newer of two open connections, and the older one is closed', async () => {
    const { discord } = await startFixture();
    const first = await RawSocket.identify(discord);
    const second = await RawSocket.resume(discord, first, 1);
    expect(await first.waitForClose()).toBe(4000);
    expect(second.events).toEqual(['RESUMED']);
    expect(discord.gateway).toMatchObject({ sessions: 1, identifies: 1, resumes: 1 });
  });

  it('A resume that is not sent to resume_gateway_url is accepted and counted', async () => {
    const { discord } = await startFixture();
    const first = await RawSocket.identify(discord);
    await first.close(4200);
    const { sessionId } = first;
    const second = await RawSocket.open(discord);
    second.send(6, { token: discord.token, session_id: sessionId, seq: 1 });
    await second.waitForPacket(({ t }) => t === 'RESUMED');
    expect(discord.gateway.countsOf({ id: 0 })).toMatchObject({ resumes: 1, resumesElsewhere: 1 });
  });

  it.each([1000, 1001])('A session ends when the application closes its connection with %d', async (code) => {
    const { discord, clock } = await startFixture();
    const first = await connectShards(discord, { shardIds: [0], shardCount: 1 });
    const sessions = new Map(first.sessions);
    await first.manager.destroy({ code });
    await discord.until(() => (discord.gateway.sessions === 0 ? true : undefined));
    clock.advance(discord.limits.identifyWindowMs);
    await connectShards(discord, { shardIds: [0], shardCount: 1, sessions });
    expect(discord.gateway).toMatchObject({ sessions: 1, identifies: 2, resumes: 0 });
  });

  it('A session stays resumable for a limited time without a connection', async () => {
    const { discord, clock } = await startFixture();
    const first = await RawSocket.identify(discord);
    await first.close(4200);
    await discord.until(() => (discord.gateway.sessions === 0 ? true : undefined));
    clock.advance(discord.limits.sessionResumeMs);
    const second = await RawSocket.resume(discord, first, 1);
    expect(second.events).toEqual(['RESUMED']);
    await second.close(4200);
    await discord.until(() => (discord.gateway.sessions === 0 ? true : undefined));
    clock.advance(discord.limits.sessionResumeMs + 1);
    const third = await RawSocket.resume(discord, first, 1);
    expect([third.invalidSessions, third.events]).toEqual([[false], []]);
    expect(discord.gateway.resumes).toBe(1);
  });

  it('A session cannot be resumed if more events were missed than are kept', async () => {
    const { discord } = await startFixture({ limits: { sessionEvents: 3 } });
    const first = await RawSocket.identify(discord);
    await first.close(4200);
    await discord.until(() => (discord.gateway.sessions === 0 ? true : undefined));
    await registerCommand(discord);
    const memberInDm = discord.as('member').in('dm');
    for (let count = 0; count < 3; count++) await memberInDm.slash('models');
    const second = await RawSocket.resume(discord, first, 1);
    expect(second.events).toEqual(['INTERACTION_CREATE', 'INTERACTION_CREATE', 'INTERACTION_CREATE', 'RESUMED']);
    await second.close(4200);
    await discord.until(() => (discord.gateway.sessions === 0 ? true : undefined));
    await memberInDm.slash('models');
    const third = await RawSocket.resume(discord, first, 1);
    expect([third.invalidSessions, third.events]).toEqual([[false], []]);
    // The session has been deleted, so it cannot be resumed from a later sequence number either.
    expect((await RawSocket.resume(discord, first, 6)).invalidSessions).toEqual([false]);
  });

  it('An unknown session is invalid, and an impossible sequence number closes the connection with 4007', async () => {
    const { discord } = await startFixture();
    const first = await RawSocket.identify(discord);
    const unknownSocket = await RawSocket.open(discord);
    unknownSocket.send(6, { token: discord.token, session_id: 'unknown', seq: 1 });
    await unknownSocket.waitForPacket(({ op }) => op === 9);
    expect(unknownSocket.invalidSessions).toEqual([false]);
    expect((await RawSocket.resume(discord, first, 2)).closeCode).toBe(4007);
    expect((await RawSocket.resume(discord, first, 1)).invalidSessions).toEqual([false]);
    const wrongTokenSocket = await RawSocket.open(discord);
    wrongTokenSocket.send(6, { token: 'wrong', session_id: first.sessionId, seq: 1 });
    expect(await wrongTokenSocket.waitForClose()).toBe(4004);
  });
});
