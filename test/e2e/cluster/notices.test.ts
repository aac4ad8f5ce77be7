import { describe, expect, it } from 'vitest';
import { type EmbeddedDiscord, text } from '../../../sandbox/discord/discord.ts';
import { bucketOf, partitionOf } from '../../../src/services/tasks/homes.ts';
import { says } from '../quick.ts';
import { type Cluster, createCluster, homePartition, startFullCluster } from './fixture.ts';
import { onServersIfEnabled } from './on-request.ts';
import { owns, waitUntilReady } from './processes.ts';

/** A number of partitions that puts the two servers into different ones, of which neither is the one that notifies. */
function awayFromNotifier({ world }: EmbeddedDiscord): number {
  const homes = ['atelier', 'elsewhere'].map((name) => world.guild(name).id);
  for (let count = 3; ; count += 1) {
    const [one, other] = homes.map((home) => partitionOf(bucketOf(home), count));
    if (one !== other && one !== 0 && other !== 0) return count;
  }
}

const notices = ({ discord }: Cluster): string[] => discord.messages(discord.openDirectMessage('owner').id).map(text);

const about = async ({ discord }: Cluster, channel: string): Promise<string> =>
  text(await (await discord.as('owner').in(channel).slash('about')).message());

const imagine = ({ discord }: Cluster, channel: string) =>
  discord.as('member').in(channel).slash('imagine', { prompt: 'a secret fox' });

describe('Notices in a cluster', () =>
  onServersIfEnabled((createStore) => {
    it('Trouble of every partition is told to the operator once, is in /about everywhere, and ends where the gateway shows it', async () => {
      const cluster = await createCluster(createStore, { speed: 200, partitions: awayFromNotifier });
      const { gateway } = cluster;
      const workers = await startFullCluster(cluster);
      await expect.poll(() => notices(cluster)).toHaveLength(1);
      expect(notices(cluster)[0]).toContain('now runs partition 0');
      await expect.poll(() => about(cluster, 'hall')).toContain('Notices**: none.');

      gateway.faults.add({ on: { path: '/imgx/submit' }, do: 'quota', times: 1 });
      await (await imagine(cluster, 'studio')).ephemeral(says('quota'));
      await (await imagine(cluster, 'studio')).ephemeral(says('the operator has been notified'));
      await expect.poll(() => notices(cluster)).toHaveLength(2);
      expect(notices(cluster)[1]).toContain('no credit left');
      for (const channel of ['studio', 'hall'])
        await expect.poll(() => about(cluster, channel)).toContain('no credit left');

      await (await imagine(cluster, 'hall')).message(says('Finished in'));
      await expect.poll(() => notices(cluster)[1]).toContain('Resolved');
      for (const channel of ['studio', 'hall'])
        await expect.poll(() => about(cluster, channel)).toContain('Notices**: none.');

      // The worker that saw the credit return is gone, and the other one sees trouble of another kind.
      const [survivor] = workers.filter((worker) => !owns(worker, homePartition(cluster, 'elsewhere')));
      const leaving = workers.find((worker) => worker !== survivor);
      leaving?.child.kill('SIGTERM');
      await leaving?.exitCode;
      gateway.faults.add({ on: { method: 'POST' }, do: 'quota', times: 1 });
      await (await cluster.discord.as('member').in('hall').slash('video', { prompt: 'a secret fox' })).ephemeral(
        says('quota'),
      );
      await expect.poll(() => notices(cluster).join('\n')).toContain('type Video');
      expect(notices(cluster)[1]).toContain('Resolved');
      expect(notices(cluster).join('\n')).not.toContain('secret');
    });

    it('A worker whose key the gateway rejects is told to the operator, also if it does not run partition 0, until it has gone', async () => {
      const cluster = await createCluster(createStore, { partitions: 4 });
      const { gateway, partitions, start } = cluster;
      const healthy = start('worker');
      await waitUntilReady([start('shard'), healthy], partitions);
      gateway.faults.add({ on: { path: '/v1/models' }, do: { type: 'status', status: 401 }, times: 1 });
      const other = start('worker');
      await expect.poll(() => notices(cluster).join('\n')).toContain('API key of at least one worker');
      expect(other.log()).toContain('The gateway rejects GATEWAY_API_KEY');
      other.child.kill('SIGTERM');
      await other.exitCode;
      await expect.poll(() => notices(cluster).join('\n')).toContain('Resolved');
    });

    it('The operator hears of rows that another partition could not read, and the owner of the task does', async () => {
      const cluster = await createCluster(createStore, { speed: 0.01, partitions: awayFromNotifier });
      const { discord, storeServer } = cluster;
      const processes = await startFullCluster(cluster);
      await (await imagine(cluster, 'studio')).message(says('Queued'));
      for (const { child, exitCode } of processes) {
        child.kill('SIGTERM');
        await exitCode;
      }
      await storeServer.rewrite(({ namespace, text: row }) =>
        namespace.includes('live') && row.includes('a secret fox') ? row.replace('"state":', '"odd":') : undefined,
      );
      cluster.start('worker');
      cluster.start('worker');
      await expect.poll(() => notices(cluster).join('\n')).toContain('could not be read');
      await expect
        .poll(() => discord.messages(discord.openDirectMessage('member').id).map(text).join('\n'))
        .toContain('One of your tasks cannot be read');
    });
  }));
