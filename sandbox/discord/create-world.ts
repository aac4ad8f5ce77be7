import { ChannelType, PermissionFlagsBits as May } from 'discord-api-types/v10';
import type { MakeId } from './snowflake.ts';
import { type Channel, type Guild, type Overwrite, type Role, type Thread, type User, World } from './world.ts';

const everyone =
  May.ViewChannel |
  May.SendMessages |
  May.SendMessagesInThreads |
  May.EmbedLinks |
  May.AttachFiles |
  May.ReadMessageHistory |
  May.AddReactions |
  May.UseApplicationCommands |
  May.UseExternalApps |
  May.CreatePublicThreads |
  May.CreatePrivateThreads |
  May.SendVoiceMessages;

/** Only the permissions that the application requests at installation. */
const application =
  May.ViewChannel |
  May.SendMessages |
  May.SendMessagesInThreads |
  May.CreatePublicThreads |
  May.CreatePrivateThreads |
  May.EmbedLinks |
  May.AttachFiles |
  May.SendVoiceMessages;

const people = ['member', 'other', 'admin', 'owner', 'installer'] as const;

/** The initial world of every test. */
export function createWorld(id: MakeId, now: number, guilds: number): World {
  const world = new World({ ...person(id(), 'atelier-bot'), bot: true });
  const users = Object.fromEntries(people.map((name) => [name, person(id(), name)])) as Record<
    (typeof people)[number],
    User
  >;
  for (const user of Object.values(users)) world.users.set(user.id, user);
  world.ownerId = users.owner.id;
  users.installer.hasInstalled = true;

  const build = (name: string, members: readonly User[], installed: boolean) =>
    guildOf({ id, now, name, members, bot: installed ? world.bot : undefined, owner: users.owner });
  const atelier = build('atelier', [users.member, users.other, users.admin, users.owner], true);
  const admins: Role = { id: id(), name: 'admins', permissions: everyone | May.ManageGuild | May.ManageMessages };
  atelier.roles.push(admins);
  atelier.members.get(users.admin.id)?.roles.push(admins.id);
  const studio = text(id(), 'studio', atelier);
  atelier.channels.push(
    studio,
    { ...text(id(), 'age-restricted', atelier), ageRestricted: true },
    text(id(), 'read-only', atelier, [
      over(atelier.id, { deny: May.SendMessages | May.SendMessagesInThreads | May.AttachFiles }),
    ]),
    text(id(), 'admin-room', atelier, [
      over(atelier.id, { deny: May.ViewChannel }),
      over(admins.id, { allow: May.ViewChannel }),
    ]),
    {
      ...text(id(), 'thread', atelier),
      type: ChannelType.PublicThread,
      parentId: studio.id,
      ownerId: users.member.id,
      thread: newThread(now, [users.member.id]),
    },
    { ...text(id(), 'voice-room', atelier), type: ChannelType.GuildVoice },
    // Channels that deny the application a permission.
    text(id(), 'no-threads', atelier, [
      over(roleOf(atelier, world.bot).id, { deny: May.CreatePublicThreads | May.CreatePrivateThreads }),
    ]),
    text(id(), 'no-private-threads', atelier, [
      over(roleOf(atelier, world.bot).id, { deny: May.CreatePrivateThreads }),
    ]),
    text(id(), 'no-voice-messages', atelier, [over(roleOf(atelier, world.bot).id, { deny: May.SendVoiceMessages })]),
  );
  const elsewhere = build('elsewhere', [users.member, users.other, users.owner], true);
  elsewhere.channels.push(text(id(), 'hall', elsewhere));
  const uninvited = build('uninvited', [users.installer, users.other], false);
  uninvited.channels.push(text(id(), 'lobby', uninvited));
  for (const guild of [atelier, elsewhere, uninvited]) world.addGuild(guild);

  for (const user of Object.values(users)) world.addChannel(createDirectMessageChannel(id(), [user.id], true));
  world.addChannel({
    ...createDirectMessageChannel(id(), [users.installer.id, users.other.id], false),
    name: 'friends',
    type: ChannelType.GroupDM,
  });
  for (let at = 1; at <= guilds; at++) {
    const guild = build(`guild-${at}`, [], true);
    guild.channels.push(text(id(), 'general', guild));
    world.addGuild(guild);
  }
  return world;
}

const person = (id: string, name: string): User => ({
  id,
  name,
  bot: false,
  locale: 'en-US',
  directMessages: 'accepted',
  hasInstalled: false,
});

interface Plan {
  readonly id: MakeId;
  readonly now: number;
  readonly name: string;
  readonly members: readonly User[];
  readonly owner: User;
  readonly bot: User | undefined;
}

function guildOf({ id, now, name, members, owner, bot }: Plan): Guild {
  const guildId = id();
  const roles: Role[] = [{ id: guildId, name: '@everyone', permissions: everyone }];
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
    const role: Role = { id: id(), name: bot.name, permissions: application };
    roles.push(role);
    guild.members.set(bot.id, { userId: bot.id, roles: [role.id], joinedAt: now });
  }
  return guild;
}

const text = (id: string, name: string, guild: Guild, overwrites: Overwrite[] = []): Channel => ({
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
  people: members,
  withApplication,
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

const over = (id: string, bits: { allow?: bigint; deny?: bigint }): Overwrite => ({
  id,
  kind: 'role',
  allow: bits.allow ?? 0n,
  deny: bits.deny ?? 0n,
});
