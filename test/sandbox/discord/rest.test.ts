import { DiscordAPIError, GatewayIntentBits, MessageFlags, PermissionFlagsBits, REST, Routes } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { handleInteractions, startClient, startFixture } from './fixture.ts';

const modelsCommand = { name: 'models', description: 'What there is' };
const codeOf = (problem: unknown) => (problem instanceof DiscordAPIError ? problem.code : problem);

async function startDiscord() {
  const { discord, clock } = await startFixture();
  const rest = new REST({ api: discord.apiUrl }).setToken(discord.token);
  const channel = (name: string) => discord.world.channel(name).id;
  const send = (name: string, body: object, files: { name: string; data: Buffer }[] = []) =>
    rest.post(Routes.channelMessages(channel(name)), { body, files }) as Promise<{
      id: string;
      attachments: { id: string; filename: string }[];
    }>;
  return { discord, clock, rest, channel, send };
}

describe('Commands', () => {
  it('A bulk overwrite replaces all commands and keeps the ids of existing ones', async () => {
    const { discord, rest } = await startDiscord();
    const route = Routes.applicationCommands(discord.applicationId);
    const put = (body: object[]) => rest.put(route, { body }) as Promise<{ id: string; version: string }[]>;
    const first = await put([modelsCommand, { name: 'about', description: 'This' }]);
    const second = await put([modelsCommand, { name: 'about', description: 'That' }]);
    expect(second.map(({ id }) => id)).toEqual(first.map(({ id }) => id));
    expect(second.map(({ version }, index) => version === first[index]?.version)).toEqual([true, false]);
    await put([modelsCommand]);
    expect(discord.commands.global().map(({ name }) => name)).toEqual(['models']);
    expect(await rest.get(route)).toMatchObject([{ name: 'models', type: 1, contexts: null }]);
    expect(discord.violations).toEqual([]);
  });

  it('A guild command can be created, edited, read and deleted, but not in a guild without the application', async () => {
    const { discord, rest } = await startDiscord();
    const guild = discord.world.guild('atelier').id;
    const route = Routes.applicationGuildCommands(discord.applicationId, guild);
    const createdCommand = (await rest.post(route, { body: modelsCommand })) as { id: string; guild_id: string };
    expect(createdCommand.guild_id).toBe(guild);
    const commandRoute = Routes.applicationGuildCommand(discord.applicationId, guild, createdCommand.id);
    await rest.patch(commandRoute, { body: { description: 'More' } });
    expect(await rest.get(commandRoute)).toMatchObject({ id: createdCommand.id, description: 'More' });
    await rest.delete(commandRoute);
    expect(await rest.get(commandRoute).catch(codeOf)).toBe(10063);
    expect(discord.commands.guild('atelier')).toEqual([]);
    const uninvitedRoute = Routes.applicationGuildCommands(discord.applicationId, discord.world.guild('uninvited').id);
    expect(await rest.get(uninvitedRoute).catch(codeOf)).toBe(50001);
    expect(discord.violations).toEqual([]);
  });

  it('A list of commands has the texts of the requester’s locale, and all translations only on request', async () => {
    const { discord, rest } = await startDiscord();
    const route = Routes.applicationCommands(discord.applicationId);
    const body = [
      {
        ...modelsCommand,
        // What repeats the default is ignored.
        name_localizations: { fr: 'models', de: 'modelle' },
        description_localizations: { 'es-ES': 'Los que hay' },
        options: [{ type: 3, name: 'kind', description: 'Kind', description_localizations: { 'es-ES': 'Tipo' } }],
      },
    ];
    await rest.put(route, { body });
    const list = (locale?: string) => rest.get(route, { headers: locale ? { 'X-Discord-Locale': locale } : {} });
    const english = { name: 'models', description: 'What there is', options: [{ name: 'kind', description: 'Kind' }] };
    expect(await list()).toMatchObject([english]);
    expect(JSON.stringify(await list('fr'))).not.toContain('locali');
    expect(await list('de')).toMatchObject([{ ...english, name_localized: 'modelle' }]);
    // Discord's own fallback.
    expect(await list('es-419')).toMatchObject([
      { description_localized: 'Los que hay', options: [{ description: 'Kind', description_localized: 'Tipo' }] },
    ]);
    const query = new URLSearchParams({ with_localizations: 'true' });
    const [all] = (await rest.get(route, { query })) as object[];
    expect(all).toMatchObject({ ...body[0], name_localizations: { de: 'modelle' } });
    expect(JSON.stringify(all)).not.toContain('localized');
    expect(discord.violations).toEqual([]);
  });

  it('A translation that is longer than its text may be is rejected', async () => {
    const { discord, rest } = await startDiscord();
    const put = (body: object) =>
      rest.put(Routes.applicationCommands(discord.applicationId), { body: [body] }).catch(codeOf);
    const de = 'x'.repeat(101);
    expect(await put({ ...modelsCommand, description_localizations: { de } })).toBe(50035);
    expect(await put({ type: 3, name: 'Describe', name_localizations: { de: de.slice(0, 33) } })).toBe(50035);
    expect(discord.violations.map(({ path, code }) => [path, code])).toEqual([
      ['[0].description_localizations.de', 'BASE_TYPE_BAD_LENGTH'],
      ['[0].name_localizations.de', 'BASE_TYPE_BAD_LENGTH'],
    ]);
  });

  it('Invalid commands are rejected with the path of the invalid field, and recorded as violations', async () => {
    const { discord, rest } = await startDiscord();
    const rejectedRequest = rest.put(Routes.applicationCommands(discord.applicationId), {
      body: [{ ...modelsCommand, name: 'Not So' }],
    });
    expect(await rejectedRequest.catch(codeOf)).toBe(50035);
    expect(discord.violations).toMatchObject([{ route: '/applications/:application/commands' }]);
    expect(discord.commands.global()).toEqual([]);
  });

  it('Commands are offered only to permitted users', async () => {
    const { discord } = await startFixture();
    const client = await startClient(discord);
    await client.application.commands.set([
      { ...modelsCommand, defaultMemberPermissions: ['ManageGuild'] },
      { name: 'adult', description: 'x', nsfw: true },
    ]);
    handleInteractions(client, async (interaction) => {
      if (interaction.isChatInputCommand()) await interaction.reply('yes');
    });
    await expect(discord.as('member').slash('models')).rejects.toThrow(/cannot use/);
    expect((await (await discord.as('admin').slash('models')).message()).content).toBe('yes');
    await expect(discord.as('member').slash('adult')).rejects.toThrow(/age-restricted/);
    expect((await (await discord.as('member').in('age-restricted').slash('adult')).message()).content).toBe('yes');
  });
});

