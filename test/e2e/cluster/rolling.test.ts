import { InteractionResponseType as ResponseType } from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { Exchange, Message } from '../../../sandbox/discord/exchange.ts';
import { says, submitCount } from '../quick.ts';
import { type Cluster, createCluster, isAnswered, ownedPartitions } from './fixture.ts';
import { onServersIfEnabled } from './on-request.ts';
import { type ClusterProcess, type Role, waitUntilReady } from './processes.ts';

const SHARD_COUNT = 2;
/** One channel on each of two servers, and direct messages, which arrive at the first shard. */
const CHANNELS = ['studio', 'hall', 'dm'];
/** The time between two interactions of a member. */
const PACE_MS = 100;

interface Load {
  orders: Exchange[];
  presses: Exchange[];
}

/** Submits orders and presses buttons as a member until `isOver` returns true. */
async function generateLoad({ discord }: Cluster, grid: Message, isOver: () => boolean): Promise<Load> {
  const [orders, presses]: [Exchange[], Exchange[]] = [[], []];
  for (let index = 0; !isOver(); index++) {
    if (index % 8 === 0) {
      const channel = CHANNELS[orders.length % CHANNELS.length] ?? 'studio';
      orders.push(
        await discord
          .as('member')
          .in(channel)
          .slash('imagine', { prompt: `a lighthouse ${index}` }),
      );
    }
    presses.push(await discord.as('member').click(grid, 'Use as reference'));
    await new Promise((done) => setTimeout(done, PACE_MS));
  }
  return { orders, presses };
}

describe('A cluster in which every process is replaced under load', () =>
  onServersIfEnabled((createStore) => {
    it('While every process of a cluster is replaced, no button press or order is lost, and no shard identifies again', async () => {
      const cluster = await createCluster(createStore, {
        speed: 200,
        shards: SHARD_COUNT,
        settings: { DISCORD_USER_INSTALL: 'on' },
      });
      const { discord, gateway, start } = cluster;
      const roles: Role[] = ['shard', 'shard', 'worker', 'worker'];
      const processes = roles.map((role): [Role, ClusterProcess] => [role, start(role)]);
      await waitUntilReady(processes.map(([, one]) => one));
      // Events for a shard are lost until its first session starts.
      await expect.poll(() => discord.gateway.identifies).toBe(SHARD_COUNT);
      // Partitions change hands until the workers have equal shares.
      const shares = (): number[] =>
        processes.slice(SHARD_COUNT).map(([, one]) => ownedPartitions(one, cluster.partitions).length);
      await expect.poll(shares).toEqual([2, 2]);
      const grid = await (await discord.as('member').slash('imagine', { prompt: 'a lantern' })).message(
        says('Finished in'),
      );
      const { identifies } = discord.gateway;

      let isOver = false;
      const load = generateLoad(cluster, grid, () => isOver);
      const shards: ClusterProcess[] = [];
      for (const [role, one] of processes) {
        const replacement = start(role);
        await waitUntilReady([replacement], 0);
        one.child.kill('SIGTERM');
        expect(await one.exitCode).toBe(0);
        if (role === 'shard') shards.push(one, replacement);
      }
      isOver = true;
      const { orders, presses } = await load;

      let [finishedOrderCount, openedFormCount] = [0, 0];
      for (const order of orders) if (says('Finished in')(await order.message(isAnswered))) finishedOrderCount += 1;
      for (const press of presses) {
        const { type } = await press.acknowledged();
        if (type === ResponseType.Modal) openedFormCount += 1;
        else await press.message(isAnswered);
      }
      expect(submitCount(gateway)).toBe(1 + finishedOrderCount);
      // Only what no worker took in time is refused, with a message. A worker that is stopping refuses nothing.
      const untakenCount = shards.reduce((sum, { log }) => sum + log().split('No worker took').length - 1, 0);
      const refusedCount = presses.length - openedFormCount + orders.length - finishedOrderCount;
      expect(refusedCount).toBeLessThanOrEqual(untakenCount);
      expect(openedFormCount).toBeGreaterThan(presses.length / 2);
      expect(discord.gateway.identifies).toBe(identifies);
      expect(discord.gateway.resumes).toBeGreaterThanOrEqual(SHARD_COUNT);
      for (const { log } of shards) expect(log()).not.toMatch(/could not be told|is unknown whether/);
    });
  }));
