import { DiscordAPIError, GatewayIntentBits, PermissionFlagsBits as Permission, REST, Routes } from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { DiscordOptions } from '../../../sandbox/discord/discord.ts';
import { handleInteractions, startClient, startFixture } from './fixture.ts';

const PUBLIC_THREAD = 11;
const PRIVATE_THREAD = 12;
const codeOf = (problem: unknown) => (problem instanceof DiscordAPIError ? problem.code : problem);

interface CreatedThread {
  readonly id: string;
  readonly type: number;
  readonly parent_id: string;
  readonly member?: { readonly user_id: string };
}

async function startDiscord(options: DiscordOptions = {}) {
  const { discord, clock } = await startFixture(options);
  const rest = new REST({ api: discord.apiUrl }).setToken(discord.token);
  const id = (name: string) => discord.world.channel(name).id;
  const start = (channel: string, body: object) =>
    rest.post(Routes.threads(id(channel)), { body }) as Promise<CreatedThread>;
  const send = (thread: string, content = 'hello') =>
    rest.post(Routes.channelMessages(thread), { body: { content } }) as Promise<{ id: string }>;
  const edit = (thread: string, body: object) => rest.patch(Routes.channel(thread), { body }) as Promise<object>;
  const sees = (userName: string, thread: string) => discord.clientView(userName).canSee(thread);
  return { discord, clock, rest, id, start, send, edit, sees, user: (name: string) => discord.world.user(name).id };
}

describe('A thread that the bot starts', () => {
  it('A public thread is visible to all, announced in its channel and dispatched with the bot as a member', async () => {
    const { discord, start, send, sees, id } = await startDiscord();
    const client = await startClient(discord, [GatewayIntentBits.Guilds]);
    const createdThread = await start('studio', { name: 'Talk', type: PUBLIC_THREAD, auto_archive_duration: 60 });
    expect(createdThread).toMatchObject({
      type: PUBLIC_THREAD,
      parent_id: id('studio'),
      owner_id: discord.applicationId,
      member: { user_id: discord.applicationId },
      thread_metadata: { archived: false, locked: false, auto_archive_duration: 60 },
    });
    expect(['member', 'other'].map((userName) => sees(userName, createdThread.id))).toEqual([true, true]);
    expect(discord.messages('studio')).toMatchObject([
      { type: 18, content: 'Talk', message_reference: { channel_id: createdThread.id } },
    ]);
    await send(createdThread.id);
    await expect.poll(() => client.channels.cache.get(createdThread.id)?.isThread()).toBe(true);
    expect(discord.messages('Talk')).toHaveLength(1);
    expect(discord.violations).toEqual([]);
  });

  it('A private thread is visible only to its members and to users with Manage Threads, and is not announced', async () => {
    const { discord, rest, start, sees, user } = await startDiscord();
    const createdThread = await start('studio', { name: 'Between us', type: PRIVATE_THREAD, invitable: false });
    expect(createdThread).toMatchObject({ thread_metadata: { invitable: false } });
    const { id } = createdThread;
    const userNames = ['member', 'other', 'owner', 'admin'];
    expect(userNames.map((userName) => sees(userName, id))).toEqual([false, false, true, false]);
    await rest.put(Routes.threadMembers(id, user('member')));
    expect(userNames.map((userName) => sees(userName, id))).toEqual([true, false, true, false]);
    expect(discord.messages('studio')).toEqual([]);
    expect((await discord.as('member').in(id).say('here')).channel_id).toBe(id);
    expect(() => discord.as('other').in(id)).toThrow(/cannot see/);
    expect(await rest.get(Routes.threadMembers(id, user('member')))).toMatchObject({ user_id: user('member') });
    await rest.delete(Routes.threadMembers(id, user('member')));
    expect(sees('member', id)).toBe(false);
    expect(await rest.get(Routes.threadMembers(id, user('member'))).catch(codeOf)).toBe(10007);
    expect(discord.violations).toEqual([]);
  });

  it('A thread without a type is private, as in Discord', async () => {
    const { start } = await startDiscord();
    expect((await start('studio', { name: 'x' })).type).toBe(PRIVATE_THREAD);
  });

  it('A thread on a message has the id of that message and starts with the message, and a message can have only one thread', async () => {
    const { discord, rest, id } = await startDiscord();
    const postedMessage = await discord.as('member').say('a story');
    const startOnMessage = () =>
      rest.post(Routes.threads(id('studio'), postedMessage.id), { body: { name: 'story' } }) as Promise<CreatedThread>;
    expect((await startOnMessage()).id).toBe(postedMessage.id);
    expect(discord.messages('studio')).toMatchObject([{ flags: 32, thread: { id: postedMessage.id, name: 'story' } }]);
    expect(discord.messages('story')).toMatchObject([{ type: 21, referenced_message: { content: 'a story' } }]);
    expect(await startOnMessage().catch(codeOf)).toBe(160004);
    expect(discord.violations).toEqual([]);
  });
});

