import { describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import { onServers } from '../services/store/sites.ts';
import { noLimits } from '../support/no-limits.ts';
import { TcpProxy } from '../support/wire.ts';
import { startTestBot } from './bot.ts';
import { says, submitCount } from './quick.ts';

const occurrences = (substring: string, log: string): number => log.split(substring).length - 1;

describe('A bot whose store is temporarily unavailable', () =>
  onServers((createStore) => {
    it('During an outage of the store, the bot reports the outage and refuses orders without a request to the gateway, and it works again afterwards', async () => {
      const store = await createStore();
      const proxy = await TcpProxy.open(store.url);
      const botFixture = await startTestBot({ settings: { ...noLimits, STORE_URL: proxy.url } });
      const { discord, gateway } = botFixture;
      const member = discord.as('member');
      const about = async (): Promise<string> => text(await (await member.slash('about')).message());

      proxy.disconnect();
      const refused = await (await member.slash('imagine', { prompt: 'a fox' })).message();
      expect(text(refused)).toContain('cannot save anything right now');
      expect(submitCount(gateway)).toBe(0);
      expect(await about()).toContain('unable to reach its database');

      proxy.restore();
      await expect.poll(about).not.toContain('unable to reach its database');
      gateway.setSpeed(50);
      const result = await (await member.slash('imagine', { prompt: 'an owl' })).message(says('Finished in'));
      expect(result.attachments).toHaveLength(1);
      expect(submitCount(gateway)).toBe(1);
      expect(occurrences('cannot be reached (', botFixture.logged())).toBeGreaterThan(0);
      expect(occurrences('The store responds again.', botFixture.logged())).toBe(1);
      expect(botFixture.logged()).not.toContain(new URL(store.url).password);
      await botFixture.app.stop();
      expect(await store.keys('live')).toEqual([]);
      expect(await store.keys('finished')).toHaveLength(1);
    });

    it('Responses from the gateway during an outage of the store are kept in memory, and nothing is submitted twice', async () => {
      const store = await createStore();
      const proxy = await TcpProxy.open(store.url);
      const { discord, gateway, app, logged } = await startTestBot({ settings: { ...noLimits, STORE_URL: proxy.url } });
      gateway.faults.add({ on: { path: '/imgx/submit' }, do: { type: 'drip', bytes: 4, everyMs: 20 } });
      const exchange = await discord.as('member').slash('imagine', { prompt: 'a fox' });
      // The response is arriving in small pieces when the store becomes unavailable.
      await expect.poll(() => submitCount(gateway)).toBe(1);
      proxy.disconnect();
      await expect.poll(() => logged()).toContain('The store could not write a task.');
      proxy.restore();
      gateway.setSpeed(50);
      const result = await exchange.message(says('Finished in'));
      expect(result.attachments).toHaveLength(1);
      expect(submitCount(gateway)).toBe(1);
      expect(logged()).toContain('The store has now written the task.');
      await app.stop();
      expect([await store.keys('live'), (await store.keys('finished')).length]).toEqual([[], 1]);
    });
  }));
