import { PermissionFlagsBits as Permission } from 'discord-api-types/v10';
import type { Command } from '../command-registry.ts';
import type { Parts } from '../parts.ts';
import { hasPermissions } from '../permissions.ts';
import type { Channel, Guild, User } from '../world.ts';
import { contextOf, integrationOwners, permissionsOf } from './context.ts';
import { ImpossibleActionError } from './impossible-action.ts';

interface ActorContext {
  readonly user: User;
  readonly channel: Channel;
  readonly guild: Guild | undefined;
}

/** Finds a command that Discord's own client would offer; a guild command takes precedence over a global one. */
export function availableCommand(name: string, type: number, context: ActorContext, { registry }: Parts): Command {
  const { guild } = context;
  const allCommands = [...(guild?.installed ? registry.list(guild.id) : []), ...registry.list(undefined)];
  const sameName = allCommands.filter((command) => command.name === name && command.type === type);
  if (sameName.length === 0)
    throw new ImpossibleActionError(
      `No command named ${name} is registered. Registered commands: ${allCommands.map((one) => one.name).join(', ') || 'none'}.`,
    );
  const reasons = sameName.map((command) => unavailableReason(command, context));
  const available = sameName.find((_, index) => reasons[index] === undefined);
  if (!available) throw new ImpossibleActionError(`${context.user.name} cannot use ${name} here: ${reasons[0]}.`);
  return available;
}

/** All commands that Discord's own client would offer, including context menus. */
export function availableCommands(context: ActorContext, { registry }: Parts): Command[] {
  const { guild } = context;
  const guildCommands = guild?.installed ? registry.list(guild.id) : [];
  const isOverridden = ({ name, type }: Command) => guildCommands.some((one) => one.name === name && one.type === type);
  const allCommands = [...guildCommands, ...registry.list(undefined).filter((command) => !isOverridden(command))];
  return allCommands.filter((command) => unavailableReason(command, context) === undefined);
}

function unavailableReason(command: Command, { user, channel, guild }: ActorContext): string | undefined {
  const context = contextOf(channel);
  const permissions = permissionsOf(user, channel, guild);
  if (!hasPermissions(permissions, Permission.UseApplicationCommands)) return 'the channel denies the use of commands';
  if (command.guild_id !== undefined) return permissionReason(command, permissions);
  if (command.contexts && !command.contexts.includes(context)) return `it is not registered for context ${context}`;
  const integrationTypes: readonly number[] = command.integration_types ?? [0];
  const owners = integrationOwners(user, channel, guild);
  if (!integrationTypes.some((kind) => owners[String(kind)] !== undefined))
    return 'the application is not installed here';
  if (command.nsfw && guild && !channel.ageRestricted) return 'it is limited to age-restricted channels';
  return guild ? permissionReason(command, permissions) : undefined;
}

function permissionReason(
  { default_member_permissions: requiredPermissions }: Command,
  permissions: bigint,
): string | undefined {
  if (
    requiredPermissions === null ||
    requiredPermissions === undefined ||
    hasPermissions(permissions, Permission.Administrator)
  )
    return undefined;
  const bits = BigInt(requiredPermissions);
  return bits !== 0n && hasPermissions(permissions, bits)
    ? undefined
    : `it requires the permissions ${requiredPermissions}`;
}
