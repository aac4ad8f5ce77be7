import { ChannelType } from 'discord-api-types/v10';

export interface User {
  readonly id: string;
  readonly name: string;
  readonly bot: boolean;
  locale: string;
  /** Whether a direct message from the application arrives. */
  directMessages: 'accepted' | 'refused';
  /** Has added the application to the account. */
  hasInstalled: boolean;
}

export interface Role {
  readonly id: string;
  readonly name: string;
  permissions: bigint;
}

export interface Overwrite {
  /** Of a role or a member. */
  readonly id: string;
  readonly kind: 'role' | 'member';
  allow: bigint;
  deny: bigint;
}

/** What a thread has beside what every channel has. */
export interface Thread {
  archived: boolean;
  locked: boolean;
  /** Whether those who are in a private one may bring others in. */
  invitable: boolean;
  archiveMinutes: number;
  readonly createdAt: number;
  /** When it was last archived or brought back. */
  archivedAt: number;
  /** Who is in it, and since when. */
  readonly members: Map<string, number>;
  /** Messages that stand in it, and that were ever sent there. */
  standing: number;
  sent: number;
}

export interface Channel {
  readonly id: string;
  name: string;
  readonly type: ChannelType;
  readonly guildId?: string;
  readonly parentId?: string;
  readonly ownerId?: string;
  /** The people in a direct message or a group, the application's own user not among them. */
  readonly people?: readonly string[];
  /** Whether the application is part of it: false in people's own direct messages and groups. */
  readonly withApplication?: boolean;
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
  /** Whether the application is installed there, its bot with it. */
  installed: boolean;
}

/** Who and what there is. Tests change it in place; what the application may see of it is decided elsewhere. */
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

  /** By id or name; throws, because a test that misspells a name has no use for undefined. */
  user(wanted: string): User {
    const found = this.users.get(wanted) ?? [...this.users.values()].find(({ name }) => name === wanted);
    if (!found) throw new Error(`There is no user ${wanted}: there are ${namesOf(this.users)}.`);
    return found;
  }

  guild(wanted: string): Guild {
    const found = this.guilds.get(wanted) ?? [...this.guilds.values()].find(({ name }) => name === wanted);
    if (!found) throw new Error(`There is no guild ${wanted}: there are ${namesOf(this.guilds)}.`);
    return found;
  }

  /** By id, name, guild and name (`elsewhere/hall`), or a guild's name for its first one. */
  channel(wanted: string, near?: Guild): Channel {
    const byId = this.channels.get(wanted);
    if (byId) return byId;
    const [guildName, name] = wanted.split('/');
    if (name !== undefined) return this.channel(name, this.guild(guildName ?? ''));
    const found =
      near?.channels.find((one) => one.name === wanted) ??
      [...this.channels.values()].find((one) => one.name === wanted);
    const [first] = [...this.guilds.values()].find(({ name: known }) => known === wanted)?.channels ?? [];
    if (!found && first) return first;
    if (!found) throw new Error(`There is no channel ${wanted}: there are ${namesOf(this.channels)}.`);
    return found;
  }

  guildOf(channel: Channel): Guild | undefined {
    return channel.guildId === undefined ? undefined : this.guilds.get(channel.guildId);
  }

  /** The direct message between the application and one person. */
  directMessage(userId: string): Channel | undefined {
    return [...this.channels.values()].find(
      (one) => one.type === ChannelType.DM && one.withApplication && one.people?.[0] === userId,
    );
  }
}

function namesOf(all: ReadonlyMap<string, { name: string }>): string {
  return [...new Set([...all.values()].map(({ name }) => name))].slice(0, 20).join(', ');
}
