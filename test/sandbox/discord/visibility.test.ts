import { describe, expect, it } from 'vitest';
import type { StreamEvent } from '../../../sandbox/discord/stream.ts';
import { handleInteractions, startClient, startFixture } from './fixture.ts';

const HOUR_MS = 60 * 60 * 1_000;

async function startDiscord() {
  const { discord } = await startFixture();
  const events: StreamEvent[] = [];
  discord.listen((happening) => events.push(happening));
  const client = await startClient(discord);
  await client.application.commands.set([
    { name: 'models', description: 'What there is' },
    { name: 'adults', description: 'Only here', nsfw: true },
    { name: 'rule', description: 'For managers', defaultMemberPermissions: '32' },
    { name: 'anywhere', description: 'Everywhere', integrationTypes: [0, 1], contexts: [0, 1, 2] },
    { name: 'Keep', type: 3 },
  ]);
  const problems = handleInteractions(client, async (interaction) => {
    if (interaction.isChatInputCommand()) await interaction.reply({ content: 'hello', flags: 64 });
  });
  const commandNames = (userName: string, channel: string) =>
    discord
      .clientView(userName)
      .availableCommands(discord.world.channel(channel))
      .map(({ name }) => name);
  return { discord, client, events, problems, commandNames };
}

describe('The view of a user', () => {
  it('Each user sees only their own channels and commands', async () => {
    const { discord, commandNames } = await startDiscord();
    const channelNames = (userName: string) => discord.clientView(userName).channels.map(({ name }) => name);
    expect(channelNames('member')).toEqual([
      ...['studio', 'age-restricted', 'read-only', 'thread', 'voice-room'],
      ...['no-threads', 'no-private-threads', 'no-voice-messages', 'hall', 'dm'],
    ]);
    expect(channelNames('admin')).toContain('admin-room');
    expect(channelNames('installer')).toEqual(['lobby', 'dm', 'friends']);
    expect(commandNames('member', 'studio')).toEqual(['models', 'anywhere', 'Keep']);
    expect(commandNames('member', 'age-restricted')).toContain('adults');
    expect(commandNames('admin', 'studio')).toContain('rule');
    expect(commandNames('installer', 'lobby')).toEqual(['anywhere']);
    expect(commandNames('other', 'lobby')).toEqual([]);
    expect(commandNames('installer', 'friends')).toEqual(['anywhere']);
    const { canSend: maySend } = discord.clientView('member');
    const permissions = ['studio', 'read-only', 'thread'].map((name) => maySend(discord.world.channel(name)));
    expect(permissions).toEqual([true, false, true]);
    expect(() => discord.clientView('member').messages(discord.world.channel('admin-room').id, 10)).toThrow(
      /cannot see that channel/,
    );
  });

  it('A user does not see ephemeral messages for other users', async () => {
    const { discord } = await startDiscord();
    const studio = discord.world.channel('studio').id;
    await discord.as('member').say('one');
    await (await discord.as('member').slash('models')).message();
    const visibleMessages = (userName: string, max = 10) =>
      discord
        .clientView(userName)
        .messages(studio, max)
        .map(({ content, ephemeral }) => [content, ephemeral]);
    expect(visibleMessages('member')).toEqual([
      ['one', false],
      ['hello', true],
    ]);
    expect(visibleMessages('other')).toEqual([['one', false]]);
    expect(visibleMessages('member', 1)).toEqual([['hello', true]]);
  });

  it('A reply to an ephemeral message quotes it only for the user who sees that message', async () => {
    const { discord } = await startDiscord();
    const exchange = await discord.as('member').slash('models');
    const privateMessage = await exchange.message();
    const route = `${discord.apiUrl}/v10/webhooks/${discord.applicationId}/${exchange.token}`;
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"content":"for everyone"}',
    };
    expect((await fetch(route, init)).status).toBe(200);
    const [followUp] = exchange.followUps();
    expect(followUp).toMatchObject({ ephemeral: false, referenced_message: { content: 'hello' } });
    const seenBy = (userName: string) => discord.clientView(userName).message(followUp?.id ?? '');
    expect(seenBy('member')).toEqual(followUp);
    expect(seenBy('other')).toMatchObject({
      content: 'for everyone',
      message_reference: { message_id: privateMessage.id },
    });
    expect(JSON.stringify(seenBy('other'))).not.toContain('hello');
    expect(discord.clientView('other').message(privateMessage.id)).toBeUndefined();
    const controlUrl = `${discord.url}/_sandbox/messages/studio?as=other`;
    const response = await fetch(controlUrl, { headers: { authorization: `Bearer ${discord.token}` } });
    expect(await response.json()).toEqual([seenBy('other')]);
  });

  it('Listeners receive sessions, new commands, typing, and requests with their responses and violations', async () => {
    const { discord, client, events } = await startDiscord();
    const kinds = () => new Set(events.map(({ kind }) => kind));
    expect([...kinds()]).toEqual(expect.arrayContaining(['session', 'world', 'heard']));
    const studio = discord.world.channel('studio').id;
    await client.rest.post(`/channels/${studio}/typing`);
    expect(events.find(({ kind }) => kind === 'typing')?.what).toEqual({ channel: studio });
    await expect(
      client.rest.post(`/channels/${studio}/messages`, { body: { content: 'x'.repeat(2_001) } }),
    ).rejects.toThrow();
    const lastRequest = discord.requests.at(-1);
    expect(lastRequest).toMatchObject({
      status: 400,
      violations: [{ code: expect.any(String) }],
      ms: expect.any(Number),
    });
    expect(JSON.parse(lastRequest?.responseText ?? '')).toMatchObject({ code: 50035 });
    expect(new Set(discord.requests.map(({ id }) => id)).size).toBe(discord.requests.length);
  });
});