describe('Messages with the bot token', () => {
  it('The bot token can send, reply to, edit, read and delete messages', async () => {
    const { discord, rest, channel, send } = await startDiscord();
    const { id } = await send('studio', { content: 'one' });
    const reply = await send('studio', { content: 'two', message_reference: { message_id: id } });
    expect(reply).toMatchObject({ type: 19, referenced_message: { id, content: 'one' } });
    const messageRoute = Routes.channelMessage(channel('studio'), id);
    expect(await rest.patch(messageRoute, { body: { content: 'edited' } })).toMatchObject({ content: 'edited' });
    expect(await rest.get(messageRoute)).toMatchObject({ content: 'edited', author: { id: discord.applicationId } });
    expect(await rest.get(Routes.channelMessages(channel('studio')))).toMatchObject([
      { content: 'two' },
      { content: 'edited' },
    ]);
    await rest.delete(messageRoute);
    expect(await rest.get(messageRoute).catch(codeOf)).toBe(10008);
    const orphanReply = send('studio', { content: 'x', message_reference: { message_id: id } });
    expect(await orphanReply.catch(codeOf)).toBe(50035);
  });

  it('A reply with the bot token needs Read Message History', async () => {
    const { discord, send } = await startDiscord();
    const { id } = await send('studio', { content: 'one' });
    const deny = PermissionFlagsBits.ReadMessageHistory;
    const { world, applicationId } = discord;
    world.channel('studio').overwrites.push({ id: applicationId, kind: 'member', allow: 0n, deny });
    const reply = { content: 'two', message_reference: { message_id: id } };
    expect(await send('studio', reply).catch(codeOf)).toBe(160002);
    expect(await send('studio', { content: 'two' })).toMatchObject({ content: 'two' });
  });

  it('An edit keeps the files that it names and removes the others', async () => {
    const { rest, channel, send } = await startDiscord();
    const file = (name: string) => ({ name, data: Buffer.from(name) });
    const sentMessage = await send('studio', { content: 'x' }, [file('a.txt'), file('b.txt')]);
    const [a] = sentMessage.attachments;
    const edit = (body: object, files: { name: string; data: Buffer }[] = []) =>
      rest.patch(Routes.channelMessage(channel('studio'), sentMessage.id), { body, files }) as Promise<
        typeof sentMessage
      >;
    const names = (message: typeof sentMessage) => message.attachments.map(({ filename }) => filename);
    expect(names(await edit({ content: 'y' }))).toEqual(['a.txt', 'b.txt']);
    expect(names(await edit({ attachments: [{ id: a?.id }, { id: 0, filename: 'c.txt' }] }, [file('c.txt')]))).toEqual([
      'a.txt',
      'c.txt',
    ]);
    expect(names(await edit({ attachments: [] }))).toEqual([]);
  });

  it('A message with an enforced nonce is sent once', async () => {
    const { discord, send, clock } = await startDiscord();
    const body = { content: 'x', nonce: 'task-1', enforce_nonce: true };
    const [first, second] = [await send('studio', body), await send('studio', body)];
    expect(second.id).toBe(first.id);
    expect(discord.messages('studio')).toHaveLength(1);
    clock.advance(6 * 60 * 1_000);
    expect((await send('studio', body)).id).not.toBe(first.id);
  });

  it('A message can be sent only to an existing channel that the bot can see and write in', async () => {
    const { discord, rest, channel, send } = await startDiscord();
    expect(await send('read-only', { content: 'x' }).catch(codeOf)).toBe(50013);
    expect(await send('admin-room', { content: 'x' }).catch(codeOf)).toBe(50001);
    expect(await send('lobby', { content: 'x' }).catch(codeOf)).toBe(50001);
    expect(await rest.post(Routes.channelMessages('12345678901234567'), { body: { content: 'x' } }).catch(codeOf)).toBe(
      10003,
    );
    const postedMessage = await discord.as('member').say('mine');
    const messageRoute = Routes.channelMessage(channel('studio'), postedMessage.id);
    expect(await rest.patch(messageRoute, { body: { content: 'x' } }).catch(codeOf)).toBe(50005);
    expect(await rest.delete(messageRoute).catch(codeOf)).toBe(50013);
    await send('thread', { content: 'in a thread' });
  });

  it('A direct message is delivered unless the user refuses it', async () => {
    const { discord, rest } = await startDiscord();
    const openDirectChannel = async (name: string) =>
      (await rest.post(Routes.userChannels(), { body: { recipient_id: discord.world.user(name).id } })) as {
        id: string;
        type: number;
      };
    const directChannel = await openDirectChannel('member');
    expect(directChannel.type).toBe(1);
    await rest.post(Routes.channelMessages(directChannel.id), { body: { content: 'psst' } });
    expect(discord.messages(directChannel.id).map(({ content }) => content)).toEqual(['psst']);
    discord.world.user('member').directMessages = 'refused';
    expect(await rest.post(Routes.channelMessages(directChannel.id), { body: { content: 'psst' } }).catch(codeOf)).toBe(
      50007,
    );
    discord.world.user('installer').hasInstalled = false;
    const installerChannel = await openDirectChannel('installer');
    expect(
      await rest.post(Routes.channelMessages(installerChannel.id), { body: { content: 'psst' } }).catch(codeOf),
    ).toBe(50278);
  });
});

