import {
  ApplicationCommandType,
  ApplicationIntegrationType,
  CheckboxBuilder,
  CheckboxGroupBuilder,
  ContextMenuCommandBuilder,
  FileUploadBuilder,
  InteractionContextType,
  LabelBuilder,
  ModalBuilder,
  RadioGroupBuilder,
  SlashCommandBuilder,
  StringSelectMenuBuilder,
  TextDisplayBuilder,
  TextInputBuilder,
  TextInputStyle,
} from 'discord.js';
import { describe, expect, it } from 'vitest';
import { validateBody } from '../../../../sandbox/discord/validation/index.ts';
import { type Case, longText, option, slashCommand, times, V2 } from './bodies.ts';
import { toSentBody } from './real-client.ts';

const slash = (name: string) => new SlashCommandBuilder().setName(name).setDescription('what it does');
const menu = (name: string) => new ContextMenuCommandBuilder().setName(name).setType(ApplicationCommandType.Message);
const callback = (name: string, type: number, data?: unknown): Case => ({
  name,
  kind: 'callback',
  body: { type, data },
});
const command = (name: string, body: unknown): Case => ({ name, kind: 'command', body });
const commands = (name: string, body: unknown): Case => ({ name, kind: 'commands', body });
const choice = { name: 'a', value: 'a' };

const modal = new ModalBuilder()
  .setCustomId('m')
  .setTitle(longText(45))
  .addLabelComponents(
    new LabelBuilder()
      .setLabel('a')
      .setDescription('d')
      .setTextInputComponent(
        new TextInputBuilder()
          .setCustomId('t')
          .setStyle(TextInputStyle.Paragraph)
          .setMaxLength(4000)
          .setMinLength(1)
          .setValue('v'),
      ),
    new LabelBuilder()
      .setLabel('b')
      .setStringSelectMenuComponent(
        new StringSelectMenuBuilder().setCustomId('s').addOptions({ label: 'a', value: 'a' }).setRequired(false),
      ),
    new LabelBuilder().setLabel('c').setFileUploadComponent(new FileUploadBuilder().setCustomId('f').setMaxValues(10)),
  )
  .addTextDisplayComponents(new TextDisplayBuilder().setContent('read this'));

const groupsModal = new ModalBuilder()
  .setCustomId('m')
  .setTitle('t')
  .addLabelComponents(
    new LabelBuilder()
      .setLabel('a')
      .setRadioGroupComponent(
        new RadioGroupBuilder().setCustomId('r').addOptions({ label: 'a', value: 'a' }, { label: 'b', value: 'b' }),
      ),
    new LabelBuilder()
      .setLabel('b')
      .setCheckboxGroupComponent(
        new CheckboxGroupBuilder()
          .setCustomId('g')
          .setMinValues(2)
          .addOptions({ label: 'a', value: 'a' }, { label: 'b', value: 'b' }),
      ),
    new LabelBuilder().setLabel('c').setCheckboxComponent(new CheckboxBuilder().setCustomId('c')),
  );

