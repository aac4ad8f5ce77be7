import {
  ActionRowBuilder,
  ButtonBuilder,
  ButtonStyle,
  ComponentType,
  ContainerBuilder,
  FileUploadBuilder,
  LabelBuilder,
  MediaGalleryBuilder,
  MessageFlags,
  ModalBuilder,
  StringSelectMenuBuilder,
  TextInputBuilder,
  TextInputStyle,
  UserSelectMenuBuilder,
} from 'discord.js';
import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { png, startBot } from './commands.ts';

const buttons = () =>
  new ActionRowBuilder<ButtonBuilder>().addComponents(
    new ButtonBuilder().setCustomId('u1').setLabel('U1').setStyle(ButtonStyle.Primary),
    new ButtonBuilder().setCustomId('again').setEmoji('🔄').setStyle(ButtonStyle.Secondary),
    new ButtonBuilder().setCustomId('off').setLabel('Off').setStyle(ButtonStyle.Secondary).setDisabled(true),
    new ButtonBuilder().setURL('https://example.com').setLabel('Out').setStyle(ButtonStyle.Link),
  );

describe('Message components', () => {
  it('A button can be pressed by its label, custom id or emoji, and updates its message', async () => {
    const { member, discord } = await startBot(async (interaction) => {
      if (interaction.isChatInputCommand()) await interaction.reply({ content: 'grid', components: [buttons()] });
      if (!interaction.isButton()) return;
      expect(interaction.message.content).toMatch(/grid|pressed/);
      if (interaction.customId === 'u1') await interaction.update(`pressed by ${interaction.user.username}`);
      else {
        await interaction.deferUpdate();
        await interaction.editReply('again');
        await interaction.followUp('new');
      }
    });
    const grid = await (await member.slash('imagine', { prompt: 'a boat' })).message();
    const updatedMessage = await (await discord.as('other').click(grid, 'U1')).message();
    expect([updatedMessage.id, updatedMessage.content, updatedMessage.edited]).toEqual([
      grid.id,
      'pressed by other',
      true,
    ]);
    const second = await member.click(grid, '🔄');
    expect((await second.message()).content).toBe('again');
    const followUp = await second.followUp();
    expect(followUp).toMatchObject({ content: 'new', message_reference: { message_id: grid.id } });
    await expect(member.click(grid, 'Off')).rejects.toThrow(/disabled/);
    await expect(member.click(grid, 'Out')).rejects.toThrow(/opens a link/);
    await expect(member.click(grid, 'U9')).rejects.toThrow(/no button U9/);
  });

  it('Values can be chosen from select menus', async () => {
    const { member } = await startBot(async (interaction) => {
      if (interaction.isChatInputCommand())
        await interaction.reply({
          components: [
            new ActionRowBuilder<StringSelectMenuBuilder>().addComponents(
              new StringSelectMenuBuilder().setCustomId('which').addOptions({ label: 'One', value: '1' }),
            ),
            new ActionRowBuilder<UserSelectMenuBuilder>().addComponents(new UserSelectMenuBuilder().setCustomId('who')),
          ],
          content: 'choose',
        });
      if (interaction.isStringSelectMenu()) await interaction.update(interaction.values.join());
      if (interaction.isUserSelectMenu())
        await interaction.update(interaction.users.map((user) => user.username).join());
    });
    const menu = await (await member.slash('imagine', { prompt: 'a boat' })).message();
    expect((await (await member.choose(menu, 'which', ['One'])).message()).content).toBe('1');
    expect((await (await member.choose(menu, 'who', ['other'])).message()).content).toBe('other');
    await expect(member.choose(menu, 'which', ['Two'])).rejects.toThrow(/no option Two/);
    await expect(member.choose(menu, 'which', [])).rejects.toThrow(/1 to 1 values/);
  });

  it('A Components V2 message keeps its text and uploads', async () => {
    const { member } = await startBot(async (interaction) => {
      if (!interaction.isChatInputCommand()) return;
      const gallery = new MediaGalleryBuilder().addItems((item) =>
        item.setURL('attachment://out.png').setDescription('a boat'),
      );
      const page = new ContainerBuilder()
        .addTextDisplayComponents((display) => display.setContent('# Page'))
        .addMediaGalleryComponents(gallery)
        .addActionRowComponents(buttons());
      await interaction.reply({
        components: [page],
        files: [{ attachment: png, name: 'out.png' }],
        flags: MessageFlags.IsComponentsV2,
      });
    });
    const message = await (await member.slash('imagine', { prompt: 'a boat' })).message();
    expect(text(message)).toBe('# Page');
    const [container] = message.components ?? [];
    if (container?.type !== ComponentType.Container) throw new Error('No container.');
    const gallery = container.components.find((one) => one.type === ComponentType.MediaGallery);
    expect((await fetch(gallery?.items[0]?.media.url ?? '')).status).toBe(200);
  });
});

describe('A form', () => {
  const form = new ModalBuilder()
    .setCustomId('remix')
    .setTitle('Remix')
    .addLabelComponents(
      new LabelBuilder()
        .setLabel('Prompt')
        .setTextInputComponent(
          new TextInputBuilder().setCustomId('prompt').setStyle(TextInputStyle.Short).setMaxLength(9),
        ),
      new LabelBuilder()
        .setLabel('Image')
        .setFileUploadComponent(new FileUploadBuilder().setCustomId('image').setRequired(false)),
    );

  it('A form can be opened by a command or a button, filled in and submitted', async () => {
    const { member, discord } = await startBot(async (interaction) => {
      if (interaction.isChatInputCommand() || interaction.isButton()) await interaction.showModal(form);
      if (!interaction.isModalSubmit()) return;
      const image = interaction.fields.getUploadedFiles('image')?.first()?.name;
      await interaction.reply({
        content: `${interaction.fields.getTextInputValue('prompt')} ${image}`,
        components: [buttons()],
      });
    });
    const modal = await (await member.slash('imagine', { prompt: 'x' })).modal();
    expect([modal.title, modal.customId]).toEqual(['Remix', 'remix']);
    const files = [{ name: 'in.png', bytes: png }];
    const message = await (await member.fill(modal, { Prompt: 'a ship', image: files })).message();
    expect(message.content).toBe('a ship in.png');
    const secondModal = await (await member.click(message, 'U1')).modal();
    expect((await (await member.fill(secondModal, { prompt: 'boat' })).message()).content).toBe('boat undefined');
    await expect(member.fill(modal, {})).rejects.toThrow(/Prompt is required/);
    await expect(member.fill(modal, { prompt: 'much too long' })).rejects.toThrow(/0 to 9 characters/);
    await expect(discord.as('other').fill(modal, { prompt: 'x' })).rejects.toThrow(/does not have this form/);
  });
});
