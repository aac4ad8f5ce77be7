import {
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionContextType,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
  type RESTPostAPIContextMenuApplicationCommandsJSONBody,
  ApplicationCommandOptionType as Type,
} from 'discord.js';
import { sentenceAt } from '../locales/index.ts';
import type { Command, Menu, SingleCommand } from './handlers.ts';
import type { NumberOption, Option, TextOption } from './options.ts';

type SlashBody = RESTPostAPIChatInputApplicationCommandsJSONBody;
type MenuBody = RESTPostAPIContextMenuApplicationCommandsJSONBody;
export type CommandBody = SlashBody | MenuBody;
type OptionBody = NonNullable<SlashBody['options']>[number];
/** What a member fills in. */
type LeafBody = Exclude<OptionBody, { type: Type.Subcommand | Type.SubcommandGroup }>;

interface Offered {
  commands: readonly Command<never>[];
  menus: readonly Menu<never>[];
}

/** All that the bot registers. */
export function registrations({ commands, menus }: Offered, settings: { userInstall: boolean }): CommandBody[] {
  return [...commands.map((one) => registrationOf(one, settings)), ...menus.map((one) => menuBody(one, settings))];
}

interface Labels {
  name: string;
  description: string;
  required: boolean;
}

/** A command as Discord registers it. Where it may be used follows from who may install the bot. */
export function registrationOf(command: Command<never>, settings: { userInstall: boolean }): SlashBody {
  return {
    type: ApplicationCommandType.ChatInput,
    name: command.name,
    description: sentence('commands', command.name, 'description'),
    options:
      'subcommands' in command
        ? command.subcommands.map((one) => subcommandBody(command.name, one))
        : optionBodies([command.name], command),
    ...where(command.isForServers ? { userInstall: false } : settings),
  };
}

function subcommandBody(family: string, command: SingleCommand<never>): OptionBody {
  const { name } = command;
  return {
    type: Type.Subcommand,
    name,
    description: sentence('commands', family, name, 'description'),
    options: optionBodies([family, name], command),
  };
}

function optionBodies(path: readonly string[], { options }: SingleCommand<never>): LeafBody[] {
  return Object.entries(options).map(([name, option]) => optionBody(path, name, option));
}

function menuBody(menu: Menu<never>, settings: { userInstall: boolean }): MenuBody {
  return { type: ApplicationCommandType.Message, name: menuName(menu), ...where(settings) };
}

function where({ userInstall }: { userInstall: boolean }) {
  const { Guild, BotDM, PrivateChannel } = InteractionContextType;
  const { GuildInstall, UserInstall } = ApplicationIntegrationType;
  return {
    integration_types: userInstall ? [GuildInstall, UserInstall] : [GuildInstall],
    contexts: userInstall ? [Guild, BotDM, PrivateChannel] : [Guild],
  };
}

function optionBody(command: readonly string[], name: string, option: Option): LeafBody {
  const description = sentence('commands', ...command, 'options', name);
  const labels = { name, description, required: option.required ?? false };
  switch (option.type) {
    case 'text':
      return textBody(command, labels, option);
    case 'switch':
      return { ...labels, type: Type.Boolean };
    case 'number':
      return numberBody(labels, option);
    case 'attachment':
      return { ...labels, type: Type.Attachment, ...(option.accept && { file_types: [...option.accept] }) };
  }
}

function textBody(command: readonly string[], labels: Labels, { most, choices, suggests }: TextOption): LeafBody {
  const shared = { ...labels, type: Type.String as const, ...(most !== undefined && { max_length: most }) };
  if (suggests) return { ...shared, autocomplete: true };
  if (!choices) return shared;
  const name = (value: string): string => sentence('commands', ...command, 'choices', labels.name, value);
  return { ...shared, choices: choices.map((value) => ({ value, name: name(value) })) };
}

function numberBody(labels: Labels, { whole, least, most }: NumberOption): LeafBody {
  const shared = {
    ...labels,
    ...(least !== undefined && { min_value: least }),
    ...(most !== undefined && { max_value: most }),
  };
  return whole ? { ...shared, type: Type.Integer } : { ...shared, type: Type.Number };
}

/** A command without its words cannot be shown to anybody: that is found at the desk, not by a member. */
function sentence(...path: string[]): string {
  const text = sentenceAt(path);
  if (text === undefined) throw new Error(`The locale has no sentence at ${path.join('.')}.`);
  return text;
}

/** What members read is also what Discord calls it by. */
export function menuName({ name }: Pick<Menu<never>, 'name'>): string {
  const sentence = sentenceAt(['menus', name]);
  if (sentence === undefined) throw new Error(`The locale has no sentence at menus.${name}.`);
  return sentence;
}