describe('Aging by an hour', () => {
  it('Aging makes messages older and expires interaction tokens, without an edit event for the bot', async () => {
    const { discord, events } = await startDiscord();
    const originalMessage = await discord.as('member').say('one');
    const exchange = await discord.as('member').slash('models');
    await exchange.message();
    events.length = 0;
    discord.age(HOUR_MS);
    const [agedMessage] = discord.messages('studio');
    expect(Date.parse(originalMessage.timestamp) - Date.parse(agedMessage?.timestamp ?? '')).toBe(HOUR_MS);
    expect(agedMessage?.edited).toBe(false);
    expect(events.map(({ kind }) => kind)).toEqual(['message', 'message']);
    const response = await fetch(
      `${discord.apiUrl}/v10/webhooks/${discord.applicationId}/${exchange.token}/messages/@original`,
      { method: 'PATCH', headers: { 'content-type': 'application/json' }, body: '{"content":"late"}' },
    );
    expect([response.status, await response.json()]).toEqual([401, { code: 50027, message: 'Invalid Webhook Token' }]);
  });
});

describe('A channel', () => {
  it('Messages can be paged forwards and backwards from a message, and backwards from the newest one', async () => {
    const { discord, client } = await startDiscord();
    const member = discord.as('member');
    const ids: string[] = [];
    for (const content of ['1', '2', '3', '4', '5']) ids.push((await member.say(content)).id);
    const page = async (query: string) =>
      ((await client.rest.get(`/channels/${member.channel.id}/messages?${query}`)) as { id: string }[]).map(
        ({ id }) => ids.indexOf(id) + 1,
      );
    // The bot does not have Read Message History by default.
    for (const role of discord.world.guild('atelier').roles) role.permissions |= 1n << 16n;
    expect(await page('limit=2')).toEqual([5, 4]);
    expect(await page(`limit=2&after=${ids[0]}`)).toEqual([3, 2]);
    expect(await page(`limit=2&before=${ids[3]}`)).toEqual([3, 2]);
    expect(await page(`after=${ids[4]}`)).toEqual([]);
  });

  it('Deleting a channel also deletes the webhooks of its interactions', async () => {
    const { discord } = await startDiscord();
    const exchange = await discord.as('member').slash('models');
    await exchange.message();
    discord.world.channels.delete(discord.world.channel('studio').id);
    const response = await fetch(`${discord.apiUrl}/v10/webhooks/${discord.applicationId}/${exchange.token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"content":"more"}',
    });
    expect([response.status, await response.json()]).toEqual([404, { code: 10015, message: 'Unknown Webhook' }]);
  });
});
