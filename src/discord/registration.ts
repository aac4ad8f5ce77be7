import {
  type APIApplicationCommand,
  ApplicationCommandType,
  ApplicationIntegrationType,
  ChannelType,
  InteractionContextType,
  Locale,
  type LocalizationMap,
  OAuth2Scopes,
  PermissionFlagsBits,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
  type RESTPostAPIContextMenuApplicationCommandsJSONBody,
  ApplicationCommandOptionType as Type,
} from 'discord-api-types/v10';
import { withoutUndefined } from '../lib/entries.ts';
import { languageOf } from '../lib/languages.ts';
import { stringAt, strings, stringsIn } from '../locales/index.ts';
import { neededPermissions } from './guards.ts';
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

export interface Deployment {
  create: CommandBody[];
  change: { id: string; body: CommandBody }[];
  remove: APIApplicationCommand[];
  unchanged: CommandBody[];
}

/** Only writes the differences, because Discord allows only 200 creations a day. */
export function planDeployment(
  registered: readonly APIApplicationCommand[],
  definitions: readonly CommandBody[],
): Deployment {
  const deployment: Deployment = { create: [], change: [], remove: [], unchanged: [] };
  const matchedCommands = new Set<APIApplicationCommand>();
  for (const body of definitions) {
    const { name, type = ApplicationCommandType.ChatInput } = body;
    const existing = registered.find((command) => command.name === name && command.type === type);
    if (existing) matchedCommands.add(existing);
    if (!existing) deployment.create.push(body);
    else if (isSameCommand(existing, body)) deployment.unchanged.push(body);
    else deployment.change.push({ id: existing.id, body });
  }
  for (const command of registered) {
    if (!matchedCommands.has(command)) deployment.remove.push(command);
  }
  return deployment;
}

function isSameCommand(existing: APIApplicationCommand, body: CommandBody): boolean {
  // Discord keeps no contexts for the commands of one server, because they are offered nowhere else.
  const isGlobal = existing.guild_id === undefined;
  return comparableForm(existing, isGlobal) === comparableForm(body, isGlobal);
}

/** A comparable form of a command, without the fields that Discord adds. An absent field equals its default. */
function comparableForm(command: APIApplicationCommand | CommandBody, isGlobal: boolean): string {
  const { type = 1, name, name_localizations, default_member_permissions } = command;
  const { contexts, integration_types } = isGlobal ? command : {};
  const { description = '', description_localizations, options = [] } = 'description' in command ? command : {};
  const sorted = (list: readonly number[] | null | undefined): number[] => [...(list ?? [])].sort();
  return JSON.stringify(
    normalize({
      type,
      name,
      name_localizations,
      description,
      description_localizations,
      options,
      contexts: sorted(contexts),
      integration_types: sorted(integration_types),
      default_member_permissions,
    }),
  );
}

/** Leaves out defaults, empty lists and absent translations, and sorts the keys. */
function normalize(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalize);
  if (typeof value !== 'object' || value === null) return value;
  const significant = Object.entries(value).filter(([, one]) => !isDefault(one));
  return Object.fromEntries(
    significant.map(([key, one]) => [key, normalize(one)]).sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  );
}

const isDefault = (value: unknown): boolean =>
  (value ?? false) === false || (typeof value === 'object' && Object.keys(Object(value)).length === 0);

export function installLinks(applicationId: string, { userInstall }: { userInstall: boolean }) {
  const server = link(applicationId, {
    scope: `${OAuth2Scopes.Bot} ${OAuth2Scopes.ApplicationsCommands}`,
    permissions: String(neededPermissions.reduce((all, { bits }) => all | bits, 0n)),
    integration_type: String(ApplicationIntegrationType.GuildInstall),
  });
  if (!userInstall) return { server };
  const person = link(applicationId, {
    scope: OAuth2Scopes.ApplicationsCommands,
    integration_type: String(ApplicationIntegrationType.UserInstall),
  });
  return { server, person };
}

function link(applicationId: string, query: Record<string, string>): string {
  return `https://discord.com/oauth2/authorize?${new URLSearchParams({ client_id: applicationId, ...query })}`;
}
