import { describe, expect, it, onTestFinished } from 'vitest';
import type { Exchange } from '../../../sandbox/discord/exchange.ts';
import { openInbox } from '../../../src/services/cluster/open-inbox.ts';
import { messagesWith, says, submitCount } from '../quick.ts';
import {
  acknowledgementRoute,
  callbackCount,
  createCluster,
  homePartition,
  kill,
  ownerOf,
  startFullCluster,
} from './fixture.ts';
import { onServersIfEnabled } from './on-request.ts';
import { waitUntilReady } from './processes.ts';

/** Short, because tests wait for leases to expire. */
const LEASE_SECONDS = 10;

describe('A cluster that loses a process', () =>
  onServersIfEnabled((createStore) => {
    it('A worker that is killed is replaced: its task ends once, orders that it had only acknowledged are carried out, and other members are notified', async () => {
      const cluster = await createCluster(createStore, { leaseSeconds: LEASE_SECONDS });
      const { discord, gateway } = cluster;
      const workers = await startFullCluster(cluster);
      const member = discord.as('member');
      const order = (prompt: string): Promise<Exchange> => member.slash('imagine', { prompt });
      const grid = await (await order('a lantern')).message(says('Finished in'));
      gateway.setSpeed(1);
      const running = await order('a lighthouse');
      await running.message(says('%'));
      // Discord shows that the bot is thinking, but the worker never gets the response.
      discord.faults.add({ on: acknowledgementRoute, do: { type: 'hang', done: true }, times: 3 });
      const orders = [await order('a lamp'), await member.click(grid, 'U2')];
      const list = await member.slash('tasks', {});
      for (const exchange of [...orders, list]) await exchange.acknowledged();
      const callbacksBeforeKill = callbackCount(discord);

      await kill(ownerOf(cluster, workers));
      gateway.setSpeed(200);
      await running.message(says('Finished in'));
      for (const exchange of orders) await exchange.message(says('Finished in'));
      await list.message(says('A restart interrupted this.'));
      // The new owner acknowledges nothing again.
      expect(callbackCount(discord)).toBe(callbacksBeforeKill);
      expect(messagesWith(discord, 'studio', 'Finished in')).toHaveLength(4);
      expect(submitCount(gateway)).toBe(4);
    });

    it('Another shard process resumes the session of a killed or suspended one, and no command is lost or run twice', async () => {
      const cluster = await createCluster(createStore, { speed: 200, leaseSeconds: LEASE_SECONDS });
      const { discord, gateway, start } = cluster;
      const order = (prompt: string): Promise<Exchange> => discord.as('member').slash('imagine', { prompt });
      const first = start('shard');
      await waitUntilReady([first, start('worker')]);
      const second = start('shard');
      await waitUntilReady([second], 0);
      const exchanges: Exchange[] = [];
      for (let index = 0; index < 9; index++) {
        if (index === 3) first.child.kill('SIGKILL');
        exchanges.push(await order(`a lantern number ${index}`));
      }
      for (const exchange of exchanges) await exchange.message(says('Finished in'));
      expect(submitCount(gateway)).toBe(9);

      const third = start('shard');
      await waitUntilReady([third], 0);
      second.child.kill('SIGSTOP');
      const duringSuspension = await order('a lighthouse');
      await expect.poll(third.log).toContain('A shard has resumed its session.');
      second.child.kill('SIGCONT');
      await expect.poll(second.log).toContain('The claim on a shard was lost');
      await (await order('a lamp')).message(says('Finished in'));
      // The interaction sent during the suspension may have reached a process only after Discord's deadline.
      const wasInTime = await duringSuspension.message(says('Finished in')).then(
        () => true,
        () => false,
      );
      expect(submitCount(gateway)).toBe(wasInTime ? 11 : 10);
      expect(second.child.exitCode).toBeNull();
      expect(discord.gateway.identifies).toBe(1);
      expect(discord.gateway.resumes).toBeGreaterThanOrEqual(2);
      for (const { log } of [second, third]) expect(log()).not.toMatch(/could not be told|is unknown whether/);
    });

    it('An interaction that arrives twice is executed once', async () => {
      const cluster = await createCluster(createStore);
      const { discord, gateway, storeServer, start } = cluster;
      await waitUntilReady([start('shard'), start('worker')]);
      const inbox = await openInbox(storeServer, { lockMs: 40_000, log: cluster.log });
      onTestFinished(() => inbox.close());
      const packets: { t: string; d: { id: string } }[] = [];
      discord.listen(({ kind, what }) => {
        const { event, data } = what as { event: string; data: { id: string } };
        if (kind === 'gateway' && event === 'INTERACTION_CREATE') packets.push({ t: event, d: data });
      });
      const callbacksBefore = callbackCount(discord);
      const exchange = await discord.as('member').slash('imagine', { prompt: 'a lantern' });
      await exchange.acknowledged();
      const [packet] = packets;
      if (!packet) throw new Error('Discord has sent no interaction.');
      // Delivers the packet again, as a resumed shard does: first under its own id, then under another,
      // as if the queue had forgotten the first.
      await inbox.put(homePartition(cluster), { id: packet.d.id, content: packet });
      await inbox.put(homePartition(cluster), { id: `9${packet.d.id}`, content: packet });
      await exchange.message(says('Finished in'));
      const lastExchange = await discord.as('member').slash('imagine', { prompt: 'a last one' });
      await lastExchange.message(says('Finished in'));
      expect(gateway.jobs.list().map(({ prompt }) => prompt)).toEqual(['a lantern', 'a last one']);
      expect(messagesWith(discord, 'studio', 'Finished in')).toHaveLength(2);
      // The copy with the other id is acknowledged too, which Discord refuses.
      expect(callbackCount(discord) - callbacksBefore).toBe(3);
    });

    it('A command that no worker takes within a minute is refused with a message, and never submitted', async () => {
      const { discord, gateway, start } = await createCluster(createStore, { speed: 200, partitions: 2 });
      await waitUntilReady([start('shard')], 0);
      const expired = await discord.as('member').slash('imagine', { prompt: 'a lamp' });
      await expect.poll(() => expired.ephemeral(says('Try again in a moment.'))).toBeDefined();
      await waitUntilReady([start('worker')], 2);
      await (await discord.as('member').slash('imagine', { prompt: 'a lantern' })).message(says('Finished in'));
      expect(gateway.jobs.list().map(({ prompt }) => prompt)).toEqual(['a lantern']);
    });
  }));
