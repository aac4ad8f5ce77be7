import { beforeEach, describe, expect, it } from 'vitest';
import type { EmbeddedDiscord } from '../../../../sandbox/discord/discord.ts';
import { startFixture } from '../fixture.ts';
import { type ConnectedShards, connectShards, joinGuildOn } from './fixture.ts';

describe('A problem with one of two shards', () => {
  let discord: EmbeddedDiscord;
  let shards: ConnectedShards;

  beforeEach(async () => {
    ({ discord } = await startFixture({ guilds: 4, limits: { identifyWindowMs: 0, maxConcurrency: 2 } }));
    shards = await connectShards(discord, { shardIds: [0, 1], shardCount: 2 });
    return async () => {
      // The other shard has kept its connection and its session.
      expect(shards.closed.filter(({ shard }) => shard === 0)).toEqual([]);
      expect(discord.gateway.countsOf({ id: 0 })).toMatchObject({ sessions: 1, identifies: 1, resumes: 0 });
      const { speaker } = joinGuildOn(discord, 0, 2);
      await speaker.say('still here');
      await shards.waitFor(0, 'MESSAGE_CREATE');
      await shards.manager.destroy();
    };
  });

  it('A shard resumes after its connection is dropped', async () => {
    discord.gateway.dropConnections({ id: 1 });
    await shards.waitFor(1, 'RESUMED');
    expect(discord.gateway.countsOf({ id: 1 })).toMatchObject({ identifies: 1, resumes: 1, resumesElsewhere: 0 });
  });

  it('A shard resumes after a reconnect request', { tags: ['breadth'] }, async () => {
    discord.gateway.requestReconnect({ id: 1 });
    await shards.waitFor(1, 'RESUMED');
    expect(shards.closed).toEqual([{ shard: 1, code: 4200 }]);
    expect(discord.gateway.countsOf({ id: 1 })).toMatchObject({ identifies: 1, resumes: 1 });
  });

  it('A shard resumes after its session is invalidated as resumable', async () => {
    discord.gateway.invalidate(true, { id: 1 });
    await shards.waitFor(1, 'RESUMED');
    expect(discord.gateway.countsOf({ id: 1 })).toMatchObject({ identifies: 1, resumes: 1 });
  });

  it('A shard identifies again after its session is invalidated', { tags: ['breadth'] }, async () => {
    discord.gateway.invalidate(false, { id: 1 });
    await shards.waitFor(1, 'READY', 2);
    expect(discord.gateway.countsOf({ id: 1 })).toMatchObject({ sessions: 1, identifies: 2, resumes: 0 });
  });

  it('A shard identifies again after a close code that ends its session', { tags: ['breadth'] }, async () => {
    discord.gateway.closeSessions(4009, { id: 1 });
    await shards.waitFor(1, 'READY', 2);
    expect(discord.gateway.countsOf({ id: 1 })).toMatchObject({ sessions: 1, identifies: 2, resumes: 0 });
  });

  it('Dropping connections of one shard count does not affect shards with a different count', {
    tags: ['breadth'],
  }, async () => {
    discord.gateway.dropConnections({ id: 1, count: 3 });
    discord.gateway.requestReconnect({ id: 1, count: 2 });
    await shards.waitFor(1, 'RESUMED');
    expect(shards.closed).toEqual([{ shard: 1, code: 4200 }]);
  });
});

it('All shards resume after a reconnect request', async () => {
  const { discord } = await startFixture({ limits: { maxConcurrency: 2 } });
  const shards = await connectShards(discord, { shardIds: [0, 1], shardCount: 2 });
  discord.gateway.requestReconnect();
  await Promise.all([shards.waitFor(0, 'RESUMED'), shards.waitFor(1, 'RESUMED')]);
  expect(discord.gateway).toMatchObject({ sessions: 2, identifies: 2, resumes: 2 });
});

it('A session that is invalidated while its process is not running cannot be resumed', async () => {
  const { discord } = await startFixture({ limits: { identifyWindowMs: 0 } });
  const first = await connectShards(discord, { shardIds: [0], shardCount: 1 });
  const sessions = await first.disconnect();
  discord.gateway.invalidate(false, { id: 0 });
  await connectShards(discord, { shardIds: [0], shardCount: 1, sessions });
  expect(discord.gateway).toMatchObject({ sessions: 1, identifies: 2, resumes: 0 });
});
