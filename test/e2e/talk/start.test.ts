import { ChannelType } from 'discord.js';
import { expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { START_CHECK } from '../bot.ts';
import { describeProfiles } from '../profiles.ts';
import { messagesWith } from '../quick.ts';
import { publicMessages } from '../tasks/pages.ts';
import { isOpening, startTalkBot, TALK_MODEL, threadOf, upgradeCount } from './fixture.ts';

describeProfiles('The start of a live conversation', (profile) => {
  it('A live conversation for one member gets a private thread, and only its owner is notified', async () => {
    const fixture = await startTalkBot({ gateway: { profile } });
    const { discord } = fixture;
    const exchange = await discord.as('member').slash('talk start', { voice: 'marin', instructions: 'be brief' });
    const reply = await exchange.message();
    expect(reply.ephemeral).toBe(true);
    const thread = discord.world.channel(await threadOf(exchange));
    expect(thread).toMatchObject({ type: ChannelType.PrivateThread, name: `Live: ${TALK_MODEL}` });
    const [opening] = discord.messages(thread.id).filter(isOpening);
    expect(opening && text(opening)).toMatch(
      /parley-realtime · Voice: marin[\s\S]*be brief[\s\S]*listens only to <@\d+>\./,
    );
    expect(() => discord.as('other').in(thread.id)).toThrow();
    discord.as('member').in(thread.id);
  });

  it('A live conversation for everyone gets a public thread, and everyone is notified', async () => {
    const fixture = await startTalkBot({ gateway: { profile } });
    const { discord } = fixture;
    const exchange = await discord.as('member').slash('talk start', { who: 'everyone' });
    expect((await exchange.message()).ephemeral).toBe(false);
    const thread = discord.world.channel(await threadOf(exchange));
    expect(thread.type).toBe(ChannelType.PublicThread);
    expect(messagesWith(discord, thread.id, 'The model listens to everyone here.')).toHaveLength(1);
  });
});

it('If the bot is not allowed to create private threads, the bot listens only to the owner in a public thread and says so', async () => {
  const { discord } = await startTalkBot();
  const exchange = await discord.as('member').in('no-private-threads').slash('talk start', {});
  expect(text(await exchange.message())).toContain('Others can read it there');
  const thread = discord.world.channel(await threadOf(exchange));
  expect(thread.type).toBe(ChannelType.PublicThread);
});

it('A live conversation that is started in a thread takes place there, and a thread has one live conversation at a time', async () => {
  const fixture = await startTalkBot();
  const { discord, gateway } = fixture;
  const speaker = discord.as('member').in('thread');
  expect(text(await (await speaker.slash('talk start', {})).message())).toContain('starts below');
  expect(discord.messages('thread').filter(isOpening)).toHaveLength(1);
  const upgradesBefore = upgradeCount(gateway);
  const second = await (await discord.as('other').in('thread').slash('talk start', { who: 'everyone' })).message();
  expect(text(second)).toContain('already has a live conversation');
  expect(upgradeCount(gateway)).toBe(upgradesBefore);
});

it('Of two live conversations that start at the same time in one thread, one starts and the other leaves no trace', async () => {
  const fixture = await startTalkBot();
  const { discord } = fixture;
  const replies = await Promise.all(
    ['member', 'other'].map(async (who) => (await discord.as(who).in('thread').slash('talk start', {})).message()),
  );
  expect(replies.map(text).sort()).toEqual([expect.stringContaining('already'), expect.stringContaining('below')]);
  await (await discord.as('member').in('thread').slash('talk end', {})).message();
  await discord.until(() => messagesWith(discord, 'thread', 'This conversation has ended.')[0]);
  expect(publicMessages(fixture, 'thread')).toHaveLength(1);
});

it.each([
  ['a channel without the permission to create threads', 'no-threads', 'Create Public Threads'],
  ['the chat of a voice channel', 'voice-room', 'this channel cannot have one'],
  ['a channel where the bot is not allowed to write', 'read-only', 'Send Messages in Threads'],
])('A live conversation in %s is refused without a request to the gateway', async (_name, channel, expectedText) => {
  const { discord, gateway } = await startTalkBot();
  const reply = await (await discord.as('member').in(channel).slash('talk start', { who: 'everyone' })).message();
  expect(text(reply)).toContain(expectedText);
  expect(reply.ephemeral).toBe(true);
  expect(gateway.requests.map(({ path }) => path)).toEqual([START_CHECK]);
});

it('/talk is not offered in direct messages', async () => {
  const { discord } = await startTalkBot();
  await expect(discord.as('member').in('dm').slash('talk start', {})).rejects.toThrow();
});

it('A live conversation whose thread cannot be created ends with a notice', async () => {
  const { discord, logged } = await startTalkBot();
  discord.faults.add({ on: { method: 'POST', route: /threads$/ }, do: { type: 'status', status: 400, code: 160006 } });
  const reply = await (await discord.as('member').slash('talk start', { who: 'everyone' })).message();
  expect(text(reply)).toContain('reached Discord’s limit on active threads');
  const list = await (await discord.as('member').slash('tasks', { kind: 'talk', state: 'working' })).message();
  expect(text(list)).toContain('No tasks found');
  expect(logged()).not.toContain('Something unexpected');
});

it('A model that does not support live sessions is refused, and other models are suggested', async () => {
  const { discord } = await startTalkBot();
  const reply = await (await discord.as('member').slash('talk start', { model: 'quill-5' })).message();
  expect(text(reply)).toMatch(
    /`quill-5` does not support live conversations\. Choose another with the option `model`, such as .*`parley-realtime`/,
  );
  expect(text(await (await discord.as('member').slash('tasks', {})).message())).toContain('No tasks found');
});

it('A voice that the model does not have is refused with the message from the gateway', async () => {
  const { discord } = await startTalkBot();
  const reply = await (await discord.as('member').slash('talk start', { voice: 'unknown' })).message();
  expect(text(reply)).toContain("The gateway refused this: Invalid value: 'unknown'");
});

it('Suggestions for a live conversation list the realtime models that match, or else all others, and voices by name', async () => {
  const { discord } = await startTalkBot();
  const suggestionsFor = async (option: string, input: string) =>
    (await discord.as('member').complete('talk start', { [option]: input }, option)).map(({ value }) => value);
  expect(await suggestionsFor('voice', 'AR')).toEqual(['cedar', 'marin']);
  expect((await suggestionsFor('voice', '')).length).toBe(10);
  expect(await suggestionsFor('model', 'mini')).toEqual(['parley-realtime-mini-2026-01-20']);
  expect(await suggestionsFor('model', 'quill-5-m')).toEqual(['quill-5-mini']);
});

it('/talk start is refused with an explanation in a server that the bot does not serve, and nothing is submitted', async () => {
  const { discord, gateway } = await startTalkBot({ settings: { DISCORD_GUILD_IDS: '900000000000000001' } });
  const reply = await (await discord.as('member').slash('talk start', {})).message();
  expect(text(reply)).toContain('does not accept requests on this server');
  expect(gateway.requests.map(({ path }) => path)).toEqual([START_CHECK]);
});
