import { ChannelType, PermissionFlagsBits as Permission } from 'discord-api-types/v10';
import { firstSnowflakeAt, type MakeId } from './snowflake.ts';
import { type Channel, type Guild, type Overwrite, type Role, type Thread, type User, World } from './world.ts';

const everyonePermissions =
  Permission.ViewChannel |
  Permission.SendMessages |
  Permission.SendMessagesInThreads |
  Permission.EmbedLinks |
  Permission.AttachFiles |
  Permission.ReadMessageHistory |
  Permission.AddReactions |
  Permission.UseApplicationCommands |
  Permission.UseExternalApps |
  Permission.CreatePublicThreads |
  Permission.CreatePrivateThreads |
  Permission.SendVoiceMessages;

/** Only the permissions that the application requests at installation. */
const applicationPermissions =
  Permission.ViewChannel |
  Permission.SendMessages |
  Permission.SendMessagesInThreads |
  Permission.CreatePublicThreads |
  Permission.CreatePrivateThreads |
  Permission.AttachFiles |
  Permission.ReadMessageHistory |
  Permission.SendVoiceMessages;

const userNames = ['member', 'other', 'admin', 'owner', 'installer'] as const;

/** The initial world of every test. */
export function createWorld(id: MakeId, now: number, guilds: number): World {
  const world = new World({ ...newUser(id(), 'atelier-bot'), bot: true });
  const users = Object.fromEntries(userNames.map((name) => [name, newUser(id(), name)])) as Record<
    (typeof userNames)[number],
    User
  >;
  for (const user of Object.values(users)) world.users.set(user.id, user);
  world.ownerId = users.owner.id;
  users.installer.hasInstalled = true;

  const createGuild = (name: string, members: readonly User[], installed: boolean, guildId = id()) =>
    newGuild({ id, guildId, now, name, members, bot: installed ? world.bot : undefined, owner: users.owner });
  const atelier = createGuild('atelier', [users.member, users.other, users.admin, users.owner], true);
  const addAdmins = (guild: Guild): Role => {
    const permissions = everyonePermissions | Permission.ManageGuild | Permission.ManageMessages;
    const role: Role = { id: id(), name: 'admins', permissions };
    guild.roles.push(role);
    guild.members.get(users.admin.id)?.roles.push(role.id);
    return role;
  };
  const admins = addAdmins(atelier);
  const studio = textChannel(id(), 'studio', atelier);
  atelier.channels.push(
    studio,
    { ...textChannel(id(), 'age-restricted', atelier), ageRestricted: true },
    textChannel(id(), 'read-only', atelier, [
      roleOverwrite(atelier.id, {
        deny: Permission.SendMessages | Permission.SendMessagesInThreads | Permission.AttachFiles,
      }),
    ]),
    textChannel(id(), 'admin-room', atelier, [
      roleOverwrite(atelier.id, { deny: Permission.ViewChannel }),
      roleOverwrite(admins.id, { allow: Permission.ViewChannel }),
    ]),
    {
      ...textChannel(id(), 'thread', atelier),
      type: ChannelType.PublicThread,
      parentId: studio.id,
      ownerId: users.member.id,
      thread: newThread(now, [users.member.id]),
    },
    { ...textChannel(id(), 'voice-room', atelier), type: ChannelType.GuildVoice },
    // Channels that deny the application some permission.
    textChannel(id(), 'no-threads', atelier, [
      roleOverwrite(roleOf(atelier, world.bot).id, {
        deny: Permission.CreatePublicThreads | Permission.CreatePrivateThreads,
      }),
    ]),
    textChannel(id(), 'no-private-threads', atelier, [
      roleOverwrite(roleOf(atelier, world.bot).id, { deny: Permission.CreatePrivateThreads }),
    ]),
    textChannel(id(), 'no-voice-messages', atelier, [
      roleOverwrite(roleOf(atelier, world.bot).id, { deny: Permission.SendVoiceMessages }),
    ]),
  );
  const elsewhere = createGuild('elsewhere', [users.member, users.other, users.admin, users.owner], true);
  elsewhere.channels.push(textChannel(id(), 'hall', elsewhere));
  const uninvited = createGuild('uninvited', [users.installer, users.other], false);
  uninvited.channels.push(textChannel(id(), 'lobby', uninvited));
  for (const guild of [atelier, elsewhere, uninvited]) world.addGuild(guild);

  for (const user of Object.values(users)) world.addChannel(createDirectMessageChannel(id(), [user.id], true));
  world.addChannel({
    ...createDirectMessageChannel(id(), [users.installer.id, users.other.id], false),
    name: 'friends',
    type: ChannelType.GroupDM,
  });
  for (let number = 1; number <= guilds; number++) {
    // Guild ids from the same millisecond would all map to the same shard.
    const guild = createGuild(`guild-${number}`, [], true, String(firstSnowflakeAt(now - number)));
    guild.channels.push(textChannel(id(), 'general', guild));
    world.addGuild(guild);
  }
  // Created last, because recorded stores contain the ids of the other channels, which must not shift.
  const log = textChannel(id(), 'log', elsewhere, [roleOverwrite(elsewhere.id, { deny: Permission.ViewChannel })]);
  world.addChannel(log);
  const moderators = addAdmins(elsewhere);
  log.overwrites.push(
    roleOverwrite(moderators.id, { allow: Permission.ViewChannel }),
    roleOverwrite(roleOf(elsewhere, world.bot).id, { allow: Permission.ViewChannel }),
  );
  return world;
}

