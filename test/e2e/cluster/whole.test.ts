import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { bucketOf, partitionOf } from '../../../src/services/tasks/homes.ts';
import type { TestStore } from '../../services/store/sites.ts';
import { freePort } from '../../support/free-port.ts';
import { createFixture, type Fixture } from '../bot.ts';
import { says } from '../quick.ts';
import { onServersIfEnabled } from './on-request.ts';
import { type ClusterProcess, metricsOf, owns, startProcess, waitUntilReady } from './processes.ts';

const PARTITIONS = 4;

interface Worker extends ClusterProcess {
  callbackPort: number;
  httpPort: number;
}

async function startCluster(createStore: () => Promise<TestStore>) {
  const storeServer = await createStore();
  const settings = { POLL_SCHEDULE: 'spec', STORE_LEASE_SECONDS: '15' };
  const servers = await createFixture({ gateway: { speed: 20 }, settings });
  // Nothing listens at this URL: the test itself sends each callback to a worker.
  const url = `http://127.0.0.1:${await freePort()}/callbacks`;
  const start = (role: 'shard' | 'worker', extraSettings: Record<string, string>) =>
    startProcess(role, servers, storeServer, { ...settings, ...extraSettings });
  const startWorker = async (): Promise<Worker> => {
    const [callbackPort, httpPort] = [await freePort(), await freePort()];
    const ports = { HTTP_PORT: String(httpPort), CALLBACK_PORT: String(callbackPort) };
    return { ...start('worker', { CALLBACK_URL: url, ...ports }), callbackPort, httpPort };
  };
  const shardPort = await freePort();
  const workers = [await startWorker(), await startWorker()];
  await waitUntilReady([start('shard', { HTTP_PORT: String(shardPort) }), ...workers]);
  return { ...servers, workers, shardPort };
}

/** The path of the callback URL in the latest order. */
function latestCallbackPath({ gateway }: Fixture): string {
  const order = gateway.requests.findLast(({ path }) => path.includes('/submit/'));
  if (!order) throw new Error('There is no order.');
  return new URL((order.body as { notifyHook: string }).notifyHook).pathname;
}

const sendCallback = ({ callbackPort }: Worker, path: string, body: object) =>
  fetch(`http://127.0.0.1:${callbackPort}${path}`, { method: 'POST', body: JSON.stringify(body) });

const callbackCount = async ({ httpPort }: Worker, outcome: string): Promise<number> =>
  (await metricsOf(httpPort)).get(`atelier_callbacks_total{outcome="${outcome}"}`) ?? 0;

/** The sum over all workers of the values whose name and labels contain all `parts`. */
async function sumOfMetrics(workers: readonly Worker[], ...parts: string[]): Promise<number> {
  const all = await Promise.all(workers.map(({ httpPort }) => metricsOf(httpPort)));
  const values = all.flatMap((one) => [...one].filter(([name]) => parts.every((part) => name.includes(part))));
  return values.reduce((sum, [, value]) => sum + value, 0);
}

