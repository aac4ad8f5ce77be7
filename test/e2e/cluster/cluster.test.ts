import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { onServers } from '../../services/store/sites.ts';
import { createFixture } from '../bot.ts';
import { labels, says, submitCount } from '../quick.ts';
import { startProcess, waitUntilReady } from './processes.ts';

describe('Shards and workers', () => {
  onServers((createStore) => {
    it('A command, a button press and a form are handled by workers that have no gateway connection to Discord', async () => {
      const [storeServer, servers] = [await createStore(), await createFixture({ gateway: { speed: 20 } })];
      const { discord, gateway } = servers;
      const start = (role: 'shard' | 'worker') => startProcess(role, servers, storeServer);
      await waitUntilReady([start('shard'), start('worker'), start('worker')]);

      const grid = await (await discord.as('member').slash('imagine', { prompt: 'a lantern' })).message(
        says('Finished'),
      );
      expect(labels(grid)).toContain('U2');
      await (await discord.as('member').click(grid, 'U2')).message(says('Finished'));
      const form = await (await discord.as('member').click(grid, 'Use as reference')).modal();
      expect(form.title).not.toBe('');
      expect(submitCount(gateway)).toBe(2);
      const about = await (await discord.as('member').slash('about', {})).message();
      expect(text(about)).toContain('Atelier');
    });
  });
});
