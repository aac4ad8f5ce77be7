import { AttachmentBuilder, type Interaction, MessageFlags } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { png, startBot } from './commands.ts';

describe('A slash command', () => {
  it('A slash command arrives with all fields that Discord sends', async () => {
    let received: Interaction | undefined;
    const { member, discord } = await startBot(async (interaction) => {
      received = interaction;
      if (!interaction.isChatInputCommand()) return;
      const image = interaction.options.getAttachment('image', true);
      await interaction.reply({ content: `${image.name} ${image.width}`, flags: MessageFlags.Ephemeral });
    });
    const file = { name: 'in.png', bytes: png };
    const exchange = await member.slash('imagine', { prompt: 'a boat', count: 2, image: file, friend: 'other' });
    const message = await exchange.message();
    expect([message.content, message.ephemeral]).toEqual(['in.png 1', true]);
    if (!received?.isChatInputCommand()) throw new Error('No command arrived.');
    expect(received).toMatchObject({
      guildLocale: 'en-US',
      locale: 'en-US',
      context: 0,
      attachmentSizeLimit: 10 * 1024 * 1024,
    });
    expect(received.guildId).toBe(discord.world.guild('atelier').id);
    expect(received.channelId).toBe(discord.world.channel('studio').id);
    expect(received.appPermissions.has('AttachFiles')).toBe(true);
    expect(received.memberPermissions?.has('ManageGuild')).toBe(false);
    expect(received.authorizingIntegrationOwners[0]).toBe(discord.world.guild('atelier').id);
    expect([received.options.getInteger('count'), received.options.getUser('friend')?.username]).toEqual([2, 'other']);
    const download = await fetch(received.options.getAttachment('image', true).url);
    expect(Buffer.from(await download.arrayBuffer()).equals(png)).toBe(true);
  });

  it('A deferred response is edited with a file whose URL works until it expires', async () => {
    const { member, clock } = await startBot(async (interaction) => {
      if (!interaction.isChatInputCommand()) return;
      await interaction.deferReply();
      const files = [new AttachmentBuilder(png, { name: 'out.png', description: 'a boat' })];
      await interaction.editReply({ content: 'done', files });
    });
    const exchange = await member.slash('imagine', { prompt: 'a boat' });
    const message = await exchange.message(({ content }) => content === 'done');
    expect(message).toMatchObject({
      type: 20,
      flags: 0,
      edited: false,
      attachments: [{ description: 'a boat', width: 1 }],
    });
    expect(await exchange.acknowledged()).toMatchObject({ type: 5, ephemeral: false, afterMs: 0 });
    const { url = '' } = message.attachments[0] ?? {};
    const response = await fetch(url);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
    clock.advance(25 * 60 * 60 * 1_000);
    expect((await fetch(url)).status).toBe(404);
    expect((await fetch(url.replace('hm=', 'hm=0'))).status).toBe(404);
  });

  it('Subcommands are accepted, and options that Discord’s own client would not allow are rejected', async () => {
    const { member } = await startBot(async (interaction) => {
      if (!interaction.isChatInputCommand()) return;
      await interaction.reply(`${interaction.options.getSubcommand()} ${interaction.options.getString('id')}`);
    });
    expect((await (await member.slash('music follow', { id: '1' })).message()).content).toBe('follow 1');
    for (const [name, options, reason] of [
      ['music', {}, /subcommand/],
      ['music follow', { id: '2' }, /must be one of "1"/],
      ['imagine', {}, /requires the option prompt/],
      ['imagine', { prompt: 'x'.repeat(21) }, /0 to 20 characters/],
      ['imagine', { prompt: 'x', count: 5 }, /from 1 to 4/],
      ['imagine', { prompt: 'x', size: 5 }, /no option size/],
      ['nothing', {}, /No command named nothing/],
    ] as const)
      await expect(member.slash(name, options)).rejects.toThrow(reason);
  });

  it('Autocomplete returns choices for the typed text', async () => {
    const { member } = await startBot(async (interaction) => {
      if (!interaction.isAutocomplete()) return;
      const { name, value } = interaction.options.getFocused(true);
      await interaction.respond([{ name: `${name}: ${value}!`, value: `${value}!` }]);
    });
    expect(await member.complete('imagine', { prompt: 'bo', count: 2 }, 'prompt')).toEqual([
      { name: 'prompt: bo!', value: 'bo!' },
    ]);
    expect(await member.complete('imagine', {}, 'prompt')).toEqual([{ name: 'prompt: !', value: '!' }]);
    await expect(member.complete('imagine', { count: 2 }, 'count')).rejects.toThrow(/autocomplete/);
  });

  it('Responses and follow-ups can be read, edited and deleted', async () => {
    const { member, discord } = await startBot(async (interaction) => {
      if (!interaction.isChatInputCommand()) return;
      const response = await interaction.reply({ content: 'first', withResponse: true });
      expect(response.resource?.message?.content).toBe('first');
      const second = await interaction.followUp({ content: 'second', flags: MessageFlags.Ephemeral });
      await interaction.editReply({ content: 'first again', message: '@original' });
      await interaction.editReply({ content: 'second again', message: second });
      expect((await interaction.fetchReply()).content).toBe('first again');
      await interaction.deleteReply();
    });
    const exchange = await member.slash('imagine', { prompt: 'a boat' });
    const second = await exchange.followUp(({ content }) => content === 'second again');
    expect([second.ephemeral, second.edited]).toEqual([true, true]);
    await discord.until(() => (discord.messages('studio').length === 1 ? true : undefined));
    await expect(exchange.message()).rejects.toThrow(/deleted/);
  });
});

describe('A context menu command', () => {
  it('A context menu command arrives with its default name and the user’s locale, whatever the user’s client shows', async () => {
    const { discord, member, client } = await startBot(async (interaction) => {
      if (interaction.isContextMenuCommand())
        await interaction.reply(`${interaction.commandName} ${interaction.locale}`);
    });
    await client.application.commands.set([{ name: 'Describe', type: 3, nameLocalizations: { de: 'Beschreiben' } }]);
    discord.world.user('member').locale = 'de';
    const shown = discord.clientView('member').availableCommands(member.channel);
    expect(shown).toMatchObject([{ name: 'Describe', name_localized: 'Beschreiben' }]);
    const target = await member.say('look');
    expect((await (await member.menu('Describe', target)).message()).content).toBe('Describe de');
  });

  it('A context menu command arrives with its full target', async () => {
    const { member, discord } = await startBot(async (interaction) => {
      if (interaction.isMessageContextMenuCommand()) {
        const { content, attachments } = interaction.targetMessage;
        await interaction.reply(`${content} ${attachments.first()?.name}`);
      }
      if (interaction.isUserContextMenuCommand()) await interaction.reply(`hello ${interaction.targetUser.username}`);
    });
    const targetMessage = await discord.as('other').say('look', [{ name: 'a.png', bytes: png }]);
    expect((await (await member.menu('Describe', targetMessage)).message()).content).toBe('look a.png');
    expect((await (await member.menu('Greet', 'other')).message()).content).toBe('hello other');
  });
});