describe('A cluster with several workers', () =>
  onServersIfEnabled((createStore) => {
    it('A callback reaches its task through any worker, and metrics and /about cover all processes', async () => {
      const cluster = await startCluster(createStore);
      const { discord, gateway, workers, shardPort } = cluster;
      const member = discord.as('member');
      const partition = partitionOf(bucketOf(discord.world.guild('atelier').id), PARTITIONS);
      gateway.faults.add({ do: 'stick' });
      const exchange = await member.slash('imagine', { prompt: 'a lantern' });
      await exchange.message(says('%'));
      const path = latestCallbackPath(cluster);
      const owner = workers.find((worker) => owns(worker, partition));
      const other = workers.find((worker) => worker !== owner);
      if (!owner || !other) throw new Error(`No worker owns partition ${partition}.`);

      for (let index = 0; index < 10; index++) {
        const { status } = await sendCallback(other, path, { status: 'IN_PROGRESS' });
        expect(status).toBe(202);
      }
      const challenge = await sendCallback(other, path, { challenge: 'are you there?' });
      expect(await challenge.json()).toEqual({ challenge: 'are you there?' });
      await sendCallback(other, `${path.slice(0, -2)}zz`, { status: 'SUCCESS' });
      // One is enough, but a slow machine may take longer for ten than the time in which further ones are ignored.
      const passedCount = await callbackCount(other, 'passed');
      expect(passedCount).toBeGreaterThan(0);
      expect(await callbackCount(other, 'ignored')).toBe(10 - passedCount);
      await expect.poll(() => callbackCount(owner, 'progress')).toBe(passedCount);
      expect(await callbackCount(other, 'challenge')).toBe(1);
      expect(await callbackCount(other, 'unknown')).toBe(1);

      gateway.jobs.finish(gateway.jobs.list()[0]?.id ?? '');
      await sendCallback(other, path, { status: 'SUCCESS' });
      await exchange.message(says('Finished in'));
      // A poll may already have found the end.
      await expect
        .poll(async () => (await callbackCount(owner, 'hint')) + (await callbackCount(owner, 'late')))
        .toBe(1);
      // The owner processes callbacks that it receives itself.
      await sendCallback(owner, path, { status: 'SUCCESS' });
      await expect.poll(() => callbackCount(owner, 'late')).toBeGreaterThan(0);
      expect(await callbackCount(owner, 'passed')).toBe(0);

      for (const channel of ['studio', 'hall']) {
        gateway.faults.add({ do: 'stick' });
        const stuckTask = await member.in(channel).slash('imagine', { prompt: `a lantern in the ${channel}` });
        await stuckTask.message(says('%'));
      }
      expect(await sumOfMetrics(workers, 'atelier_orders_total', 'imagine')).toBe(3);
      // A worker polls for all of its partitions together, and counts each poll once.
      const pollRequestCount = () => gateway.requests.filter((request) => request.path.endsWith('/fetch')).length;
      await expect
        .poll(async () => (await sumOfMetrics(workers, 'atelier_polls_total', 'answered')) - pollRequestCount())
        .toBe(0);
      expect(await sumOfMetrics(workers, 'atelier_tasks{kind="imagine"')).toBe(2);
      expect(await sumOfMetrics(workers, 'atelier_tasks_ended_total', 'ready')).toBe(1);
      expect(await sumOfMetrics(workers, 'atelier_partitions_owned')).toBe(PARTITIONS);
      expect(await sumOfMetrics(workers, 'atelier_budget_limit{of="amount",period="day",kind="all"}')).toBe(50);
      expect(await sumOfMetrics(workers, 'atelier_partitions_unowned')).toBe(0);
      expect(await sumOfMetrics(workers, 'atelier_partition_changes_total', 'taken')).toBeGreaterThanOrEqual(
        PARTITIONS,
      );
      expect(await sumOfMetrics(workers, 'atelier_store_seconds_count', 'write')).toBeGreaterThan(0);
      const shard = await metricsOf(shardPort);
      for (const name of ['atelier_shards', 'atelier_shards_held', 'atelier_shards_connected'])
        expect(shard.get(name), name).toBe(1);
      expect(shard.get('atelier_hand_overs_total{event="interaction",outcome="passed"}')).toBe(3);
      expect(shard.get('atelier_partitions_unowned')).toBe(0);

      let aboutText = '';
      const readAbout = async (): Promise<string> => {
        aboutText = text(await (await member.slash('about')).message());
        return aboutText;
      };
      // The bot limits how often a member can ask.
      await expect.poll(readAbout, { interval: 2_000 }).toContain('Tasks in progress: 2');
      expect(aboutText).toContain('Workers: 2');
      expect(aboutText).toContain('Discord: 1 of 1 shard assigned to a running process');
      expect(aboutText).not.toContain('partitions');
    });
  }));
