import { describe, expect, it } from 'vitest';
import { stage } from '../stage.ts';
import { RawSocket } from './raw-socket.ts';
import { connected, guildOn, guildsOf, type Managed, receivedChannels, register } from './scene.ts';

const options = { guilds: 6, limits: { maxConcurrency: 2 } };

const guildIds = ({ received }: Managed, shard: number): unknown[] =>
  received.filter((one) => one.shard === shard && one.event === 'GUILD_CREATE').map(({ data }) => data.id);

describe('Shards', () => {
  it('Two shards of one process have the guilds that Discord’s formula gives them', async () => {
    const { discord } = await stage(options);
    const both = await connected(discord, { shardIds: [0, 1], shardCount: 2 });
    for (const shard of [0, 1]) {
      const own = guildsOf(discord, shard, 2);
      expect(own.length).toBeGreaterThanOrEqual(3);
      await both.waitFor(shard, 'GUILD_CREATE', own.length);
      expect(guildIds(both, shard)).toEqual(own);
      const ready = both.received.find((one) => one.shard === shard && one.event === 'READY');
      expect(ready?.data).toMatchObject({ shard: [shard, 2], guilds: own.map((id) => ({ id, unavailable: true })) });
      expect(discord.gateway.countsOf({ id: shard })).toMatchObject({ sessions: 1, identifies: 1, resumes: 0 });
    }
  });

  it('Events and interactions of a guild go to its shard, and those without a guild to shard 0', async () => {
    const { discord } = await stage(options);
    const first = await connected(discord, { shardIds: [0], shardCount: 2 });
    const second = await connected(discord, { shardIds: [1], shardCount: 2 });
    const guilds = [guildOn(discord, 0, 2), guildOn(discord, 1, 2)];
    const [here, there] = guilds.map(({ speaker }) => speaker);
    const direct = discord.as('member').in('dm');
    await there?.say('one');
    await here?.say('two');
    await direct.say('three');
    const thread = there?.startThread('four', { on: await there.say('four') });
    await here?.say('five');
    await first.waitFor(0, 'MESSAGE_CREATE', 3);
    await second.waitFor(1, 'MESSAGE_CREATE', 3);
    expect(receivedChannels(first, 0)).toEqual([here?.channel.id, direct.channel.id, here?.channel.id]);
    expect(receivedChannels(second, 1)).toEqual([there?.channel.id, there?.channel.id, thread?.id]);
    expect(second.received.find(({ event }) => event === 'THREAD_CREATE')?.data.id).toBe(thread?.id);
    expect(first.received.filter(({ event }) => event === 'THREAD_CREATE')).toEqual([]);
  });

  it('A command reaches only the shard of its guild, and a command in a direct message only shard 0', async () => {
    const { discord } = await stage(options);
    const both = await connected(discord, { shardIds: [0, 1], shardCount: 2 });
    await register(discord);
    await guildOn(discord, 1, 2).speaker.slash('models');
    await discord.as('member').in('dm').slash('models');
    await guildOn(discord, 0, 2).speaker.slash('models');
    await both.waitFor(0, 'INTERACTION_CREATE', 2);
    await both.waitFor(1, 'INTERACTION_CREATE');
    const seen = both.received.filter(({ event }) => event === 'INTERACTION_CREATE');
    expect(seen.filter(({ shard }) => shard === 1).map(({ data }) => data.guild_id)).toEqual([
      guildOn(discord, 1, 2).id,
    ]);
    expect(seen.filter(({ shard }) => shard === 0).map(({ data }) => data.guild_id)).toEqual([
      undefined,
      guildOn(discord, 0, 2).id,
    ]);
  });

  it('Sessions with different numbers of shards are served at the same time', async () => {
    const { discord, clock } = await stage(options);
    const whole = await connected(discord, { shardIds: [0], shardCount: 1 });
    clock.advance(discord.limits.identifyWindowMs);
    const divided = await connected(discord, { shardIds: [0, 1], shardCount: 2 });
    const { speaker } = guildOn(discord, 1, 2);
    await speaker.say('hello');
    await whole.waitFor(0, 'MESSAGE_CREATE');
    await divided.waitFor(1, 'MESSAGE_CREATE');
    expect(receivedChannels(divided, 0)).toEqual([]);
    expect(discord.gateway.countsOf({ id: 0 })).toMatchObject({ sessions: 2, identifies: 2 });
    expect(discord.gateway.countsOf({ id: 0, count: 2 })).toMatchObject({ sessions: 1, identifies: 1 });
    expect(discord.gateway).toMatchObject({ sessions: 3, identifies: 3 });
  });

  it('An invalid shard is refused with 4010', async () => {
    const { discord } = await stage();
    const invalid = [[2, 2], [-1, 2], [0, 0], [0], [0, 1, 2], ['0', '1'], [0.5, 2], 'first', { id: 0 }, null];
    for (const shard of invalid) expect((await RawSocket.identify(discord, shard)).closeCode, String(shard)).toBe(4010);
    expect(discord.gateway.identifies).toBe(0);
  });

  it('A session that would have too many guilds is refused with 4011', async () => {
    const { discord } = await stage({ guilds: 6, limits: { guildsPerShard: 6 } });
    expect((await RawSocket.identify(discord)).closeCode).toBe(4011);
    expect((await RawSocket.identify(discord, [0, 2])).ready.shard).toEqual([0, 2]);
  });

  it('The members of a guild of another shard cannot be requested', async () => {
    const { discord } = await stage(options);
    const one = await RawSocket.identify(discord, [0, 2]);
    const request = (guild: string | undefined) => ({ guild_id: guild, query: 'at', limit: 1 });
    one.send(8, request(guildsOf(discord, 1, 2)[0]));
    one.send(8, request(guildsOf(discord, 0, 2)[0]));
    await one.receives(({ t }) => t === 'GUILD_MEMBERS_CHUNK');
    const chunks = one.packets.filter(({ t }) => t === 'GUILD_MEMBERS_CHUNK');
    expect(chunks.map(({ d }) => (d as { guild_id: string }).guild_id)).toEqual([guildsOf(discord, 0, 2)[0]]);
  });
});
