import { describe, expect, it, onTestFinished } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { openInbox } from '../../../src/services/cluster/open-inbox.ts';
import { bucketOf, partitionOf } from '../../../src/services/tasks/homes.ts';
import type { TestStore } from '../../services/store/sites.ts';
import { freePort } from '../../support/free-port.ts';
import { hasEnded, modelRequests, models } from '../asks/fixture.ts';
import { createFixture, type Fixture } from '../bot.ts';
import { says } from '../quick.ts';
import { isOpening, TALK_MODEL, threadOf } from '../talk/fixture.ts';
import { onServersIfEnabled } from './on-request.ts';
import { type ClusterProcess, metricsOf, owns, startProcess, waitUntilReady } from './processes.ts';

const PARTITIONS = 4;

interface Cluster extends Fixture {
  storeServer: TestStore;
  workers: ClusterProcess[];
  /** The values of the shard process's metrics. */
  shardMetrics(): Promise<ReadonlyMap<string, number>>;
}

async function startCluster(createStore: () => Promise<TestStore>): Promise<Cluster> {
  const storeServer = await createStore();
  const settings = {
    ...models,
    DEFAULT_TALK_MODEL: TALK_MODEL,
    DISCORD_MESSAGE_CONTENT: 'on',
    STORE_LEASE_SECONDS: '15',
  };
  const servers = await createFixture({
    settings,
    gateway: { speed: 20 },
    discord: { privilegedIntents: ['message-content'] },
  });
  const port = await freePort();
  const start = (role: 'shard' | 'worker', extraSettings = {}) =>
    startProcess(role, servers, storeServer, { ...settings, ...extraSettings });
  const shard = start('shard', { HTTP_PORT: String(port) });
  const workers = [start('worker'), start('worker')];
  await waitUntilReady([shard, ...workers]);
  return { ...servers, storeServer, workers, shardMetrics: () => metricsOf(port) };
}

async function waitForFollowedThreads({ shardMetrics }: Cluster, threadCount: number): Promise<void> {
  await expect.poll(async () => (await shardMetrics()).get('atelier_threads_followed')).toBe(threadCount);
}

async function passedMessageCount({ shardMetrics }: Cluster): Promise<number> {
  const values = await shardMetrics();
  return values.get('atelier_hand_overs_total{event="message",outcome="passed"}') ?? 0;
}

const repliesTo = ({ discord }: Fixture, { id }: { id: string }): Message[] =>
  discord.messages('thread').filter(({ message_reference: reference }) => reference?.message_id === id);

describe('Messages in threads', () =>
  onServersIfEnabled((createStore) => {
    it('Messages in conversation threads reach the worker that owns the conversation and are answered once', async () => {
      const cluster = await startCluster(createStore);
      const { discord, gateway, storeServer, workers, log } = cluster;
      const member = discord.as('member');
      const partition = partitionOf(bucketOf(discord.world.guild('atelier').id), PARTITIONS);
      await (await member.in('thread').slash('ask', { prompt: 'snow?' })).message(hasEnded);
      await waitForFollowedThreads(cluster, 1);

      // Records the packets, to deliver one again as Discord does after a lost connection.
      const packets: { t: string; d: { id: string } }[] = [];
      discord.listen(({ kind, what }) => {
        const { event, data } = what as { event: string; data: { id: string } };
        if (kind === 'gateway' && event === 'MESSAGE_CREATE') packets.push({ t: event, d: data });
      });
      await member.say('this is for people');
      const question = await member.in('thread').say('and ice?');
      const answer = await discord.until(() => repliesTo(cluster, question).find(hasEnded));
      expect(text(answer)).not.toBe('');
      expect(await passedMessageCount(cluster)).toBe(1);
      const packet = packets.find(({ d }) => d.id === question.id);
      const inbox = await openInbox(storeServer, { lockMs: 10_000, log });
      onTestFinished(() => inbox.close());
      await inbox.put(partition, { id: question.id, content: packet });
      await inbox.put(partition, { id: `9${question.id}`, content: packet });

      await expect.poll(() => inbox.waitingCount(partition)).toBe(0);
      expect(repliesTo(cluster, question)).toHaveLength(1);
      expect(modelRequests(gateway)).toHaveLength(2);

      // Discord posts the reply, but the worker is killed before it gets the response.
      discord.faults.add({
        on: { method: 'POST', route: '/channels/:channel/messages' },
        do: { type: 'hang', done: true },
      });
      const interrupted = await member.in('thread').say('and rain?');
      await discord.until(() => repliesTo(cluster, interrupted)[0]);
      const owner = workers.find((worker) => owns(worker, partition));
      owner?.child.kill('SIGKILL');
      const notice = await discord.until(() =>
        repliesTo(cluster, interrupted).find(says('A restart interrupted this.')),
      );
      expect(notice.content).toContain('/tasks');
      expect(repliesTo(cluster, interrupted)).toHaveLength(1);
      // The conversation continues with the other worker.
      const last = await member.in('thread').say('and wind?');
      await discord.until(() => repliesTo(cluster, last).find(hasEnded));
      expect(modelRequests(gateway)).toHaveLength(3);
      expect(JSON.stringify(modelRequests(gateway))).not.toMatch(/for people|and rain/);

      const thread = await threadOf(await member.slash('talk start'));
      await discord.until(() => discord.messages(thread).find(isOpening));
      await waitForFollowedThreads(cluster, 2);
      await member.in(thread).say('are you there?');
      await discord.until(() => discord.messages(thread).find(hasEnded));
    });
  }));
