import {
  ApplicationCommandType,
  ApplicationIntegrationType,
  ChannelType,
  InteractionContextType,
  Locale,
  type LocalizationMap,
  PermissionFlagsBits,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
  type RESTPostAPIContextMenuApplicationCommandsJSONBody,
  ApplicationCommandOptionType as Type,
} from 'discord-api-types/v10';
import { withoutUndefined } from '../lib/entries.ts';
import { languageOf } from '../lib/languages.ts';
import { stringAt, strings, stringsIn } from '../locales/index.ts';
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
}

export function registrations(
  features: readonly RegisteredFeature[],
  settings: { userInstall: boolean },
): CommandBody[] {
  return [
    ...features.map((one) => registrationOf(one, settings)),
    ...features.flatMap(({ command, menus = [] }) =>
      menus.map(({ name }): MenuBody => {
        return {
          type: ApplicationCommandType.Message,
          ...named('menus', name),
          ...availabilityOf(command, settings),
        };
      }),
    ),
  ];
}

type Path = readonly string[];
type Labels = Required<Pick<LeafBody, 'name' | 'description' | 'required'>> & ReturnType<typeof described>;

/** Where the commands can be used depends on whether users can install the bot. */
export function registrationOf({ command }: RegisteredFeature, settings: { userInstall: boolean }): SlashBody {
  const path = ['commands', command.name];
  return {
    type: ApplicationCommandType.ChatInput,
    name: command.name,
    ...described(...path, 'description'),
    options:
      'subcommands' in command
        ? command.subcommands.map((one) => subcommandBody(one, [...path, one.name]))
        : optionBodies(command, path),
    ...availabilityOf(command, settings),
    ...(command.isForAdmins && { default_member_permissions: String(PermissionFlagsBits.ManageGuild) }),
  };
}

function subcommandBody(command: SingleCommand<never>, path: Path): OptionBody {
  const { name } = command;
  return { type: Type.Subcommand, name, ...described(...path, 'description'), options: optionBodies(command, path) };
}

function optionBodies({ options }: SingleCommand<never>, path: Path): LeafBody[] {
  return Object.entries(options).map(([name, option]) => optionBody(name, option, path));
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

function optionBody(name: string, option: Option, path: Path): LeafBody {
  const labels = { name, ...described(...path, 'options', name), required: option.required ?? false };
  switch (option.type) {
    case 'text':
      return textBody(labels, option, path);
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

function textBody(labels: Labels, { max, choices, labelPath, hasSuggestions }: TextOption, path: Path): LeafBody {
  const sharedFields = { ...labels, type: Type.String as const, ...(max !== undefined && { max_length: max }) };
  if (hasSuggestions) return { ...sharedFields, autocomplete: true };
  if (!choices) return sharedFields;
  const choicePath = labelPath ?? [...path, 'choices', labels.name];
  return { ...sharedFields, choices: choices.map((value) => ({ value, ...named(...choicePath, value) })) };
}

function numberBody(labels: Labels, { isInteger, min, max }: NumberOption): LeafBody {
  const sharedFields = { ...labels, ...withoutUndefined({ min_value: min, max_value: max }) };
  return isInteger ? { ...sharedFields, type: Type.Integer } : { ...sharedFields, type: Type.Number };
}

function named(...path: string[]) {
  const { text, translations } = textAt(path);
  return { name: text, name_localizations: translations };
}

function described(...path: string[]) {
  const { text, translations } = textAt(path);
  return { description: text, description_localizations: translations };
}

/** The locales of Discord whose members do not read English. */
const translatedLocales = Object.values(Locale).filter((locale) => languageOf(locale) !== 'en');

/** A missing English string is an error at startup and in tests. Discord ignores a translation that equals it. */
function textAt(path: Path): { text: string; translations: LocalizationMap } {
  const text = stringAt(strings, path);
  if (text === undefined) throw new Error(`There is no string at ${path.join('.')}.`);
  const found = translatedLocales.map((locale) => [locale, stringAt(stringsIn(languageOf(locale)), path)] as const);
  return { text, translations: Object.fromEntries(found.filter(([, one]) => one !== undefined && one !== text)) };
}
