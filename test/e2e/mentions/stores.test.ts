import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { onServers } from '../../services/store/sites.ts';
import { modelRequests, models } from '../asks/fixture.ts';
import { startBot, startTestBot } from '../bot.ts';
import { says } from '../quick.ts';
import { applyRules, replySaying, replyTo, toBot } from './fixture.ts';

describe('Messages to the bot', () =>
  onServers((createStore) => {
    it('After a restart, an answer is continued, and only its author reads why a question was refused', async () => {
      const { url } = await createStore();
      // In real time, because the store server has a second to keep what a form needs.
      const fixture = await startTestBot({ settings: { ...models, STORE_URL: url }, gateway: { speed: 20 } });
      const { discord, gateway, app } = fixture;
      const member = discord.as('member');
      const answer = await replyTo(discord, 'studio', await member.say(toBot(discord, 'what is snow?')));
      await applyRules(discord, { words: [{ text: 'casino' }] });
      const refused = await member.say(toBot(discord, 'where is the casino?'));
      const reply = await replySaying(discord, 'studio', refused, 'This question was not answered');
      const message = await discord.as('other').say('a message for people');
      const form = await (await member.menu('Ask about this', message)).modal();
      await app.stop();

      await startBot(fixture);
      const toOthers = await (await discord.as('other').click(reply, 'Show why')).message();
      expect([toOthers.ephemeral, text(toOthers)]).toEqual([
        true,
        expect.stringContaining('Only the member who asked'),
      ]);
      const why = await (await member.click(reply, 'Show why')).message();
      expect([why.ephemeral, text(why)]).toEqual([true, expect.stringContaining('a word or phrase that is blocked')]);
      await replyTo(discord, 'studio', await discord.as('other').reply(answer, 'and ice?'));
      expect(modelRequests(gateway).at(-1)?.input).toHaveLength(3);
      await (await member.fill(form, { words: 'what does this mean?' })).message(says('About [this message]'));
      await discord.until(() => modelRequests(gateway).at(2));
      expect(JSON.stringify(modelRequests(gateway).at(-1))).toContain('a message for people');
    });
  }));