describe('An application', () => {
  it('An application can read its own account', async () => {
    const { discord, rest } = await startDiscord();
    expect(await rest.get('/applications/@me')).toMatchObject({
      id: discord.applicationId,
      owner: { username: 'owner' },
    });
    expect(await rest.get('/oauth2/applications/@me')).toMatchObject({ approximate_guild_count: 2 });
    expect(await rest.get('/users/@me')).toMatchObject({ id: discord.applicationId, bot: true });
    expect(await rest.get('/nowhere').catch((problem: unknown) => (problem as DiscordAPIError).status)).toBe(404);
    expect(discord.violations).toEqual([]);
  });
});

describe('The servers of a bot', () => {
  it('The servers of a bot are listed by their ids, with its permissions on the whole server, and in pages', async () => {
    const { discord, rest } = await startDiscord();
    const list = (query: Record<string, string> = {}) =>
      rest.get(Routes.userGuilds(), { query: new URLSearchParams(query) }) as Promise<
        { id: string; permissions: string }[]
      >;
    const [atelier, elsewhere] = ['atelier', 'elsewhere'].map((name) => discord.world.guild(name));
    const all = await list();
    expect(all).toMatchObject([
      { id: atelier?.id, owner: false },
      { id: elsewhere?.id, owner: false },
    ]);
    expect(BigInt(all[0]?.permissions ?? 0) & PermissionFlagsBits.AttachFiles).not.toBe(0n);
    expect(await list({ after: atelier?.id ?? '', with_counts: 'true' })).toMatchObject([
      { id: elsewhere?.id, approximate_member_count: 5 },
    ]);
    expect(await list({ before: elsewhere?.id ?? '', limit: '1' })).toMatchObject([{ id: atelier?.id }]);
    expect(await list({ limit: '201' }).catch(codeOf)).toBe(50035);
    if (elsewhere) elsewhere.installed = false;
    expect(await list()).toMatchObject([{ id: atelier?.id }]);
    expect(discord.violations).toEqual([]);
  });

  it('An application has the fields that the developer portal has set', async () => {
    const { discord } = await startFixture({ application: { bot_public: false } });
    const rest = new REST({ api: discord.apiUrl }).setToken(discord.token);
    expect(await rest.get(Routes.currentApplication())).toMatchObject({ bot_public: false, name: 'Atelier' });
  });
});

