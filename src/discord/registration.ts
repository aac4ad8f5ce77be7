import {
  ApplicationCommandType,
  ApplicationIntegrationType,
  ChannelType,
  InteractionContextType,
  PermissionFlagsBits,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
  type RESTPostAPIContextMenuApplicationCommandsJSONBody,
  ApplicationCommandOptionType as Type,
} from 'discord-api-types/v10';
import { withoutUndefined } from '../lib/entries.ts';
import { type StringTree, stringAt } from '../locales/index.ts';
import type { Command, Menu, SingleCommand } from './handlers.ts';
import type { NumberOption, Option, TextOption } from './options.ts';

type SlashBody = RESTPostAPIChatInputApplicationCommandsJSONBody;
type MenuBody = RESTPostAPIContextMenuApplicationCommandsJSONBody;
export type CommandBody = SlashBody | MenuBody;
type OptionBody = NonNullable<SlashBody['options']>[number];
type LeafBody = Exclude<OptionBody, { type: Type.Subcommand | Type.SubcommandGroup }>;

interface RegisteredFeature {
  command: Command<never>;
  menus?: readonly Menu<never>[];
  text: StringTree;
}

export function registrations(
  features: readonly RegisteredFeature[],
  settings: { userInstall: boolean },
): CommandBody[] {
  return [
    ...features.map((one) => registrationOf(one, settings)),
    ...features.flatMap(({ command, menus = [], text }) =>
      menus.map(({ name }): MenuBody => {
        return {
          type: ApplicationCommandType.Message,
          name: stringsOf(text, 'menus')(name),
          ...availabilityOf(command, settings),
        };
      }),
    ),
  ];
}

type Labels = Required<Pick<LeafBody, 'name' | 'description' | 'required'>>;

/** Where the commands can be used depends on whether users can install the bot. */
export function registrationOf({ command, text }: RegisteredFeature, settings: { userInstall: boolean }): SlashBody {
  const strings = stringsOf(text, 'command');
  return {
    type: ApplicationCommandType.ChatInput,
    name: command.name,
    description: strings('description'),
    options:
      'subcommands' in command
        ? command.subcommands.map((one) => subcommandBody(one, stringsOf(text, 'command', one.name)))
        : optionBodies(command, strings),
    ...availabilityOf(command, settings),
    ...(command.isForAdmins && { default_member_permissions: String(PermissionFlagsBits.ManageGuild) }),
  };
}

function subcommandBody(command: SingleCommand<never>, strings: Strings): OptionBody {
  const { name } = command;
  return { type: Type.Subcommand, name, description: strings('description'), options: optionBodies(command, strings) };
}

function optionBodies({ options }: SingleCommand<never>, strings: Strings): LeafBody[] {
  return Object.entries(options).map(([name, option]) => optionBody(name, option, strings));
}

function availabilityOf({ isForServers }: { isForServers?: boolean }, settings: { userInstall: boolean }) {
  const userInstall = settings.userInstall && !isForServers;
  const { Guild, BotDM, PrivateChannel } = InteractionContextType;
  const { GuildInstall, UserInstall } = ApplicationIntegrationType;
  return {
    integration_types: userInstall ? [GuildInstall, UserInstall] : [GuildInstall],
    contexts: userInstall ? [Guild, BotDM, PrivateChannel] : [Guild],
  };
}

function optionBody(name: string, option: Option, strings: Strings): LeafBody {
  const labels = { name, description: strings('options', name), required: option.required ?? false };
  switch (option.type) {
    case 'text':
      return textBody(labels, option, strings);
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

function textBody(labels: Labels, { max, choices, hasSuggestions }: TextOption, strings: Strings): LeafBody {
  const sharedFields = { ...labels, type: Type.String as const, ...(max !== undefined && { max_length: max }) };
  if (hasSuggestions) return { ...sharedFields, autocomplete: true };
  if (!choices) return sharedFields;
  return {
    ...sharedFields,
    choices: choices.map((value) => ({ value, name: strings('choices', labels.name, value) })),
  };
}

function numberBody(labels: Labels, { isInteger, min, max }: NumberOption): LeafBody {
  const sharedFields = { ...labels, ...withoutUndefined({ min_value: min, max_value: max }) };
  return isInteger ? { ...sharedFields, type: Type.Integer } : { ...sharedFields, type: Type.Number };
}

type Strings = (...path: string[]) => string;

/** A missing string is an error at startup and in tests, and not only when a member uses the command. */
function stringsOf(text: StringTree, ...basePath: string[]): Strings {
  return (...path) => {
    const value = stringAt(text, [...basePath, ...path]);
    if (value !== undefined) return value;
    throw new Error(`The text of a feature has no string at ${[...basePath, ...path].join('.')}.`);
  };
}
