import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { type FastClockFixture, messagesWith, startFastClockBot } from '../quick.ts';
import { hasEnded, latestAnswer, modelRequests, models } from './fixture.ts';

const askInThread = async ({ discord }: FastClockFixture, prompt: string) =>
  (await discord.as('member').in('thread').slash('ask', { prompt })).message(hasEnded);

const startFixture = (settings: Record<string, string> = {}) =>
  startFastClockBot({
    settings: { ...models, DISCORD_MESSAGE_CONTENT: 'on', ...settings },
    discord: { privilegedIntents: ['message-content'] },
    gateway: { speed: 20 },
  });

describe('Plain messages in a thread', () => {
  it('A plain message from a member who has asked in the thread continues the conversation', async () => {
    const fixture = await startFixture();
    const { discord, gateway } = fixture;
    await askInThread(fixture, 'snow?');
    const question = await discord.as('member').in('thread').say('and ice?');
    const answer = await discord.until(() =>
      discord
        .messages('thread')
        .find((message) => message.message_reference?.message_id === question.id && hasEnded(message)),
    );
    expect(text(answer)).toContain(latestAnswer(gateway));
    expect(modelRequests(gateway)).toHaveLength(2);
    expect(modelRequests(gateway).at(-1)?.input).toHaveLength(3);
    expect(fixture.logged()).not.toContain('and ice?');
  });

  it('The answer to a plain message says how many of its files were not used', { tags: ['breadth'] }, async () => {
    const fixture = await startFixture();
    const { discord, gateway } = fixture;
    await askInThread(fixture, 'snow?');
    const files = ['a.txt', 'b.txt', 'c.txt'].map((name) => ({
      name,
      bytes: Buffer.from(name),
      contentType: 'text/plain',
    }));
    await discord.as('member').in('thread').say('and these?', files);
    await discord.until(() => messagesWith(discord, 'thread', '2 files were not sent')[0]);
    expect(JSON.stringify(modelRequests(gateway).at(-1))).not.toMatch(/b\.txt|c\.txt/);
  });

  it('A long answer to a plain message continues in further messages from the bot', { tags: ['breadth'] }, async () => {
    const fixture = await startFixture();
    const { discord, gateway } = fixture;
    await askInThread(fixture, 'snow?');
    await discord.as('member').in('thread').say('tell me more, 900 words');
    await discord.until(() => messagesWith(discord, 'thread', 'Continues below')[0]);
    await discord.until(() => messagesWith(discord, 'thread', latestAnswer(gateway).slice(-60))[0]);
  });

  it('Plain messages from other members, or outside threads, are ignored', async () => {
    const fixture = await startFixture();
    const { discord, gateway } = fixture;
    await askInThread(fixture, 'snow?');
    await (await discord.as('member').slash('ask', { prompt: 'ice?' })).message(hasEnded);
    await discord.as('other').in('thread').say('and what of me?');
    await discord.as('member').say('this is for people');
    await discord.as('member').in('thread').say('and this?');
    await discord.until(() => (modelRequests(gateway).length >= 3 ? true : undefined));
    expect(JSON.stringify(modelRequests(gateway))).not.toMatch(/what of me|for people/);
  });
});

it('Plain messages are also answered in a server that the bot joined after it started', {
  tags: ['breadth'],
}, async () => {
  const fixture = await startFixture();
  const { discord, gateway } = fixture;
  const { world } = discord;
  const homeGuild = world.guild('atelier');
  const id = String(BigInt(homeGuild.id) + 1n);
  const roles = homeGuild.roles.map((role) => (role.id === homeGuild.id ? { ...role, id } : role));
  const channels = ['studio', 'thread'].map((name) => ({
    ...world.channel(name, homeGuild),
    id: String(BigInt(world.channel(name, homeGuild).id) + 1n),
    guildId: id,
    overwrites: [],
    ...(name === 'thread' && { parentId: String(BigInt(world.channel('studio', homeGuild).id) + 1n) }),
  }));
  world.addGuild({ ...homeGuild, id, name: 'newcomer', roles, channels });
  const member = discord.as('member').in('newcomer/thread');
  await (await member.slash('ask', { prompt: 'snow?' })).message(hasEnded);
  await member.say('and ice?');
  await discord.until(() => discord.messages('newcomer/thread').filter(hasEnded)[1]);
  expect(modelRequests(gateway)).toHaveLength(2);
});

it('Without DISCORD_MESSAGE_CONTENT, the bot reads no plain messages', async () => {
  const fixture = await startFastClockBot({ settings: models, gateway: { speed: 20 } });
  const { discord, gateway } = fixture;
  await askInThread(fixture, 'snow?');
  await discord.as('member').in('thread').say('and ice?');
  await (await discord.as('member').slash('help')).message();
  expect(modelRequests(gateway)).toHaveLength(1);
});
