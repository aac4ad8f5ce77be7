import { ChannelType } from 'discord-api-types/v10';

export interface User {
  readonly id: string;
  readonly name: string;
  readonly bot: boolean;
  locale: string;
  /** Whether the user accepts direct messages from the application. */
  directMessages: 'accepted' | 'refused';
  /** Whether the user has installed the application for their account. */
  hasInstalled: boolean;
}

export interface Role {
  readonly id: string;
  readonly name: string;
  permissions: bigint;
}

export interface Overwrite {
  /** The id of a role or a user. */
  readonly id: string;
  readonly kind: 'role' | 'member';
  allow: bigint;
  deny: bigint;
}

/** The properties that only threads have. */
export interface Thread {
  archived: boolean;
  locked: boolean;
  /** Whether members of a private thread may add others. */
  invitable: boolean;
  archiveMinutes: number;
  readonly createdAt: number;
  /** When the thread was last archived or unarchived. */
  archivedAt: number;
  /** The time at which each member joined, by user id. */
  readonly members: Map<string, number>;
  /** The number of messages that exist now, and of all messages ever sent. */
  messageCount: number;
  totalSent: number;
}

export interface Channel {
  readonly id: string;
  name: string;
  readonly type: ChannelType;
  readonly guildId?: string;
  readonly parentId?: string;
  readonly ownerId?: string;
  /** The users in a direct message or a group, without the bot. */
  readonly recipientIds?: readonly string[];
  /** Whether the bot takes part; false in direct messages and groups between users. */
  readonly includesApplication?: boolean;
  ageRestricted: boolean;
  overwrites: Overwrite[];
  readonly thread?: Thread;
}

export type ThreadChannel = Channel & { readonly thread: Thread };

export interface Member {
  readonly userId: string;
  roles: string[];
  readonly joinedAt: number;
}

export interface Guild {
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  locale: string;
  readonly roles: Role[];
  readonly channels: Channel[];
  readonly members: Map<string, Member>;
  /** Whether the application is installed with its bot. */
  installed: boolean;
  /** What admins have set under Integrations, for a command or, by its own id, for the application. */
  commandPermissions?: { readonly id: string; readonly permissions: readonly CommandPermission[] }[];
}

/** `type`: 1 for a role, 2 for a user, 3 for a channel. */
interface CommandPermission {
  readonly id: string;
  readonly type: 1 | 2 | 3;
  readonly permission: boolean;
}

/** All users, guilds and channels. Tests change them in place; permissions are checked elsewhere. */
export class World {
  readonly users = new Map<string, User>();
  readonly guilds = new Map<string, Guild>();
  readonly channels = new Map<string, Channel>();
  readonly applicationId: string;
  readonly bot: User;
  ownerId: string;

  constructor(bot: User) {
    this.applicationId = bot.id;
    this.bot = bot;
    this.ownerId = bot.id;
    this.users.set(bot.id, bot);
  }

  addGuild(guild: Guild): void {
    this.guilds.set(guild.id, guild);
    for (const channel of guild.channels) this.channels.set(channel.id, channel);
  }

  addChannel(channel: Channel): void {
    this.channels.set(channel.id, channel);
    const guild = this.guildOf(channel);
    if (guild && !guild.channels.includes(channel)) guild.channels.push(channel);
  }

  removeChannel(channel: Channel): void {
    this.channels.delete(channel.id);
    const { channels = [] } = this.guildOf(channel) ?? {};
    if (channels.includes(channel)) channels.splice(channels.indexOf(channel), 1);
  }

  /** Finds a user by id or name; throws, so that a misspelled name fails the test. */
  user(nameOrId: string): User {
    const found = this.users.get(nameOrId) ?? this.users.values().find(({ name }) => name === nameOrId);
    if (!found) throw new Error(`There is no user ${nameOrId}. Choose one of: ${namesOf(this.users)}.`);
    return found;
  }

  guild(nameOrId: string): Guild {
    const found = this.guilds.get(nameOrId) ?? this.guilds.values().find(({ name }) => name === nameOrId);
    if (!found) throw new Error(`There is no guild ${nameOrId}. Choose one of: ${namesOf(this.guilds)}.`);
    return found;
  }

  /** Finds a channel by id, name, guild and name (`elsewhere/hall`), or by a guild's name, which means its first channel. */
  channel(nameOrId: string, preferredGuild?: Guild): Channel {
    const byId = this.channels.get(nameOrId);
    if (byId) return byId;
    const [guildName, name] = nameOrId.split('/');
    if (name !== undefined) return this.channel(name, this.guild(guildName ?? ''));
    const found =
      preferredGuild?.channels.find((one) => one.name === nameOrId) ??
      this.channels.values().find((one) => one.name === nameOrId);
    const [first] = this.guilds.values().find(({ name: guildNameOrId }) => guildNameOrId === nameOrId)?.channels ?? [];
    if (!found && first) return first;
    if (!found) throw new Error(`There is no channel ${nameOrId}. Choose one of: ${namesOf(this.channels)}.`);
    return found;
  }

  guildOf(channel: Channel): Guild | undefined {
    return channel.guildId === undefined ? undefined : this.guilds.get(channel.guildId);
  }

  directMessage(userId: string): Channel | undefined {
    return this.channels
      .values()
      .find((one) => one.type === ChannelType.DM && one.includesApplication && one.recipientIds?.[0] === userId);
  }
}

function namesOf(byId: ReadonlyMap<string, { name: string }>): string {
  return [...new Set([...byId.values()].map(({ name }) => name))].slice(0, 20).join(', ');
}