const cases: Case[] = [
  callback('a pong', 1),
  callback('a message', 4, { content: 'x', tts: false, enforce_nonce: false }),
  callback('a V2 message', 4, { flags: V2, components: [{ type: 10, content: 'a' }] }),
  callback('a deferral', 5),
  callback('a private deferral', 5, { flags: 64 }),
  callback('a deferred update', 6),
  callback('an update', 7, { content: 'x' }),
  callback('an update that only removes the buttons', 7, { components: [] }),
  callback('no choices', 8, { choices: [] }),
  callback('twenty-five choices', 8, { choices: times(25, (n) => ({ name: longText(100), value: `${n}` })) }),
  callback('integer choices', 8, {
    choices: [
      { name: 'a', value: 1 },
      { name: 'b', value: 2 },
    ],
  }),
  callback('number choices', 8, {
    choices: [
      { name: 'a', value: 1.5 },
      { name: 'b', value: 2 },
    ],
  }),
  callback('a modal', 9, modal),
  callback('a modal with radio and checkbox groups', 9, groupsModal),
  callback('a modal in the old format', 9, {
    custom_id: 'm',
    title: 't',
    components: [{ type: 1, components: [{ type: 4, custom_id: 'a', style: 1, label: 'a' }] }],
  }),

  command('a bare command', slash('draw')),
  command('an edit of only the description', { description: 'better' }),
  command(
    'every kind of option',
    slash('draw')
      .addStringOption((o) =>
        o.setName('prompt').setDescription('d').setRequired(true).setMinLength(1).setMaxLength(6000),
      )
      .addStringOption((o) =>
        o
          .setName('style')
          .setDescription('d')
          .addChoices(choice, { name: 'b', value: longText(100), name_localizations: { de: 'B' } }),
      )
      .addStringOption((o) => o.setName('model').setDescription('d').setAutocomplete(true))
      .addIntegerOption((o) => o.setName('count').setDescription('d').setMinValue(1).setMaxValue(4))
      .addNumberOption((o) =>
        o.setName('weight').setDescription('d').setMinValue(0.5).addChoices({ name: 'half', value: 0.5 }),
      )
      .addBooleanOption((o) => o.setName('raw').setDescription('d'))
      .addUserOption((o) => o.setName('for').setDescription('d'))
      .addChannelOption((o) => o.setName('in').setDescription('d').addChannelTypes(0, 11))
      .addRoleOption((o) => o.setName('role').setDescription('d'))
      .addMentionableOption((o) => o.setName('whom').setDescription('d'))
      .addAttachmentOption((o) => o.setName('image').setDescription('d')),
  ),
  command(
    'groups and subcommands',
    slash('limits')
      .addSubcommandGroup((g) =>
        g
          .setName('user')
          .setDescription('d')
          .addSubcommand((s) =>
            s
              .setName('set')
              .setDescription('d')
              .addUserOption((o) => o.setName('who').setDescription('d').setRequired(true)),
          ),
      )
      .addSubcommand((s) => s.setName('show').setDescription('d')),
  ),
  command(
    'every setting',
    slash('admin')
      .setDefaultMemberPermissions(1n << 40n)
      .setNSFW(true)
      .setContexts(InteractionContextType.Guild, InteractionContextType.BotDM, InteractionContextType.PrivateChannel)
      .setIntegrationTypes(ApplicationIntegrationType.GuildInstall, ApplicationIntegrationType.UserInstall),
  ),
  command('permissions for no one', slash('admin').setDefaultMemberPermissions(0)),
  command('permissions for all', slash('admin').setDefaultMemberPermissions(null)),
  command(
    'translations',
    slash('draw')
      .setNameLocalizations({ de: 'malen', 'zh-CN': '画', hi: 'चित्र', th: 'วาดรูป', 'es-419': 'dibujar', ja: 'えがく' })
      .setDescriptionLocalizations({ de: 'was es tut' }),
  ),
  command('a name with every kind of permitted character', slashCommand("l'art_2-ß")),
  command('a message menu', menu('Describe This Image!')),
  command('a menu with an empty description', { name: 'Ask Me', type: 2, description: '' }),
  command(
    'a group, a subcommand and the same names in each',
    slashCommand('a', {
      options: [option('a', { type: 2, options: [option('a', { type: 1, options: [option('a')] })] })],
    }),
  ),
  commands('no commands', []),
  commands('a command and a menu with the same name', [slash('draw'), menu('draw')]),
  commands('as many commands as are allowed', [
    ...times(100, (n) => slash(`c${n}`)),
    ...times(15, (n) => menu(`M ${n}`)),
    ...times(15, (n) => ({ name: `U ${n}`, type: 2 })),
  ]),
  commands('commands that have ids', [{ ...slashCommand('draw'), id: '100000000000000001' }]),
];

describe('The validator accepts a callback or command', () => {
  it.each(cases)('The validator accepts this $kind body: $name', ({ kind, body, facts }) => {
    expect(validateBody(kind, toSentBody(body), facts)).toEqual([]);
  });
});
