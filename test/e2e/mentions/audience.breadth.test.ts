import fc from 'fast-check';
import { expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { noLimits } from '../../support/no-limits.ts';
import { hasEnded, modelRequests } from '../asks/fixture.ts';
import type { FastClockFixture } from '../quick.ts';
import { applyRules, replyTo, startMentionBot, toBot } from './fixture.ts';

const people = ['member', 'other', 'admin'] as const;
const places = ['studio', 'private thread', 'direct messages'] as const;
const ways = ['/ask', '/ask in private', 'mention', 'reply', 'Continue', 'menu', 'menu in private'] as const;
/** Who can press buttons on the results of others, by the rules of the server; moderators always can. */
const pressers = ['everyone', 'requester'] as const;

interface Use {
  who: (typeof people)[number];
  place: (typeof places)[number];
  way: (typeof ways)[number];
}

/** The admin is not in the private thread of the other two. */
const uses: readonly Use[] = people
  .flatMap((who) => places.flatMap((place) => ways.map((way) => ({ who, place, way }))))
  .filter(({ who, place }) => who !== 'admin' || place !== 'private thread');

interface Audience {
  who: string;
  channelId: string;
  isPrivate: boolean;
}

/** A question with a word of its own. */
interface Asked extends Audience {
  word: string;
  answer: Message;
}

/** What was asked in private belongs to its member, there and in private; everything else to those who read the channel. */
const mayLearn = (reader: Audience, { channelId, who, isPrivate }: Audience): boolean =>
  reader.channelId === channelId && (!isPrivate || (reader.isPrivate && reader.who === who));

const isOver = (message: Message): boolean => hasEnded(message) || text(message).includes('was not answered');

interface Question extends Use {
  channelId: string;
  words: string;
  /** The answer that the question is about, or continues. */
  target: Asked | undefined;
  isRefused: boolean;
}

/** Returns the answer, or the refusal. */
async function ask({ discord }: FastClockFixture, { who, way, channelId, words, target, isRefused }: Question) {
  const person = discord.as(who).in(channelId);
  const isPrivate = way.endsWith('in private');
  if (way === 'mention' || way === 'reply') {
    const mention = toBot(discord, words);
    const question = await (target ? person.reply(target.answer, mention) : person.say(mention));
    return replyTo(discord, channelId, question, isOver);
  }
  if (!target) return (await person.slash('ask', { prompt: words, private: isPrivate })).message(hasEnded);
  if (way === 'Continue') {
    const press = await person.click(target.answer, 'Continue');
    if (isRefused) return press.ephemeral();
    return (await person.fill(await press.modal(), { 'Your next question': words })).message(hasEnded);
  }
  const form = await (await person.menu('Ask about this', target.answer)).modal();
  const audience = target.isPrivate ? {} : { audience: [isPrivate ? 'me' : 'everyone'] };
  return (await person.fill(form, { words, ...audience })).message(hasEnded);
}

async function startChannels(rule: (typeof pressers)[number]) {
  const fixture = await startMentionBot({ ...noLimits, DISCORD_USER_INSTALL: 'on' });
  const { discord } = fixture;
  if (rule !== 'everyone') await applyRules(discord, { pressers: rule });
  const thread = discord.as('member').startThread('between us', { isPrivate: true });
  discord.as('member').in(thread.id).addToThread('other');
  const channelOf = ({ who, place }: Use): string => {
    if (place === 'private thread') return thread.id;
    return discord.as(who).in(place === 'studio' ? 'studio' : 'dm').channel.id;
  };
  return { ...fixture, channelOf };
}

it.each(pressers)(
  'Each member asks everywhere in every way, in any order: the model gets only what the readers of the answer may know, and only they see it (%s can press buttons)',
  async (rule) => {
    const { channelOf, ...fixture } = await startChannels(rule);
    const asked: Asked[] = [];
    let repeatedCount = 0;

    const check = async (use: Use, choice: number): Promise<void> => {
      const { who, way, place } = use;
      const channelId = channelOf(use);
      const isContinued = way === 'reply' || way === 'Continue';
      const visible = asked.filter((one) => one.channelId === channelId && (!one.isPrivate || one.who === who));
      const targets = visible.filter(({ isPrivate }) => way !== 'reply' || !isPrivate);
      const target = isContinued || way.startsWith('menu') ? targets[choice % targets.length] : undefined;
      const isOthers = isContinued && target?.who !== who && place !== 'direct messages';
      const isRefused = isOthers && rule === 'requester' && who !== 'admin';
      const isPrivate = way.endsWith('in private') || target?.isPrivate === true;
      const reader = { who, channelId, isPrivate };
      const words = `secret${asked.length}.`;
      const before = modelRequests(fixture.gateway).length;
      const answer = await ask(fixture, { ...use, channelId, words, target, isRefused });
      const sent = JSON.stringify(modelRequests(fixture.gateway).slice(before));
      const outcome = { use, isSent: sent.includes(words), isSeenByAll: !answer.ephemeral };
      if (isRefused) return expect(outcome.isSent).toBe(false);
      expect(outcome).toEqual({ use, isSent: true, isSeenByAll: !isPrivate });
      const repeated = asked.filter(({ word }) => sent.includes(word));
      expect(repeated.filter((one) => !mayLearn(reader, one))).toEqual([]);
      repeatedCount += repeated.length;
      asked.push({ ...reader, word: words, answer });
    };

    // One answer in each channel that everyone there can continue. A mention adds the bot to a private thread.
    for (const use of uses)
      if (use.way === 'mention' && (use.who === 'member' || use.place === 'direct messages')) await check(use, 0);
    const everyUse = fc.shuffledSubarray([...uses], { minLength: uses.length });
    const choices = fc.array(fc.nat(), { minLength: uses.length, maxLength: uses.length });
    await fc.assert(
      fc.asyncProperty(everyUse, choices, async (order, numbers) => {
        for (const [index, use] of order.entries()) await check(use, numbers[index] ?? 0);
      }),
      { numRuns: 1, endOnFailure: true },
    );
    // Words are repeated where they may be, so the checks are not empty.
    expect(repeatedCount).toBeGreaterThan(uses.length);
  },
);