describe('A user-installed application', () => {
  const userCommand = { ...modelsCommand, integrationTypes: [0, 1], contexts: [0, 1, 2] };

  it('A user-installed application responds in foreign guilds, with at most five follow-ups', async () => {
    const { discord } = await startFixture({ limits: { webhookPerToken: 100 } });
    const client = await startClient(discord, [GatewayIntentBits.Guilds]);
    await client.application.commands.set([userCommand]);
    const received: unknown[] = [];
    const problems = handleInteractions(client, async (interaction) => {
      if (!interaction.isChatInputCommand()) return;
      received.push([interaction.inGuild(), interaction.inCachedGuild(), interaction.context]);
      received.push(interaction.authorizingIntegrationOwners);
      await interaction.reply('here');
      for (let count = 0; count < 5; count++) await interaction.followUp(`${count}`);
      await interaction.followUp('too much').catch((problem: unknown) => received.push(codeOf(problem)));
      await interaction.editReply('done');
    });
    const installer = discord.as('installer');
    const exchange = await installer.slash('models');
    expect((await exchange.message(({ content }) => content === 'done')).ephemeral).toBe(false);
    expect(exchange.followUps()).toHaveLength(5);
    expect(received).toMatchObject([[true, false, 0], { 1: installer.user.id }, 40094]);
    await expect(discord.as('other').in('lobby').slash('models')).rejects.toThrow(/not installed/);
    expect(problems).toEqual([]);
  });

  it('Responses are ephemeral if the user is not allowed to use external apps, and the app works in direct messages', async () => {
    const { discord } = await startFixture();
    const client = await startClient(discord);
    await client.application.commands.set([userCommand]);
    const contexts: unknown[] = [];
    handleInteractions(client, async (interaction) => {
      contexts.push(interaction.context);
      if (interaction.isChatInputCommand()) await interaction.reply('here');
    });
    const installer = discord.as('installer');
    const everyoneRole = discord.world.guild('uninvited').roles[0];
    if (everyoneRole) everyoneRole.permissions &= ~(1n << 50n);
    expect((await (await installer.slash('models')).message()).flags).toBe(MessageFlags.Ephemeral);
    for (const channelName of ['dm', 'friends']) {
      const message = await (await installer.in(channelName).slash('models')).message();
      expect([message.content, message.ephemeral]).toEqual(['here', false]);
    }
    expect((await (await discord.as('member').in('dm').slash('models')).message()).content).toBe('here');
    expect(contexts).toEqual([0, 1, 2, 1]);
    expect(discord.violations).toEqual([]);
  });
});

describe('The URLs of attachments', () => {
  const route = '/attachments/refresh-urls';

  it('Expired URLs of stored attachments are re-signed, and others are not', async () => {
    const { discord, clock, rest, send } = await startDiscord();
    const { id } = await send('studio', { content: 'a file' }, [{ name: 'notes.txt', data: Buffer.from('words') }]);
    const readUrl = async () => {
      const path = Routes.channelMessage(discord.world.channel('studio').id, id);
      return ((await rest.get(path)) as { attachments: { url: string }[] }).attachments[0]?.url ?? '';
    };
    const original = await readUrl();
    clock.advance(discord.limits.attachmentLinkMs + 1_000);
    expect((await fetch(original)).status).toBe(404);
    const unknownUrl = `${discord.url}/attachments/1/2/other.txt`;
    const { refreshed_urls: refreshed } = (await rest.post(route, {
      body: { attachment_urls: [original, unknownUrl] },
    })) as { refreshed_urls: { original: string; refreshed: string | null }[] };
    expect(refreshed).toEqual([
      { original, refreshed: expect.any(String) },
      { original: unknownUrl, refreshed: null },
    ]);
    expect(await (await fetch(refreshed[0]?.refreshed ?? '')).text()).toBe('words');
  });

  it('A request for fresh URLs is refused if it contains no URL, too many URLs or another field', async () => {
    const { rest } = await startDiscord();
    const urls = Array.from({ length: 51 }, (_, index) => `https://cdn.example/attachments/1/2/${index}`);
    for (const body of [{ attachment_urls: [] }, { attachment_urls: urls }, { urls: urls.slice(0, 1) }])
      expect(codeOf(await rest.post(route, { body }).catch((problem: unknown) => problem))).toBe(50_035);
  });
});
