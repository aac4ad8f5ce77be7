import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Exchange } from '../../../sandbox/discord/exchange.ts';
import { onOneServer } from '../../services/store/sites.ts';
import { labels, messagesWith, says, submitCount } from '../quick.ts';
import { changeRules } from '../reports.ts';
import { createCluster, kill } from './fixture.ts';
import { waitUntilReady } from './processes.ts';

const isAcknowledged = (exchange: Exchange): Promise<boolean> =>
  exchange.acknowledged().then(
    () => true,
    () => false,
  );

describe('A cluster without a worker', () => {
  // What the inbox does on each server is proven where the inbox is tested.
  onOneServer((createStore) => {
    it('A command or a button press waits for a worker, and its reply has the usual visibility; only forms have to be requested again', async () => {
      const cluster = await createCluster(createStore, { speed: 200, partitions: 2 });
      const { discord, gateway, start } = cluster;
      const member = discord.as('member');
      const shard = start('shard');
      await waitUntilReady([shard], 0);
      const queued = await member.slash('imagine', { prompt: 'a lamp' });
      await queued.acknowledged();

      const firstWorker = start('worker');
      await waitUntilReady([firstWorker], 2);
      const grid = await queued.message(says('Finished in'));
      expect(grid.ephemeral).toBe(false);
      expect(labels(grid)).toContain('U2');
      await changeRules(cluster, 'Change buttons and privacy', { privateCommands: '/imagine' });

      await kill(firstWorker);
      const pressForm = (): Promise<Exchange> => member.click(grid, 'Use as reference');
      let form = await pressForm();
      // On Postgres, the last query of the killed worker may still take one interaction from the queue.
      if (!(await isAcknowledged(form))) form = await pressForm();
      const waiting = [
        await member.click(grid, 'U2'),
        await member.slash('imagine', { prompt: 'private by default' }),
        await member.slash('imagine', { prompt: 'public by choice', private: false }),
      ];
      const refused = await form.message(says('Try again in a moment.'));
      expect(refused.ephemeral).toBe(true);
      for (const exchange of waiting) await exchange.acknowledged();
      expect(submitCount(gateway)).toBe(1);

      await waitUntilReady([start('worker')], 2);
      const results = await Promise.all(waiting.map((exchange) => exchange.message(says('Finished in'))));
      expect(results.map(({ ephemeral }) => ephemeral)).toEqual([false, true, false]);
      expect(submitCount(gateway)).toBe(4);
      expect(messagesWith(discord, 'studio', 'Finished in')).toHaveLength(4);
      expect(results.map(text).join()).not.toContain('restart');
      expect(shard.log()).not.toContain('It is unknown whether a worker took an interaction.');
    });
  });
});