const newUser = (id: string, name: string): User => ({
  id,
  name,
  bot: false,
  locale: 'en-US',
  directMessages: 'accepted',
  hasInstalled: false,
});

interface GuildOptions {
  readonly id: MakeId;
  readonly guildId: string;
  readonly now: number;
  readonly name: string;
  readonly members: readonly User[];
  readonly owner: User;
  readonly bot: User | undefined;
}

function newGuild({ id, guildId, now, name, members, owner, bot }: GuildOptions): Guild {
  const roles: Role[] = [{ id: guildId, name: '@everyone', permissions: everyonePermissions }];
  const guild: Guild = {
    id: guildId,
    name,
    ownerId: owner.id,
    locale: 'en-US',
    roles,
    channels: [],
    members: new Map(members.map((user) => [user.id, { userId: user.id, roles: [], joinedAt: now }])),
    installed: bot !== undefined,
  };
  if (bot) {
    const role: Role = { id: id(), name: bot.name, permissions: applicationPermissions };
    roles.push(role);
    guild.members.set(bot.id, { userId: bot.id, roles: [role.id], joinedAt: now });
  }
  return guild;
}

const textChannel = (id: string, name: string, guild: Guild, overwrites: Overwrite[] = []): Channel => ({
  id,
  name,
  type: ChannelType.GuildText,
  guildId: guild.id,
  ageRestricted: false,
  overwrites,
});

export const createDirectMessageChannel = (
  id: string,
  members: readonly string[],
  withApplication: boolean,
): Channel => ({
  id,
  name: 'dm',
  type: ChannelType.DM,
  recipientIds: members,
  includesApplication: withApplication,
  ageRestricted: false,
  overwrites: [],
});

export const newThread = (now: number, members: readonly string[]): Thread => ({
  archived: false,
  locked: false,
  invitable: true,
  archiveMinutes: 1_440,
  createdAt: now,
  archivedAt: now,
  members: new Map(members.map((id) => [id, now])),
  messageCount: 0,
  totalSent: 0,
});

/** The application's managed role has the name of its bot. */
function roleOf(guild: Guild, bot: User): Role {
  const found = guild.roles.find(({ name }) => name === bot.name);
  if (!found) throw new Error(`The application is not installed in ${guild.name}.`);
  return found;
}

const roleOverwrite = (id: string, bits: { allow?: bigint; deny?: bigint }): Overwrite => ({
  id,
  kind: 'role',
  allow: bits.allow ?? 0n,
  deny: bits.deny ?? 0n,
});
