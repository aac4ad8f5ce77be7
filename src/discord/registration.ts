import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionContextType,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
} from 'discord.js';
import { sentenceAt } from '../locales/index.ts';
import type { Command } from './handlers.ts';
import type { Option } from './options.ts';

export type CommandBody = RESTPostAPIChatInputApplicationCommandsJSONBody;

/** A command as Discord registers it. Where it may be used follows from who may install the bot. */
export function registrationOf(command: Command<never>, { userInstall }: { userInstall: boolean }): CommandBody {
  const { Guild, BotDM, PrivateChannel } = InteractionContextType;
  const { GuildInstall, UserInstall } = ApplicationIntegrationType;
  return {
    type: ApplicationCommandType.ChatInput,
    name: command.name,
    description: sentence('commands', command.name, 'description'),
    options: Object.entries(command.options).map(([name, option]) => optionBody(command.name, name, option)),
    integration_types: userInstall ? [GuildInstall, UserInstall] : [GuildInstall],
    contexts: userInstall ? [Guild, BotDM, PrivateChannel] : [Guild],
  };
}

function optionBody(command: string, name: string, option: Option): NonNullable<CommandBody['options']>[number] {
  const description = sentence('commands', command, 'options', name);
  if (option.type === 'switch') return { type: ApplicationCommandOptionType.Boolean, name, description };
  const shared = {
    type: ApplicationCommandOptionType.String as const,
    name,
    description,
    required: option.required ?? false,
    ...(option.most === undefined ? {} : { max_length: option.most }),
  };
  if (option.suggests) return { ...shared, autocomplete: true };
  if (!option.choices) return shared;
  const choices = option.choices.map((value) => ({
    value,
    name: sentence('commands', command, 'choices', name, value),
  }));
  return { ...shared, choices };
}

/** A command without its words cannot be shown to anybody: that is found at the desk, not by a member. */
function sentence(...path: string[]): string {
  const text = sentenceAt(path);
  if (text === undefined) throw new Error(`The locale has no sentence at ${path.join('.')}.`);
  return text;
}
