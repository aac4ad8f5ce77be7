import { expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { modelRequests } from '../asks/fixture.ts';
import { startBot } from '../bot.ts';
import { labels } from '../quick.ts';
import { replySaying, replyTo, startMentionBot, toBot } from './fixture.ts';

const isStreaming = (message: Parameters<typeof labels>[0]) => labels(message).includes('Stop');
const SLOW = 0.2;
const FAST = 50;

const startSlowAnswer = async () => {
  const fixture = await startMentionBot();
  const { discord, gateway } = fixture;
  const member = discord.as('member');
  gateway.setSpeed(SLOW);
  const question = await member.say(toBot(discord, 'tell me of the snow, 2000 words'));
  await replyTo(discord, 'studio', question, isStreaming);
  return { ...fixture, member, question };
};

it('A member has one answer in progress in a channel, and the next question continues from it', async () => {
  const { discord, gateway, member, question } = await startSlowAnswer();
  const next = await member.say(toBot(discord, 'and ice?'));
  await replySaying(discord, 'studio', next, 'Waiting for the previous answer');
  const elsewhere = await discord.as('other').say(toBot(discord, 'and rain?'));
  await replyTo(discord, 'studio', elsewhere, isStreaming);
  expect(modelRequests(gateway)).toHaveLength(2);
  gateway.setSpeed(FAST);
  await replyTo(discord, 'studio', question);
  await replyTo(discord, 'studio', next);
  expect(modelRequests(gateway).at(-1)?.input).toHaveLength(3);
});

it('The reply to a question that waited says when the question is submitted', { tags: ['breadth'] }, async () => {
  const { discord, gateway, member, question } = await startSlowAnswer();
  const next = await member.say(toBot(discord, 'and ice?'));
  await replySaying(discord, 'studio', next, 'Waiting for the previous answer');
  gateway.faults.add({ on: { path: '/v1/responses' }, do: 'hang' });
  gateway.setSpeed(FAST);
  // The silent request may have ended before all messages of the first answer are shown.
  await Promise.all([
    replySaying(discord, 'studio', next, 'Submitting to the gateway…'),
    replyTo(discord, 'studio', question),
  ]);
});

it('A member with too many waiting questions is told so in private', async () => {
  const { discord, member } = await startSlowAnswer();
  const questions = [];
  for (const word of ['ice', 'rain', 'hail', 'fog', 'dew'])
    questions.push(await member.say(toBot(discord, `and ${word}?`)));
  const reply = await replySaying(discord, 'studio', questions.at(-1) ?? { id: '' }, 'This question was not answered');
  const why = await (await member.click(reply, 'Show why')).message();
  expect([why.ephemeral, text(why)]).toEqual([true, expect.stringContaining('waiting in this channel')]);
});

it('An edit of a question that waits is followed, and one of a question that is being answered is only mentioned in its answer', {
  tags: ['breadth'],
}, async () => {
  const { discord, gateway, member, question } = await startSlowAnswer();
  const next = await member.say(toBot(discord, 'and ice?'));
  await replySaying(discord, 'studio', next, 'Waiting for the previous answer');
  await member.edit(question, toBot(discord, 'tell me of fire'));
  await replySaying(discord, 'studio', question, 'edited after its answer had started');
  await member.edit(next, toBot(discord, 'and hail?'));
  gateway.setSpeed(FAST);
  expect(text(await replyTo(discord, 'studio', question))).toContain('edited after its answer had started');
  await replyTo(discord, 'studio', next);
  expect(modelRequests(gateway)).toHaveLength(2);
  expect(JSON.stringify(modelRequests(gateway))).not.toMatch(/of fire|and ice/);
  expect(JSON.stringify(modelRequests(gateway))).toContain('and hail?');
});

it('An answer whose question is edited back to what was submitted says nothing of it', {
  tags: ['breadth'],
}, async () => {
  const { discord, gateway, member, question } = await startSlowAnswer();
  const isNoted = (message: Message): boolean => text(message).includes('edited after');
  await member.edit(question, toBot(discord, 'tell me of fire'));
  await replyTo(discord, 'studio', question, isNoted);
  await member.edit(question, question.content);
  await replyTo(discord, 'studio', question, (message) => !isNoted(message));
  gateway.setSpeed(FAST);
  expect(isNoted(await replyTo(discord, 'studio', question))).toBe(false);
});

it('The deletion of a question stops its answer, which says so', async () => {
  const { discord, gateway, member, question } = await startSlowAnswer();
  await member.remove(question);
  await replySaying(discord, 'studio', question, 'The question was deleted, so the answer was stopped.');
  expect(modelRequests(gateway)).toHaveLength(1);
});

it('A question that is deleted while it waits is not answered', { tags: ['breadth'] }, async () => {
  const { discord, gateway, member, question } = await startSlowAnswer();
  const next = await member.say(toBot(discord, 'and ice?'));
  await replySaying(discord, 'studio', next, 'Waiting for the previous answer');
  await member.remove(next);
  await replySaying(discord, 'studio', next, 'This question was deleted.');
  gateway.setSpeed(FAST);
  await replyTo(discord, 'studio', question);
  expect(modelRequests(gateway)).toHaveLength(1);
});

it('A bot that stops tells the authors of questions that wait', async () => {
  const { app, discord, member } = await startSlowAnswer();
  const next = await member.say(toBot(discord, 'and ice?'));
  await replySaying(discord, 'studio', next, 'Waiting for the previous answer');
  await app.stop();
  await replySaying(discord, 'studio', next, 'A restart interrupted this');
});

it('After a restart, the deletion of a question still ends its answer', async () => {
  const fixture = await startMentionBot();
  const { app, discord } = fixture;
  const member = discord.as('member');
  // Tools depend on the list of models, for which the bot waits only a second of the fast clock.
  await (await member.slash('models')).message();
  const question = await member.say(toBot(discord, 'make an image of a fox'));
  await replyTo(discord, 'studio', question, (message) => labels(message).includes('Approve'));
  await app.stop();
  await startBot(fixture);
  await member.remove(question);
  await replySaying(discord, 'studio', question, 'The question was deleted, so the answer was stopped.');
});
