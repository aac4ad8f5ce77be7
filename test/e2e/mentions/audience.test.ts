import { expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { hasEnded, modelRequests } from '../asks/fixture.ts';
import { replyTo, startMentionBot, toBot } from './fixture.ts';

const people = ['member', 'other', 'admin'] as const;
type Who = (typeof people)[number];

/** Who may have the words of a question sent to a model, and where. */
interface Secret {
  words: string;
  isAllowed(use: { who: Who; channelId: string; isPrivate: boolean }): boolean;
}

const isOver = (message: Message): boolean => hasEnded(message) || text(message).includes('was not answered');

it('What was asked in private, in a private thread or in direct messages reaches no model elsewhere, for any member and any way of asking', async () => {
  const { discord, gateway } = await startMentionBot({ DISCORD_USER_INSTALL: 'on' });
  const member = discord.as('member');
  const studio = member.channel.id;
  const thread = member.startThread('between us', { isPrivate: true });
  member.in(thread.id).addToThread('other');
  const direct = member.in('dm').channel.id;
  const secrets: Secret[] = [
    {
      words: 'Ahab',
      isAllowed: ({ who, channelId, isPrivate }) => who === 'member' && channelId === studio && isPrivate,
    },
    { words: 'Ishmael', isAllowed: ({ who, channelId }) => who === 'member' && channelId === direct },
    { words: 'Queequeg', isAllowed: ({ channelId }) => channelId === thread.id },
  ];
  await (await member.slash('ask', { prompt: 'who is Ahab?', private: true })).message(hasEnded);
  await replyTo(discord, direct, await member.in(direct).say('who is Ishmael?'));
  await replyTo(discord, thread.id, await member.in(thread.id).say(toBot(discord, 'who is Queequeg?')));
  await replyTo(discord, studio, await member.say(toBot(discord, 'what is snow?')));

  const answersIn = (channelId: string) => discord.messages(channelId).filter((one) => hasEnded(one) && !one.ephemeral);
  let count = 0;
  const check = (question: string, use: Parameters<Secret['isAllowed']>[0]): void => {
    const sent = JSON.stringify(modelRequests(gateway).filter((one) => JSON.stringify(one.input).includes(question)));
    const leaked = secrets.filter((secret) => sent.includes(secret.words) && !secret.isAllowed(use));
    expect(leaked.map(({ words }) => ({ words, ...use }))).toEqual([]);
    count += 1;
  };
  for (const who of people) {
    const places = [studio, ...(who === 'admin' ? [] : [thread.id]), discord.as(who).in('dm').channel.id];
    for (const channelId of places) {
      const person = discord.as(who).in(channelId);
      const answer = answersIn(channelId)[0];
      const mention = toBot(discord, `mention ${who} ${channelId}`);
      await replyTo(discord, channelId, await person.say(mention), isOver);
      check(`mention ${who} ${channelId}`, { who, channelId, isPrivate: false });
      if (!answer) continue;
      await replyTo(
        discord,
        channelId,
        await person.reply(answer, toBot(discord, `reply ${who} ${channelId}`)),
        isOver,
      );
      check(`reply ${who} ${channelId}`, { who, channelId, isPrivate: false });
      for (const audience of ['everyone', 'me']) {
        const words = `menu ${audience} ${who} ${channelId}`;
        const form = await (await person.menu('Ask about this', answer)).modal();
        await (await person.fill(form, { words, audience: [audience] })).message(hasEnded);
        check(words, { who, channelId, isPrivate: audience === 'me' });
      }
    }
  }
  expect(count).toBe(26);
  // The words do reach a model where they may, so the checks above are not empty.
  for (const { words } of secrets) expect(JSON.stringify(modelRequests(gateway).slice(4))).toContain(words);
});
