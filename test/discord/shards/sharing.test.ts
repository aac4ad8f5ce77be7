import { describe, expect, it } from 'vitest';
import { onServers } from '../../services/store/sites.ts';
import { COUNT, haveShards, nothingIsMissing, scene, shardProcess, stream } from './scene.ts';

describe('Shard processes', () =>
  onServers((site) => {
    it('Two shard processes share the shards, and a shard that changes hands keeps its session', async () => {
      const here = await scene(await site());
      const first = await shardProcess(here);
      await haveShards([first, COUNT]);
      const second = await shardProcess(here);
      await haveShards([first, 2], [second, 2]);
      expect([...first.shards.ids, ...second.shards.ids].toSorted()).toEqual([0, 1, 2, 3]);
      expect(here.discord.gateway).toMatchObject({ sessions: COUNT, identifies: COUNT, resumes: 2 });
      await stream(here, { isOver: () => true, more: 1 }, first, second);
      await nothingIsMissing(here, first, second);
      expect(first.taken).toHaveLength(2);
      expect(second.taken).toHaveLength(2);
    });

    it('A shard process that stops during a stream of interactions loses none, and no shard identifies again', async () => {
      const here = await scene(await site());
      const first = await shardProcess(here);
      const second = await shardProcess(here);
      await haveShards([first, 2], [second, 2]);
      const { identifies } = here.discord.gateway;
      let hasStopped = false;
      const stop = async (): Promise<void> => {
        await expect.poll(() => second.taken.length).toBeGreaterThan(10);
        await second.shards.close();
        await haveShards([first, COUNT]);
        hasStopped = true;
      };
      await Promise.all([stop(), stream(here, { isOver: () => hasStopped, more: 3 }, first, second)]);
      await nothingIsMissing(here, first, second);
      expect(here.discord.gateway.identifies).toBe(identifies);
      expect(here.discord.gateway.sessions).toBe(COUNT);
      expect(second.shards.ids).toEqual([]);
    });
  }));
