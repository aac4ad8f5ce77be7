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
import { type Case, long, option, slashCommand, times, V2 } from './bodies.ts';
import { asSent } from './real-client.ts';

const slash = (name: string) => new SlashCommandBuilder().setName(name).setDescription('what it does');
const menu = (name: string) => new ContextMenuCommandBuilder().setName(name).setType(ApplicationCommandType.Message);
const answer = (name: string, type: number, data?: unknown): Case => ({ name, kind: 'callback', body: { type, data } });
const one = (name: string, body: unknown): Case => ({ name, kind: 'command', body });
const list = (name: string, body: unknown): Case => ({ name, kind: 'commands', body });
const named = { name: 'a', value: 'a' };

const modal = new ModalBuilder()
  .setCustomId('m')
  .setTitle(long(45))
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

const groups = new ModalBuilder()
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
  answer('a pong', 1),
  answer('a message', 4, { content: 'x', tts: false, enforce_nonce: false }),
  answer('a V2 message', 4, { flags: V2, components: [{ type: 10, content: 'a' }] }),
  answer('a deferral', 5),
  answer('a private deferral', 5, { flags: 64 }),
  answer('a deferred update', 6),
  answer('an update', 7, { content: 'x' }),
  answer('an update that only takes the buttons', 7, { components: [] }),
  answer('no choices', 8, { choices: [] }),
  answer('twenty-five choices', 8, { choices: times(25, (n) => ({ name: long(100), value: `${n}` })) }),
  answer('numbers to choose', 8, {
    choices: [
      { name: 'a', value: 1 },
      { name: 'b', value: 2 },
    ],
  }),
  answer('fractions to choose', 8, {
    choices: [
      { name: 'a', value: 1.5 },
      { name: 'b', value: 2 },
    ],
  }),
  answer('a modal', 9, modal),
  answer('a modal of groups', 9, groups),
  answer('a modal of the old kind', 9, {
    custom_id: 'm',
    title: 't',
    components: [{ type: 1, components: [{ type: 4, custom_id: 'a', style: 1, label: 'a' }] }],
  }),

  one('a bare command', slash('draw')),
  one('an edit of the description alone', { description: 'better' }),
  one(
    'every kind of option',
    slash('draw')
      .addStringOption((o) =>
        o.setName('prompt').setDescription('d').setRequired(true).setMinLength(1).setMaxLength(6000),
      )
      .addStringOption((o) =>
        o
          .setName('style')
          .setDescription('d')
          .addChoices(named, { name: 'b', value: long(100), name_localizations: { de: 'B' } }),
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
  one(
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
  one(
    'every setting',
    slash('admin')
      .setDefaultMemberPermissions(1n << 40n)
      .setNSFW(true)
      .setContexts(InteractionContextType.Guild, InteractionContextType.BotDM, InteractionContextType.PrivateChannel)
      .setIntegrationTypes(ApplicationIntegrationType.GuildInstall, ApplicationIntegrationType.UserInstall),
  ),
  one('permissions for no one', slash('admin').setDefaultMemberPermissions(0)),
  one('permissions for all', slash('admin').setDefaultMemberPermissions(null)),
  one(
    'translations',
    slash('draw')
      .setNameLocalizations({ de: 'malen', 'zh-CN': '画', hi: 'चित्र', th: 'วาดรูป', 'es-419': 'dibujar', ja: 'えがく' })
      .setDescriptionLocalizations({ de: 'was es tut' }),
  ),
  one('characters a name may have', slashCommand("l'art_2-ß")),
  one('a message menu', menu('Describe This Image!')),
  one('a menu with an empty description', { name: 'Ask Me', type: 2, description: '' }),
  one(
    'a group, a subcommand and the same names in each',
    slashCommand('a', {
      options: [option('a', { type: 2, options: [option('a', { type: 1, options: [option('a')] })] })],
    }),
  ),
  list('no commands', []),
  list('one name for a command and a menu', [slash('draw'), menu('draw')]),
  list('as many as there may be', [
    ...times(100, (n) => slash(`c${n}`)),
    ...times(15, (n) => menu(`M ${n}`)),
    ...times(15, (n) => ({ name: `U ${n}`, type: 2 })),
  ]),
  list('commands that have ids', [{ ...slashCommand('draw'), id: '100000000000000001' }]),
];

describe('The validator accepts a callback or command', () => {
  it.each(cases)('The validator accepts this $kind body: $name', ({ kind, body, facts }) => {
    expect(validateBody(kind, asSent(body), facts)).toEqual([]);
  });
});
