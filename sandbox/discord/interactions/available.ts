import { PermissionFlagsBits as May } from 'discord-api-types/v10';
import type { Parts } from '../parts.ts';
import { has } from '../permissions.ts';
import type { Command } from '../registry.ts';
import type { Channel, Guild, User } from '../world.ts';
import { contextOf, ownersOf, permissionsOf } from './context.ts';
import { NotPossible } from './refuse.ts';

interface Where {
  readonly user: User;
  readonly channel: Channel;
  readonly guild: Guild | undefined;
}

/** The command as Discord's own client would offer it there; a guild's own goes before a global one of the same name. */
export function availableCommand(name: string, type: number, where: Where, { registry }: Parts): Command {
  const { guild } = where;
  const all = [...(guild?.installed ? registry.list(guild.id) : []), ...registry.list(undefined)];
  const found = all.filter((command) => command.name === name && command.type === type);
  if (found.length === 0)
    throw new NotPossible(
      `No command ${name} is registered: there are ${all.map((one) => one.name).join(', ') || 'none'}.`,
    );
  const reasons = found.map((command) => hindrance(command, where));
  const offered = found.find((_, at) => reasons[at] === undefined);
  if (!offered) throw new NotPossible(`${where.user.name} is not offered ${name} here: ${reasons[0]}.`);
  return offered;
}

/** Everything that Discord's own client would offer there, menus included. */
export function offeredCommands(where: Where, { registry }: Parts): Command[] {
  const { guild } = where;
  const own = guild?.installed ? registry.list(guild.id) : [];
  const isOwn = ({ name, type }: Command) => own.some((one) => one.name === name && one.type === type);
  const all = [...own, ...registry.list(undefined).filter((command) => !isOwn(command))];
  return all.filter((command) => hindrance(command, where) === undefined);
}

function hindrance(command: Command, { user, channel, guild }: Where): string | undefined {
  const context = contextOf(channel);
  const may = permissionsOf(user, channel, guild);
  if (!has(may, May.UseApplicationCommands)) return 'the channel does not let them use commands';
  if (command.guild_id !== undefined) return permitted(command, may);
  if (command.contexts && !command.contexts.includes(context)) return `it is not registered for context ${context}`;
  const kinds: readonly number[] = command.integration_types ?? [0];
  const owners = ownersOf(user, channel, guild);
  if (!kinds.some((kind) => owners[String(kind)] !== undefined)) return 'it is not installed there';
  if (command.nsfw && guild && !channel.ageRestricted) return 'it is for age-restricted channels';
  return guild ? permitted(command, may) : undefined;
}

function permitted({ default_member_permissions: needed }: Command, may: bigint): string | undefined {
  if (needed === null || needed === undefined || has(may, May.Administrator)) return undefined;
  const bits = BigInt(needed);
  return bits !== 0n && has(may, bits) ? undefined : `it needs the permissions ${needed}`;
}
