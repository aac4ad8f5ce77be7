import { PermissionFlagsBits as May } from 'discord-api-types/v10';
import type { Parts } from '../parts.ts';
import { has } from '../permissions.ts';
import type { Command } from '../registry.ts';
import type { Channel, Guild, User } from '../world.ts';
import { contextOf, ownersOf, permissionsOf } from './context.ts';
import { ImpossibleActionError } from './refuse.ts';

interface Where {
  readonly user: User;
  readonly channel: Channel;
  readonly guild: Guild | undefined;
}

/** Finds a command that Discord's own client would offer; a guild command takes precedence over a global one. */
export function availableCommand(name: string, type: number, where: Where, { registry }: Parts): Command {
  const { guild } = where;
  const all = [...(guild?.installed ? registry.list(guild.id) : []), ...registry.list(undefined)];
  const found = all.filter((command) => command.name === name && command.type === type);
  if (found.length === 0)
    throw new ImpossibleActionError(
      `No command named ${name} is registered. Registered commands: ${all.map((one) => one.name).join(', ') || 'none'}.`,
    );
  const reasons = found.map((command) => unavailableReason(command, where));
  const offered = found.find((_, at) => reasons[at] === undefined);
  if (!offered) throw new ImpossibleActionError(`${where.user.name} cannot use ${name} here: ${reasons[0]}.`);
  return offered;
}

/** All commands that Discord's own client would offer, including context menus. */
export function offeredCommands(where: Where, { registry }: Parts): Command[] {
  const { guild } = where;
  const own = guild?.installed ? registry.list(guild.id) : [];
  const isOwn = ({ name, type }: Command) => own.some((one) => one.name === name && one.type === type);
  const all = [...own, ...registry.list(undefined).filter((command) => !isOwn(command))];
  return all.filter((command) => unavailableReason(command, where) === undefined);
}

function unavailableReason(command: Command, { user, channel, guild }: Where): string | undefined {
  const context = contextOf(channel);
  const may = permissionsOf(user, channel, guild);
  if (!has(may, May.UseApplicationCommands)) return 'the channel denies the use of commands';
  if (command.guild_id !== undefined) return permissionReason(command, may);
  if (command.contexts && !command.contexts.includes(context)) return `it is not registered for context ${context}`;
  const kinds: readonly number[] = command.integration_types ?? [0];
  const owners = ownersOf(user, channel, guild);
  if (!kinds.some((kind) => owners[String(kind)] !== undefined)) return 'the application is not installed here';
  if (command.nsfw && guild && !channel.ageRestricted) return 'it is limited to age-restricted channels';
  return guild ? permissionReason(command, may) : undefined;
}

function permissionReason({ default_member_permissions: needed }: Command, may: bigint): string | undefined {
  if (needed === null || needed === undefined || has(may, May.Administrator)) return undefined;
  const bits = BigInt(needed);
  return bits !== 0n && has(may, bits) ? undefined : `it requires the permissions ${needed}`;
}
