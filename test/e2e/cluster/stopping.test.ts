import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../sandbox/discord/exchange.ts';
import { says, submitCount } from '../quick.ts';
import {
  type Cluster,
  createCluster,
  homePartition,
  isAnswered,
  ownedPartitions,
  ownerOf,
  startFullCluster,
} from './fixture.ts';
import { onServersIfEnabled } from './on-request.ts';
import { type ClusterProcess, owns } from './processes.ts';

const PARTITIONS = 16;
/** The time between two commands of a member. */
const PACE_MS = 100;

/** Stops one of two workers, and starts another one in its place. */
async function replaceWorker(
  cluster: Cluster,
  [stoppingWorker, remainingWorker]: [ClusterProcess, ClusterProcess],
): Promise<void> {
  const { partitions, start } = cluster;
  stoppingWorker.child.kill('SIGTERM');
  await expect.poll(() => ownedPartitions(remainingWorker, partitions)).toHaveLength(partitions);
  expect(await stoppingWorker.exitCode).toBe(0);
  const replacement = start('worker');
  const halves = [partitions / 2, partitions / 2];
  await expect
    .poll(() => [remainingWorker, replacement].map((worker) => ownedPartitions(worker, partitions).length))
    .toEqual(halves);
}

describe('A worker that is told to stop', () =>
  onServersIfEnabled((createStore) => {
    it('The partitions of a stopping worker get another owner while tasks are running, and a new worker gets its share', async () => {
      const cluster = await createCluster(createStore, { speed: 1, partitions: PARTITIONS });
      const { discord, gateway } = cluster;
      const workers = await startFullCluster(cluster);
      const running: Exchange[] = [];
      for (const channel of ['studio', 'hall', 'studio'])
        running.push(
          await discord
            .as('member')
            .in(channel)
            .slash('imagine', { prompt: `a lantern ${running.length}` }),
        );
      for (const exchange of running) await exchange.message(says('%'));

      await replaceWorker(cluster, workers);

      gateway.setSpeed(200);
      for (const exchange of running) await exchange.message(says('Finished in'));
      expect(submitCount(gateway)).toBe(running.length);
    });

    it('No command in a steady stream is lost when a worker stops, and the next owner responds immediately', async () => {
      const cluster = await createCluster(createStore, { speed: 200 });
      const { discord, gateway } = cluster;
      const workers = await startFullCluster(cluster);
      const owner = ownerOf(cluster, workers);
      const member = discord.as('member');
      const order = (prompt: string): Promise<Exchange> => member.slash('imagine', { prompt });
      const ordersBefore = [await order('a lantern'), await order('a lamp'), await order('a lighthouse')];
      owner.child.kill('SIGTERM');
      const isHandedOver = (): boolean =>
        workers.some((worker) => worker !== owner && owns(worker, homePartition(cluster)));
      const commandsDuring: Exchange[] = [];
      while (!isHandedOver()) {
        commandsDuring.push(await member.slash('help', {}));
        await new Promise((done) => setTimeout(done, PACE_MS));
      }
      const ordersAfter = [await order('a candle'), await order('a torch')];

      let finishedCount = 0;
      for (const exchange of ordersBefore)
        if (says('Finished in')(await exchange.message(isAnswered))) finishedCount += 1;
      for (const exchange of commandsDuring) await exchange.message();
      for (const exchange of ordersAfter) await exchange.message(says('Finished in'));
      expect(submitCount(gateway)).toBe(finishedCount + ordersAfter.length);
      expect(await owner.exitCode).toBe(0);
    });
  }));
