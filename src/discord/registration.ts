import {
  ApplicationCommandType,
  ApplicationIntegrationType,
  ChannelType,
  InteractionContextType,
  PermissionFlagsBits,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
  type RESTPostAPIContextMenuApplicationCommandsJSONBody,
  ApplicationCommandOptionType as Type,
} from 'discord.js';
import { withoutUndefined } from '../lib/entries.ts';
import { type Sentences, sentenceAt } from '../locales/index.ts';
import type { Command, Menu, SingleCommand } from './handlers.ts';
import type { NumberOption, Option, TextOption } from './options.ts';

type SlashBody = RESTPostAPIChatInputApplicationCommandsJSONBody;
type MenuBody = RESTPostAPIContextMenuApplicationCommandsJSONBody;
export type CommandBody = SlashBody | MenuBody;
type OptionBody = NonNullable<SlashBody['options']>[number];
type LeafBody = Exclude<OptionBody, { type: Type.Subcommand | Type.SubcommandGroup }>;

interface Offered {
  command: Command<never>;
  menus?: readonly Menu<never>[];
  text: Sentences;
}

export function registrations(features: readonly Offered[], settings: { userInstall: boolean }): CommandBody[] {
  return [
    ...features.map((one) => registrationOf(one, settings)),
    ...features.flatMap(({ menus = [], text }) =>
      menus.map(({ name }): MenuBody => {
        return { type: ApplicationCommandType.Message, name: wordsOf(text, 'menus')(name), ...where(settings) };
      }),
    ),
  ];
}

/** Earlier names of menus, by their present names. */
export function formerNames(features: readonly Offered[]): ReadonlyMap<string, readonly string[]> {
  return new Map(
    features.flatMap(({ menus = [], text }) =>
      menus.map((menu) => [wordsOf(text, 'menus')(menu.name), menu.formerNames ?? []] as const),
    ),
  );
}

type Labels = Required<Pick<LeafBody, 'name' | 'description' | 'required'>>;

/** Where a command may be used follows from who may install the bot. */
export function registrationOf({ command, text }: Offered, settings: { userInstall: boolean }): SlashBody {
  const words = wordsOf(text, 'command');
  return {
    type: ApplicationCommandType.ChatInput,
    name: command.name,
    description: words('description'),
    options:
      'subcommands' in command
        ? command.subcommands.map((one) => subcommandBody(one, wordsOf(text, 'command', one.name)))
        : optionBodies(command, words),
    ...where(command.isForServers ? { userInstall: false } : settings),
    ...(command.isForAdmins && { default_member_permissions: String(PermissionFlagsBits.ManageGuild) }),
  };
}

function subcommandBody(command: SingleCommand<never>, words: Words): OptionBody {
  const { name } = command;
  return { type: Type.Subcommand, name, description: words('description'), options: optionBodies(command, words) };
}

function optionBodies({ options }: SingleCommand<never>, words: Words): LeafBody[] {
  return Object.entries(options).map(([name, option]) => optionBody(name, option, words));
}

function where({ userInstall }: { userInstall: boolean }) {
  const { Guild, BotDM, PrivateChannel } = InteractionContextType;
  const { GuildInstall, UserInstall } = ApplicationIntegrationType;
  return {
    integration_types: userInstall ? [GuildInstall, UserInstall] : [GuildInstall],
    contexts: userInstall ? [Guild, BotDM, PrivateChannel] : [Guild],
  };
}

function optionBody(name: string, option: Option, words: Words): LeafBody {
  const labels = { name, description: words('options', name), required: option.required ?? false };
  switch (option.type) {
    case 'text':
      return textBody(labels, option, words);
    case 'switch':
      return { ...labels, type: Type.Boolean };
    case 'number':
      return numberBody(labels, option);
    case 'user':
      return { ...labels, type: Type.User };
    case 'role':
      return { ...labels, type: Type.Role };
    case 'channel':
      return { ...labels, type: Type.Channel, channel_types: [ChannelType.GuildText, ChannelType.GuildAnnouncement] };
    case 'attachment':
      return { ...labels, type: Type.Attachment, ...(option.accept && { file_types: [...option.accept] }) };
  }
}

function textBody(labels: Labels, { max, choices, hasSuggestions }: TextOption, words: Words): LeafBody {
  const shared = { ...labels, type: Type.String as const, ...(max !== undefined && { max_length: max }) };
  if (hasSuggestions) return { ...shared, autocomplete: true };
  if (!choices) return shared;
  return { ...shared, choices: choices.map((value) => ({ value, name: words('choices', labels.name, value) })) };
}

function numberBody(labels: Labels, { isInteger, least, max }: NumberOption): LeafBody {
  const shared = { ...labels, ...withoutUndefined({ min_value: least, max_value: max }) };
  return isInteger ? { ...shared, type: Type.Integer } : { ...shared, type: Type.Number };
}

type Words = (...path: string[]) => string;

/** A command without its sentences cannot be shown, so this fails at start and in tests, not before a member. */
function wordsOf(text: Sentences, ...within: string[]): Words {
  return (...path) => {
    const words = sentenceAt(text, [...within, ...path]);
    if (words !== undefined) return words;
    throw new Error(`The text of a feature has no sentence at ${[...within, ...path].join('.')}.`);
  };
}
