import { ApplicationCommandPermissionType, ChannelType, PermissionFlagsBits } from 'discord-api-types/v10';
import type { Clock } from '../lib/clock.ts';
import { RecentValues } from '../lib/recent-map.ts';
import { permissionsIn } from './guards.ts';
import { grantsAny, THREAD_TYPES } from './interaction-facts.ts';
import type { MemberMessage } from './member-message.ts';
import type { DiscordClients } from './outbox/clients.ts';
import { type CommandPermission, readChannelAccess, readCommandAccess, readGuildAccess } from './reads.ts';

/** After this time, a change of permissions applies to messages too. */
const CACHE = { forMs: 60_000, max: 1_000 };

type ServerMessage = MemberMessage & { guildId: string };

/** What an interaction says of a place and its member, and a message does not. */
export type ReadPlace = Awaited<ReturnType<ServerAccess['placeOf']>>;

/** What a message does not say, read from Discord and cached for a minute: where its channel belongs, and what its author may do there. */
export class ServerAccess {
  readonly #identity;
  readonly #guilds;
  readonly #channels;
  readonly #commands;

  constructor({ reads, identity }: DiscordClients, clock: Clock) {
    this.#identity = identity;
    this.#guilds = new RecentValues((guildId) => readGuildAccess(reads, guildId), CACHE, clock);
    this.#channels = new RecentValues((channelId) => readChannelAccess(reads, channelId), CACHE, clock);
    this.#commands = new RecentValues(
      (guildId) => readCommandAccess(reads, identity.applicationId ?? '', guildId),
      CACHE,
      clock,
    );
  }

  async placeOf({ guildId, channelId, memberId, roleIds }: ServerMessage) {
    const [guild, channel] = await Promise.all([this.#guilds.get(guildId), this.#channels.get(channelId)]);
    const parentId = THREAD_TYPES.has(channel.type) ? (channel.parent_id ?? undefined) : undefined;
    // A thread has the permissions of its parent.
    const place = parentId === undefined ? channel : await this.#channels.get(parentId);
    const permissions =
      guild.owner_id === memberId
        ? ~0n
        : permissionsIn(guild.roles, { guildId, roleIds, memberId }, place.permission_overwrites);
    return {
      parentChannelId: parentId,
      isPrivateThread: channel.type === ChannelType.PrivateThread,
      isAgeRestricted: place.nsfw,
      locale: guild.preferred_locale,
      permissions,
      mayManageMessages: grantsAny(permissions, PermissionFlagsBits.ManageMessages),
    };
  }

  /** Whether Discord would let the author of a message use a command where they wrote it, also by what the server's admins set under Integrations. */
  async mayUse(commandId: string | undefined, message: ServerMessage, place: ReadPlace): Promise<boolean> {
    if (!grantsAny(place.permissions, PermissionFlagsBits.UseApplicationCommands)) return false;
    if (grantsAny(place.permissions, PermissionFlagsBits.Administrator)) return true;
    const sets = await this.#commands.get(message.guildId);
    // What is set for the command comes before what is set for the application.
    const levels = [commandId, this.#identity.applicationId].map(
      (id) => sets.find((set) => set.id === id)?.permissions ?? [],
    );
    const channels = [place.parentChannelId ?? message.channelId, String(BigInt(message.guildId) - 1n)];
    const inChannel = levels.flatMap((level) => decisionFor(Types.Channel, channels, level));
    const forMember = levels.flatMap((level) => [
      ...decisionFor(Types.User, [message.memberId], level),
      ...roleDecision(message.roleIds, level),
      ...decisionFor(Types.Role, [message.guildId], level),
    ]);
    return inChannel[0] !== false && forMember[0] !== false;
  }
}

const Types = ApplicationCommandPermissionType;

/** The decisions about these ids, in their order. */
const decisionFor = (type: number, ids: readonly string[], level: readonly CommandPermission[]): boolean[] =>
  ids.flatMap((id) => level.filter((one) => one.type === type && one.id === id).map(({ permission }) => permission));

/** One allowed role is enough. */
function roleDecision(roleIds: readonly string[], level: readonly CommandPermission[]): boolean[] {
  const decisions = decisionFor(Types.Role, roleIds, level);
  return decisions.length === 0 ? [] : [decisions.includes(true)];
}
