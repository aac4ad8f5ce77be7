import { ApplicationCommandType, InteractionType } from 'discord-api-types/v10';
import type { Parts } from '../parts.ts';
import type { Post } from '../post.ts';
import { userWire } from '../wire/user.ts';
import type { Channel, Guild, User } from '../world.ts';
import { availableCommand } from './available.ts';
import { interactionContext, ownersOf } from './context.ts';
import type { Interaction } from './interaction.ts';
import { type OptionInput, optionsWire } from './options.ts';
import { ImpossibleActionError } from './refuse.ts';
import { Resolved } from './resolved.ts';

export interface Where {
  readonly user: User;
  readonly channel: Channel;
  readonly guild: Guild | undefined;
}

interface Act {
  readonly type: InteractionType;
  readonly data: unknown;
  readonly source?: Post | undefined;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Creates the interaction and dispatches it to the application. */
export function perform({ user, channel, guild }: Where, act: Act, parts: Parts): Interaction {
  if (channel.thread?.archived)
    throw new ImpossibleActionError(`${channel.name} is archived. Send a message to reopen it.`);
  const owners = ownersOf(user, channel, guild);
  const { type, data, source } = act;
  if (Object.keys(owners).length === 0)
    throw new ImpossibleActionError(`The application is not available to ${user.name} here.`);
  const metadata = { user: userWire(user), authorizing_integration_owners: owners, ...act.metadata };
  const interaction = parts.interactions.open({ type, user, channel, guild, owners, metadata, source });
  const payload = {
    id: interaction.id,
    token: interaction.token,
    type,
    ...interactionContext(user, channel, guild, parts),
    ...(source && { message: parts.wire(source) }),
    data,
  };
  parts.hub.dispatch('INTERACTION_CREATE', () => payload, { guildId: guild?.id });
  return interaction;
}

export function slash(
  where: Where,
  wanted: string,
  inputs: Readonly<Record<string, OptionInput>>,
  parts: Parts,
  focused?: string,
): Interaction {
  const [name = '', ...words] = wanted.replace(/^\//, '').trim().split(/\s+/);
  const command = availableCommand(name, ApplicationCommandType.ChatInput, where, parts);
  const resolved = new Resolved(parts, where.guild);
  const filled = { command, words, inputs, ...(focused !== undefined && { focused }) };
  const options = optionsWire(filled, resolved);
  const { id, type, guild_id } = command;
  const data = {
    id,
    name,
    type,
    ...(guild_id !== undefined && { guild_id }),
    ...(options.length > 0 && { options }),
    ...resolved.wire,
  };
  const kind =
    focused === undefined ? InteractionType.ApplicationCommand : InteractionType.ApplicationCommandAutocomplete;
  return perform(
    where,
    { type: kind, data, metadata: { name: [name, ...words].join(' '), command_type: type } },
    parts,
  );
}

export function menu(where: Where, name: string, target: Post | string, parts: Parts): Interaction {
  const kind = typeof target === 'string' ? ApplicationCommandType.User : ApplicationCommandType.Message;
  const command = availableCommand(name, kind, where, parts);
  const resolved = new Resolved(parts, where.guild);
  const targetId = typeof target === 'string' ? resolved.user(target) : resolved.message(target);
  const { id, type, guild_id } = command;
  const data = { id, name, type, ...(guild_id !== undefined && { guild_id }), target_id: targetId, ...resolved.wire };
  const metadata = {
    name,
    command_type: type,
    ...(typeof target === 'string'
      ? { target_user: userWire(parts.world.user(target)) }
      : { target_message_id: target.id }),
  };
  return perform(where, { type: InteractionType.ApplicationCommand, data, metadata }, parts);
}
