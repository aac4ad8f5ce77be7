import { describe, expect, it } from 'vitest';
import { onServers } from '../../services/store/sites.ts';
import { SHARD_COUNT, scene, sendCommands, shardProcess, waitForShards, waitUntilAllReceived } from './scene.ts';

describe('Shard processes', () =>
  onServers((createStore) => {
    it('Two shard processes share the shards, and a shard that changes hands keeps its session', async () => {
      const setup = await scene(await createStore());
      const first = await shardProcess(setup);
      await waitForShards([first, SHARD_COUNT]);
      const second = await shardProcess(setup);
      await waitForShards([first, 2], [second, 2]);
      expect([...first.shards.ids, ...second.shards.ids].toSorted()).toEqual([0, 1, 2, 3]);
      expect(setup.discord.gateway).toMatchObject({ sessions: SHARD_COUNT, identifies: SHARD_COUNT, resumes: 2 });
      await sendCommands(setup, { until: () => true, extraRounds: 1 }, first, second);
      await waitUntilAllReceived(setup, first, second);
      expect(first.taken).toHaveLength(2);
      expect(second.taken).toHaveLength(2);
    });

    it('A shard process that stops during a stream of interactions loses none, and no shard identifies again', async () => {
      const setup = await scene(await createStore());
      const first = await shardProcess(setup);
      const second = await shardProcess(setup);
      await waitForShards([first, 2], [second, 2]);
      const { identifies } = setup.discord.gateway;
      let hasStopped = false;
      const stop = async (): Promise<void> => {
        await expect.poll(() => second.taken.length).toBeGreaterThan(10);
        await second.shards.close();
        await waitForShards([first, SHARD_COUNT]);
        hasStopped = true;
      };
      await Promise.all([stop(), sendCommands(setup, { until: () => hasStopped, extraRounds: 3 }, first, second)]);
      await waitUntilAllReceived(setup, first, second);
      expect(setup.discord.gateway.identifies).toBe(identifies);
      expect(setup.discord.gateway.sessions).toBe(SHARD_COUNT);
      expect(second.shards.ids).toEqual([]);
    });
  }));