describe('Refused threads', () => {
  it.each([
    ['no-threads', PUBLIC_THREAD, 50013],
    ['no-threads', PRIVATE_THREAD, 50013],
    ['no-private-threads', PRIVATE_THREAD, 50013],
    ['admin-room', PUBLIC_THREAD, 50001],
    ['voice-room', PUBLIC_THREAD, 50024],
    ['voice-room', PRIVATE_THREAD, 50024],
    ['thread', PUBLIC_THREAD, 50024],
    ['dm', PUBLIC_THREAD, 50003],
    ['lobby', PUBLIC_THREAD, 50001],
  ])('A thread in %s of type %i is refused with the error code %i', async (channel, type, code) => {
    const { discord, start } = await startDiscord();
    expect(await start(channel, { name: 'x', type }).catch(codeOf)).toBe(code);
    expect(discord.violations).toEqual([]);
  });

  it('A thread is refused in a forum, and in a news channel if its type is not allowed there', async () => {
    const { discord, start } = await startDiscord();
    const addChannel = (name: string, type: number) =>
      discord.world.addChannel({
        ...discord.world.channel('studio'),
        id: `2${name.length}${'0'.repeat(16)}`,
        name,
        type,
      });
    addChannel('news', 5);
    addChannel('forum', 15);
    expect(await start('forum', { name: 'x', type: PUBLIC_THREAD }).catch(codeOf)).toBe(50024);
    expect(await start('news', { name: 'x', type: PRIVATE_THREAD }).catch(codeOf)).toBe(50024);
    expect((await start('news', { name: 'x', type: 10 })).type).toBe(10);
    expect(discord.messages('news')).toMatchObject([{ type: 18, content: 'x' }]);
    expect(discord.violations).toEqual([]);
  });

  it.each(['[]', '"x"', '5', 'null', '{}'])('A thread is refused for the invalid body %s', async (body) => {
    const { discord, id } = await startDiscord();
    const channelCount = discord.world.channels.size;
    const postedMessage = await discord.as('member').say('x');
    for (const route of [Routes.threads(id('studio')), Routes.threads(id('studio'), postedMessage.id)]) {
      const headers = { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' };
      const response = await fetch(`${discord.apiUrl}/v10${route}`, { method: 'POST', headers, body });
      expect([response.status, await response.json()]).toMatchObject([400, { code: 50035 }]);
    }
    expect(discord.world.channels.size).toBe(channelCount);
  });

  it('A thread is refused if there are too many active threads or a fault is injected', async () => {
    const { discord, start } = await startDiscord({ limits: { activeThreads: 2 } });
    await start('no-private-threads', { name: 'the second', type: PUBLIC_THREAD });
    expect(await start('studio', { name: 'the third', type: PUBLIC_THREAD }).catch(codeOf)).toBe(160006);
    expect((await start('hall', { name: 'elsewhere', type: PUBLIC_THREAD })).type).toBe(PUBLIC_THREAD);
    discord.faults.add({
      on: { method: 'POST', route: '/channels/:channel/threads' },
      do: { type: 'status', status: 400, code: 160006 },
    });
    expect(await start('hall', { name: 'x', type: PUBLIC_THREAD }).catch(codeOf)).toBe(160006);
  });

  it.each([
    [{ name: '', type: PUBLIC_THREAD }, 'name'],
    [{ name: 'x'.repeat(101), type: PUBLIC_THREAD }, 'name'],
    [{ name: 'x', type: 0 }, 'type'],
    [{ name: 'x', type: PUBLIC_THREAD, auto_archive_duration: 61 }, 'auto_archive_duration'],
    [{ title: 'x', name: 'x', type: PUBLIC_THREAD }, 'title'],
  ])('A thread is refused for the invalid fields %j', async (body, path) => {
    const { discord, start } = await startDiscord();
    expect(await start('studio', body).catch(codeOf)).toBe(50035);
    expect(discord.violations).toMatchObject([{ path }]);
  });
});

describe('A thread', () => {
  it('An archived thread is reopened by a message; until then, edits and commands in it are refused', async () => {
    const { discord, rest, id, send, edit } = await startDiscord();
    const client = await startClient(discord);
    await client.application.commands.set([{ name: 'models', description: 'What there is' }]);
    handleInteractions(client, async (interaction) => {
      if (interaction.isChatInputCommand()) await interaction.reply('yes');
    });
    const thread = id('thread');
    const message = await send(thread);
    discord.as('member').in('thread').archive();
    expect(await rest.get(Routes.channel(thread))).toMatchObject({ thread_metadata: { archived: true } });
    const editMessage = () => rest.patch(Routes.channelMessage(thread, message.id), { body: { content: 'again' } });
    expect(await editMessage().catch(codeOf)).toBe(50083);
    expect(await rest.put(Routes.threadMembers(thread, '@me')).catch(codeOf)).toBe(50083);
    await expect(discord.as('member').in('thread').slash('models')).rejects.toThrow(/archived/);
    await send(thread);
    expect(await rest.get(Routes.channel(thread))).toMatchObject({ thread_metadata: { archived: false } });
    await editMessage();
    expect((await (await discord.as('member').in('thread').slash('models')).message()).content).toBe('yes');
    // The thread belongs to another user.
    expect(await edit(thread, { archived: true }).catch(codeOf)).toBe(50013);
    expect(discord.violations).toEqual([]);
  });

  it('Only users with Manage Threads can write in a locked thread', async () => {
    const { discord, id, send, rest } = await startDiscord();
    const message = await send(id('thread'));
    discord.as('owner').in('thread').archive({ locked: true });
    expect(await send(id('thread')).catch(codeOf)).toBe(50083);
    await expect(discord.as('member').in('thread').say('x')).rejects.toThrow(/cannot send messages/);
    await discord.as('owner').in('thread').say('open for a moment');
    expect(await send(id('thread')).catch(codeOf)).toBe(160005);
    const edit = rest.patch(Routes.channelMessage(id('thread'), message.id), { body: { content: 'x' } });
    expect(await edit.catch(codeOf)).toBe(160005);
  });

  it('The bot can rename and archive its own thread, but not lock or delete it without the permission', async () => {
    const { discord, rest, start, edit, sees, send } = await startDiscord();
    const { id } = await start('studio', { name: 'one', type: PUBLIC_THREAD });
    expect(await edit(id, { name: 'two', archived: true })).toMatchObject({ name: 'two' });
    expect(await edit(id, { name: 'three' }).catch(codeOf)).toBe(50083);
    await edit(id, { archived: false });
    expect(await edit(id, { name: '' }).catch(codeOf)).toBe(50035);
    expect(await edit(id, { locked: true }).catch(codeOf)).toBe(50013);
    expect(await rest.delete(Routes.channel(id)).catch(codeOf)).toBe(50013);
    await send(id);
    for (const role of discord.world.guild('atelier').roles) role.permissions |= Permission.ManageThreads;
    expect(await edit(id, { locked: true })).toMatchObject({ thread_metadata: { locked: true } });
    await rest.delete(Routes.channel(id));
    expect(sees('member', id)).toBe(false);
    expect(await send(id).catch(codeOf)).toBe(10003);
  });

  it('Authors and mentioned users become members of a thread, unless they cannot see its channel', async () => {
    const { discord, rest, start, user } = await startDiscord();
    const { id } = await start('studio', { name: 'one', type: PUBLIC_THREAD });
    const isThreadMember = (userName: string) => discord.world.channel(id).thread?.members.has(user(userName));
    expect(isThreadMember('other')).toBe(false);
    await discord
      .as('other')
      .in(id)
      .say(`<@${user('admin')}> look`);
    expect([isThreadMember('other'), isThreadMember('admin'), isThreadMember('member')]).toEqual([true, true, false]);
    expect(await rest.put(Routes.threadMembers(id, user('installer'))).catch(codeOf)).toBe(10007);
    expect(await rest.put(Routes.threadMembers(id, '12345678901234567')).catch(codeOf)).toBe(10013);
    discord.restrict('studio', Permission.SendMessagesInThreads);
    expect(await rest.put(Routes.threadMembers(id, user('member'))).catch(codeOf)).toBe(50013);
  });

  it('The bot cannot add users who cannot see the channel, or remove members from another user’s thread', async () => {
    const { discord, rest, start, user, id } = await startDiscord();
    const { id: ownThread } = await start('studio', { name: 'one', type: PUBLIC_THREAD });
    const overwrite = { id: user('other'), kind: 'member', allow: 0n, deny: Permission.ViewChannel } as const;
    discord.world.channel('studio').overwrites.push(overwrite);
    expect(await rest.put(Routes.threadMembers(ownThread, user('other'))).catch(codeOf)).toBe(50001);
    expect(await rest.delete(Routes.threadMembers(id('thread'), user('member'))).catch(codeOf)).toBe(50013);
    await rest.put(Routes.threadMembers(id('thread'), '@me'));
    await rest.delete(Routes.threadMembers(id('thread'), '@me'));
    expect(discord.world.channel('thread').thread?.members.size).toBe(1);
  });

  it('Listing the members of a thread requires the members intent', async () => {
    const listMembers = async (options: DiscordOptions) => {
      const { rest, id } = await startDiscord(options);
      return rest.get(Routes.threadMembers(id('thread'))).catch(codeOf);
    };
    expect(await listMembers({})).toBe(50001);
    expect(await listMembers({ privilegedIntents: ['members'] })).toHaveLength(1);
  });

  it('The bot cannot rename its own thread while it is locked', async () => {
    const { discord, start, edit } = await startDiscord();
    const { id } = await start('studio', { name: 'one', type: PUBLIC_THREAD });
    discord.as('owner').in(id).archive({ locked: true });
    expect(await edit(id, { archived: false }).catch(codeOf)).toBe(160005);
    await discord.as('owner').in(id).say('open for a moment');
    expect(await edit(id, { name: 'two' }).catch(codeOf)).toBe(160005);
  });

  it('In an archived thread, responses cannot be edited but follow-ups are accepted', async () => {
    const { discord, start } = await startDiscord();
    const client = await startClient(discord);
    await client.application.commands.set([{ name: 'models', description: 'What there is' }]);
    const codes: unknown[] = [];
    const { id } = await start('studio', { name: 'one', type: PUBLIC_THREAD });
    handleInteractions(client, async (interaction) => {
      if (!interaction.isChatInputCommand()) return;
      await interaction.reply('yes');
      discord.as('owner').in(id).archive();
      codes.push(await interaction.editReply('no').catch(codeOf));
      await interaction.followUp('more');
    });
    const exchange = await discord.as('member').in(id).slash('models');
    await exchange.followUp();
    expect(codes).toEqual([50083]);
    expect(discord.messages(id).map(({ content }) => content)).toEqual(['yes', 'more']);
    expect(discord.world.channel(id).thread?.archived).toBe(false);
  });

  it('The bot receives a member’s private thread and its messages only once it has been added to it', async () => {
    const { discord, rest, send } = await startDiscord({ privilegedIntents: ['message-content'] });
    const intents = [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages, GatewayIntentBits.MessageContent];
    const client = await startClient(discord, intents);
    const received: string[] = [];
    const packets: string[] = [];
    client.on('messageCreate', ({ content }) => received.push(content));
    client.on('raw' as 'debug', (packet: unknown) => packets.push((packet as { t: string }).t));
    const member = discord.as('member');
    const { id } = member.startThread('Mine', { isPrivate: true });
    await member.in(id).say('alone');
    expect(await send(id).catch(codeOf)).toBe(50001);
    expect(await rest.get(Routes.channel(id)).catch(codeOf)).toBe(50001);
    member.in(id).addToThread('atelier-bot');
    await member.in(id).say('together');
    await expect.poll(() => received).toEqual(['together']);
    expect(packets).toEqual(['THREAD_CREATE', 'THREAD_MEMBERS_UPDATE', 'MESSAGE_CREATE']);
    expect(client.channels.cache.get(id)?.isThread()).toBe(true);
    await send(id);
    expect(discord.violations).toEqual([]);
  });

  it('A new session receives active visible threads', async () => {
    const { discord, start } = await startDiscord();
    const { id } = await start('studio', { name: 'open', type: PRIVATE_THREAD });
    discord.as('member').startThread('hidden', { isPrivate: true });
    discord.as('member').in('thread').archive();
    const client = await startClient(discord, [GatewayIntentBits.Guilds]);
    const threads = client.channels.cache.filter((channel) => channel.isThread());
    expect([...threads.keys()]).toEqual([id]);
    expect(threads.first()?.isThread() && threads.first()).toMatchObject({ joined: true });
  });

  it('Changes to a thread and its deletion are dispatched', async () => {
    const { discord, start, edit, rest } = await startDiscord();
    const client = await startClient(discord, [GatewayIntentBits.Guilds]);
    const received: string[] = [];
    client.on('threadCreate', ({ name }, isNew) => received.push(`${name} ${isNew}`));
    client.on('threadUpdate', (_, { name }) => received.push(name));
    client.on('threadDelete', ({ name }) => received.push(`${name} is gone`));
    for (const role of discord.world.guild('atelier').roles) role.permissions |= Permission.ManageThreads;
    const { id } = await start('studio', { name: 'one', type: PUBLIC_THREAD });
    await expect.poll(() => received).toEqual(['one true']);
    await edit(id, { name: 'two' });
    await rest.delete(Routes.channel(id));
    await expect.poll(() => received).toEqual(['one true', 'two', 'two is gone']);
  });

  it('An interaction in a thread contains the thread', async () => {
    const { discord, start, rest } = await startDiscord();
    const client = await startClient(discord);
    await client.application.commands.set([{ name: 'models', description: 'What there is' }]);
    const received: unknown[] = [];
    client.on('raw' as 'debug', (packet: unknown) => {
      const { t, d } = packet as { t: string; d: { channel: object; app_permissions: string } };
      if (t === 'INTERACTION_CREATE')
        received.push([d.channel, BigInt(d.app_permissions) & Permission.SendMessagesInThreads]);
    });
    handleInteractions(client, async (interaction) => {
      if (interaction.isChatInputCommand()) await interaction.reply('yes');
    });
    const { id, parent_id } = await start('studio', { name: 'one', type: PRIVATE_THREAD });
    discord.as('owner').in(id).addToThread('member');
    await (await discord.as('member').in(id).slash('models')).message();
    discord.restrict(id, Permission.SendMessagesInThreads);
    await (await discord.as('member').in(id).slash('models')).message();
    expect(await rest.get(Routes.channel(discord.world.channel('voice-room').id))).toMatchObject({ type: 2 });
    await (await discord.as('member').in('voice-room').slash('models')).message();
    expect(received).toMatchObject([
      [{ id, type: PRIVATE_THREAD, parent_id, thread_metadata: { archived: false } }, Permission.SendMessagesInThreads],
      [{ id }, 0n],
      [{ type: 2 }, Permission.SendMessagesInThreads],
    ]);
    expect(discord.violations).toEqual([]);
  });
});
