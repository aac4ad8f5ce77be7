import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { freePort } from '../../support/free-port.ts';
import { modelRequests, models } from '../asks/fixture.ts';
import { createFixture } from '../bot.ts';
import { applyRules, replySaying, replyTo, toBot } from '../mentions/fixture.ts';
import { onServersIfEnabled } from './on-request.ts';
import { metricsOf, startProcess, waitUntilReady } from './processes.ts';

describe('Messages to the bot', () =>
  onServersIfEnabled((createStore) => {
    it('Mentions and direct messages reach the worker of their server or member, and are answered once, edited and deleted ones too', async () => {
      const storeServer = await createStore();
      const settings = { ...models, STORE_LEASE_SECONDS: '15' };
      const servers = await createFixture({ settings, gateway: { speed: 20 } });
      const { discord, gateway } = servers;
      const port = await freePort();
      const shard = startProcess('shard', servers, storeServer, { ...settings, HTTP_PORT: String(port) });
      await waitUntilReady([shard, startProcess('worker', servers, storeServer, settings)]);
      const member = discord.as('member');
      await member.say('this is for people');
      await replyTo(discord, 'studio', await member.say(toBot(discord, 'what is snow?')));
      const direct = member.in('dm');
      await replyTo(discord, direct.channel.id, await direct.say('what is hail?'));
      await applyRules(discord, { words: [{ text: 'casino' }] });
      const refused = await member.say(toBot(discord, 'where is the casino?'));
      const reply = await replySaying(discord, 'studio', refused, 'This question was not answered');
      const why = await (await member.click(reply, 'Show why')).message();
      expect([why.ephemeral, text(why)]).toEqual([true, expect.stringContaining('a word or phrase that is blocked')]);
      await member.edit(refused, toBot(discord, 'where is the opera?'));
      await replyTo(discord, 'studio', refused);
      gateway.setSpeed(0.05);
      const deleted = await member.say(toBot(discord, 'tell me of the snow, 2000 words'));
      await replySaying(discord, 'studio', deleted, 'Model:');
      await member.edit(deleted, toBot(discord, 'tell me of fire'));
      await replySaying(discord, 'studio', deleted, 'edited after its answer had started');
      await member.remove(deleted);
      await replySaying(discord, 'studio', deleted, 'The question was deleted');
      expect(modelRequests(gateway)).toHaveLength(4);
      const passed = (await metricsOf(port)).get('atelier_hand_overs_total{event="message",outcome="passed"}');
      // Four questions, of which one is refused first; two edits and one deletion.
      expect(passed).toBe(7);
    });
  }));
