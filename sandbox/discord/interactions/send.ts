import { ApplicationCommandType, InteractionType } from 'discord-api-types/v10';
import type { Parts } from '../parts.ts';
import type { Post } from '../post.ts';
import { userPayload } from '../wire/user.ts';
import type { Channel, Guild, User } from '../world.ts';
import { availableCommand } from './available.ts';
import { integrationOwners, interactionContext } from './context.ts';
import { ImpossibleActionError } from './impossible-action.ts';
import type { Interaction } from './interaction.ts';
import { type OptionInput, optionsPayload } from './options.ts';
import { ResolvedData } from './resolved-data.ts';

export interface ActorContext {
  readonly user: User;
  readonly channel: Channel;
  readonly guild: Guild | undefined;
}

interface InteractionInput {
  readonly type: InteractionType;
  readonly data: unknown;
  readonly source?: Post | undefined;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Creates the interaction and dispatches it to the application. */
export function sendInteraction(
  { user, channel, guild }: ActorContext,
  input: InteractionInput,
  parts: Parts,
): Interaction {
  if (channel.thread?.archived)
    throw new ImpossibleActionError(`${channel.name} is archived. Send a message to reopen it.`);
  const owners = integrationOwners(user, channel, guild);
  const { type, data, source } = input;
  if (Object.keys(owners).length === 0)
    throw new ImpossibleActionError(`The application is not available to ${user.name} here.`);
  const metadata = { user: userPayload(user), authorizing_integration_owners: owners, ...input.metadata };
  const interaction = parts.interactions.create({ type, user, channel, guild, owners, metadata, source });
  const payload = {
    id: interaction.id,
    token: interaction.token,
    type,
    ...interactionContext(user, channel, guild, parts),
    ...(source && { message: parts.applicationMessage(source) }),
    data,
  };
  parts.hub.dispatch('INTERACTION_CREATE', () => payload, { guildId: guild?.id });
  return interaction;
}

export function sendSlashCommand(
  context: ActorContext,
  commandLine: string,
  inputs: Readonly<Record<string, OptionInput>>,
  parts: Parts,
  focused?: string,
): Interaction {
  const [name = '', ...subcommandPath] = commandLine.replace(/^\//, '').trim().split(/\s+/);
  const command = availableCommand(name, ApplicationCommandType.ChatInput, context, parts);
  const resolved = new ResolvedData(parts, context.guild);
  const commandInput = { command, subcommandPath, inputs, ...(focused !== undefined && { focused }) };
  const options = optionsPayload(commandInput, resolved);
  const { id, type, guild_id } = command;
  const data = {
    id,
    name,
    type,
    ...(guild_id !== undefined && { guild_id }),
    ...(options.length > 0 && { options }),
    ...resolved.payload,
  };
  const interactionType =
    focused === undefined ? InteractionType.ApplicationCommand : InteractionType.ApplicationCommandAutocomplete;
  return sendInteraction(
    context,
    { type: interactionType, data, metadata: { name: [name, ...subcommandPath].join(' '), command_type: type } },
    parts,
  );
}

export function sendMenuCommand(context: ActorContext, name: string, target: Post | string, parts: Parts): Interaction {
  const commandType = typeof target === 'string' ? ApplicationCommandType.User : ApplicationCommandType.Message;
  const command = availableCommand(name, commandType, context, parts);
  const resolved = new ResolvedData(parts, context.guild);
  const targetId = typeof target === 'string' ? resolved.user(target) : resolved.message(target);
  const { id, type, guild_id } = command;
  const data = {
    id,
    name,
    type,
    ...(guild_id !== undefined && { guild_id }),
    target_id: targetId,
    ...resolved.payload,
  };
  const metadata = {
    name,
    command_type: type,
    ...(typeof target === 'string'
      ? { target_user: userPayload(parts.world.user(target)) }
      : { target_message_id: target.id }),
  };
  return sendInteraction(context, { type: InteractionType.ApplicationCommand, data, metadata }, parts);
}
