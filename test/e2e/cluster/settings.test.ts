import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { hasEnded, modelRequests, models } from '../asks/fixture.ts';
import { says } from '../quick.ts';
import { changeSettings } from '../settings/fixture.ts';
import { createCluster, kill, ownerOf, separatingPartitionCount, startFullCluster } from './fixture.ts';
import { onServersIfEnabled } from './on-request.ts';
import { waitUntilReady } from './processes.ts';

const persona = { name: 'Captain Ada', instructions: 'You are a sailor.' };

describe('Settings in a cluster', () =>
  onServersIfEnabled((createStore) => {
    it('Settings of a member apply in every server, those of a channel to all its members, and a form is answered by the next worker', async () => {
      const settings = { ...models, DISCORD_USER_INSTALL: 'on' };
      const cluster = await createCluster(createStore, { speed: 200, partitions: separatingPartitionCount, settings });
      const { discord, gateway } = cluster;
      const workers = await startFullCluster(cluster);
      const member = discord.as('member');
      await changeSettings(member.in('studio'), 'settings', 'Change replies', { private: 'on' });
      await changeSettings(discord.as('owner').in('studio'), 'channel edit', 'Change persona', persona);
      const ask = (channel: string) => member.in(channel).slash('ask', { prompt: `why, ${channel}?` });
      for (const channel of ['studio', 'hall']) {
        // The first response does not wait for a store, so another partition learns of the change by this.
        const refused = await (await ask(channel)).ephemeral();
        expect(text(refused)).toContain('so nothing was done. Run the command again.');
        expect((await (await ask(channel)).message(hasEnded)).ephemeral).toBe(true);
      }
      expect(modelRequests(gateway).map(({ instructions }) => instructions)).toEqual([
        'Your name is Captain Ada.\n\nYou are a sailor.',
        undefined,
      ]);

      const message = await discord.as('other').say('How deep is the sea?');
      const form = await (await member.menu('Ask about this', message)).modal();
      const owner = ownerOf(cluster, workers);
      await kill(owner);
      const rest = workers.filter((worker) => worker !== owner);
      await waitUntilReady(rest, cluster.partitions);
      const answer = await (await member.fill(form, { words: 'what does it ask?' })).message(hasEnded);
      expect(text(answer)).toContain('About [this message]');

      // Without a worker, the shard process decides how the reply is seen.
      for (const worker of rest) await kill(worker);
      const waiting = await member.in('hall').slash('imagine', { prompt: 'a fox' });
      const otherWaiting = await discord.as('other').in('hall').slash('imagine', { prompt: 'a hare' });
      for (const exchange of [waiting, otherWaiting]) await exchange.acknowledged();
      await waitUntilReady([cluster.start('worker')], cluster.partitions);
      expect((await waiting.message(says('Finished in'))).ephemeral).toBe(true);
      expect((await otherWaiting.message(says('Finished in'))).ephemeral).toBe(false);
    });
  }));
