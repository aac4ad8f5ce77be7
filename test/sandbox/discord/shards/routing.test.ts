import { describe, expect, it } from 'vitest';
import { startFixture } from '../fixture.ts';
import {
  type ConnectedShards,
  connectShards,
  guildsOf,
  joinGuildOn,
  receivedChannels,
  registerCommand,
} from './fixture.ts';
import { RawSocket } from './raw-socket.ts';

const options = { guilds: 6, limits: { maxConcurrency: 2 } };

const guildIds = ({ received }: ConnectedShards, shard: number): unknown[] =>
  received.filter((one) => one.shard === shard && one.event === 'GUILD_CREATE').map(({ data }) => data.id);

describe('Shards', () => {
  it('Two shards of one process receive the guilds that Discord’s formula assigns to them', async () => {
    const { discord } = await startFixture(options);
    const shards = await connectShards(discord, { shardIds: [0, 1], shardCount: 2 });
    for (const shard of [0, 1]) {
      const expectedIds = guildsOf(discord, shard, 2);
      expect(expectedIds.length).toBeGreaterThanOrEqual(3);
      await shards.waitFor(shard, 'GUILD_CREATE', expectedIds.length);
      expect(guildIds(shards, shard)).toEqual(expectedIds);
      const ready = shards.received.find((one) => one.shard === shard && one.event === 'READY');
      expect(ready?.data).toMatchObject({
        shard: [shard, 2],
        guilds: expectedIds.map((id) => ({ id, unavailable: true })),
      });
      expect(discord.gateway.countsOf({ id: shard })).toMatchObject({ sessions: 1, identifies: 1, resumes: 0 });
    }
  });

  it('Events of a guild are sent to its shard, and events without a guild to shard 0', async () => {
    const { discord } = await startFixture(options);
    const first = await connectShards(discord, { shardIds: [0], shardCount: 2 });
    const second = await connectShards(discord, { shardIds: [1], shardCount: 2 });
    const guilds = [joinGuildOn(discord, 0, 2), joinGuildOn(discord, 1, 2)];
    const [speaker0, speaker1] = guilds.map(({ speaker }) => speaker);
    const memberInDm = discord.as('member').in('dm');
    await speaker1?.say('one');
    await speaker0?.say('two');
    await memberInDm.say('three');
    const thread = speaker1?.startThread('four', { on: await speaker1.say('four') });
    await speaker0?.say('five');
    await first.waitFor(0, 'MESSAGE_CREATE', 3);
    await second.waitFor(1, 'MESSAGE_CREATE', 3);
    expect(receivedChannels(first, 0)).toEqual([speaker0?.channel.id, memberInDm.channel.id, speaker0?.channel.id]);
    expect(receivedChannels(second, 1)).toEqual([speaker1?.channel.id, speaker1?.channel.id, thread?.id]);
    expect(second.received.find(({ event }) => event === 'THREAD_CREATE')?.data.id).toBe(thread?.id);
    expect(first.received.filter(({ event }) => event === 'THREAD_CREATE')).toEqual([]);
  });

  it('A command reaches only the shard of its guild, and a command in a direct message only shard 0', async () => {
    const { discord } = await startFixture(options);
    const shards = await connectShards(discord, { shardIds: [0, 1], shardCount: 2 });
    await registerCommand(discord);
    await joinGuildOn(discord, 1, 2).speaker.slash('models');
    await discord.as('member').in('dm').slash('models');
    await joinGuildOn(discord, 0, 2).speaker.slash('models');
    await shards.waitFor(0, 'INTERACTION_CREATE', 2);
    await shards.waitFor(1, 'INTERACTION_CREATE');
    const interactions = shards.received.filter(({ event }) => event === 'INTERACTION_CREATE');
    expect(interactions.filter(({ shard }) => shard === 1).map(({ data }) => data.guild_id)).toEqual([
      joinGuildOn(discord, 1, 2).id,
    ]);
    expect(interactions.filter(({ shard }) => shard === 0).map(({ data }) => data.guild_id)).toEqual([
      undefined,
      joinGuildOn(discord, 0, 2).id,
    ]);
  });

  it('Sessions with different shard counts can be open at the same time', async () => {
    const { discord, clock } = await startFixture(options);
    const oneShard = await connectShards(discord, { shardIds: [0], shardCount: 1 });
    clock.advance(discord.limits.identifyWindowMs);
    const twoShards = await connectShards(discord, { shardIds: [0, 1], shardCount: 2 });
    const { speaker } = joinGuildOn(discord, 1, 2);
    await speaker.say('hello');
    await oneShard.waitFor(0, 'MESSAGE_CREATE');
    await twoShards.waitFor(1, 'MESSAGE_CREATE');
    expect(receivedChannels(twoShards, 0)).toEqual([]);
    expect(discord.gateway.countsOf({ id: 0 })).toMatchObject({ sessions: 2, identifies: 2 });
    expect(discord.gateway.countsOf({ id: 0, count: 2 })).toMatchObject({ sessions: 1, identifies: 1 });
    expect(discord.gateway).toMatchObject({ sessions: 3, identifies: 3 });
  });

  it('An invalid shard is refused with 4010', async () => {
    const { discord } = await startFixture();
    const invalidShards = [[2, 2], [-1, 2], [0, 0], [0], [0, 1, 2], ['0', '1'], [0.5, 2], 'first', { id: 0 }, null];
    for (const shard of invalidShards)
      expect((await RawSocket.identify(discord, shard)).closeCode, String(shard)).toBe(4010);
    expect(discord.gateway.identifies).toBe(0);
  });

  it('A session that would have too many guilds is refused with 4011', async () => {
    const { discord } = await startFixture({ guilds: 6, limits: { guildsPerShard: 6 } });
    expect((await RawSocket.identify(discord)).closeCode).toBe(4011);
    expect((await RawSocket.identify(discord, [0, 2])).readyData.shard).toEqual([0, 2]);
  });

  it('A shard cannot request the members of a guild of another shard', async () => {
    const { discord } = await startFixture(options);
    const socket = await RawSocket.identify(discord, [0, 2]);
    const request = (guild: string | undefined) => ({ guild_id: guild, query: 'at', limit: 1 });
    socket.send(8, request(guildsOf(discord, 1, 2)[0]));
    socket.send(8, request(guildsOf(discord, 0, 2)[0]));
    await socket.waitForPacket(({ t }) => t === 'GUILD_MEMBERS_CHUNK');
    const chunks = socket.packets.filter(({ t }) => t === 'GUILD_MEMBERS_CHUNK');
    expect(chunks.map(({ d }) => (d as { guild_id: string }).guild_id)).toEqual([guildsOf(discord, 0, 2)[0]]);
  });
});
