import { ChannelType, Locale } from 'discord-api-types/v10';
import type { ClientView } from '../discord/client-view.ts';
import type { EmbeddedDiscord } from '../discord/discord.ts';
import { isThread } from '../discord/permissions.ts';
import type { Channel as DiscordChannel, World as DiscordWorld, ThreadChannel } from '../discord/world.ts';
import { personOf } from './people.ts';
import type { Channel, Guild, Person, World } from './protocol.ts';

/** The bot's display name in direct messages. */
const APPLICATION_NAME = 'Atelier';

/** Finds a predefined user by id or role. */
export function findPerson(idOrRole: unknown, { world }: EmbeddedDiscord): Person {
  const people = peopleOf(world);
  const person = people.find(({ id, name }) => id === idOrRole || name === idOrRole);
  if (!person)
    throw new Error(
      `There is no person named ${String(idOrRole)}. Choose one of: ${people.map(({ name }) => name).join(', ')}.`,
    );
  return person;
}

/** Sets the language of a person's client or, if `guild` is its id, of a guild. */
export function setLocale({ as, guild, locale }: Record<string, unknown>, discord: EmbeddedDiscord): void {
  const found = Object.values(Locale).find((one) => one === locale);
  if (found === undefined) throw new Error(`Discord has no language ${String(locale)}.`);
  const { world } = discord;
  const target = guild === undefined ? world.user(findPerson(as, discord).id) : world.guild(String(guild));
  target.locale = found;
}

export function worldFor(me: Person, discord: EmbeddedDiscord): World {
  const { world, limits, applicationId } = discord;
  const clientView = discord.clientView(me.id);
  const guilds = [...world.guilds.values()].filter(({ members }) => members.has(me.id));
  return {
    me,
    people: peopleOf(world),
    locales: Object.values(Locale),
    application: { id: applicationId, name: APPLICATION_NAME },
    guilds: guilds.map((guild): Guild => {
      const channels = clientView.channels
        .filter(({ guildId }) => guildId === guild.id)
        .map((one) => channelView(one, clientView));
      const commandsById = new Map(
        channels.flatMap(({ commands }) => commands.map((command) => [command.id, command])),
      );
      return {
        id: guild.id,
        name: guild.name,
        locale: guild.locale,
        installed: guild.installed,
        channels,
        members: [...guild.members.keys()].filter((id) => id !== world.bot.id),
        roles: guild.roles.map(({ id, name }) => ({ id, name })),
        commands: [...commandsById.values()],
      };
    }),
    direct: clientView.channels
      .filter(({ recipientIds }) => recipientIds !== undefined)
      .map((one) => channelView(one, clientView)),
    uploadBytes: limits.uploadBytes,
  };
}

const peopleOf = ({ users }: DiscordWorld): Person[] => [...users.values()].flatMap((user) => personOf(user) ?? []);

function channelView(channel: DiscordChannel, clientView: ClientView): Channel {
  const kind = kindOf(channel);
  return {
    id: channel.id,
    name: kind === 'direct' ? APPLICATION_NAME : channel.name,
    kind,
    ...(channel.parentId !== undefined && { parentId: channel.parentId }),
    ...(isThread(channel) && { thread: threadOf(channel) }),
    ageRestricted: channel.ageRestricted,
    maySend: clientView.canSend(channel),
    commands: clientView.availableCommands(channel),
  };
}

function threadOf({ type, ownerId, thread }: ThreadChannel): NonNullable<Channel['thread']> {
  const { archived, locked } = thread;
  const isPrivate = type === ChannelType.PrivateThread;
  return { isPrivate, archived, locked, ...(ownerId !== undefined && { madeBy: ownerId }) };
}

function kindOf(channel: DiscordChannel): Channel['kind'] {
  if (channel.type === ChannelType.DM) return 'direct';
  if (channel.type === ChannelType.GroupDM) return 'group';
  if (channel.type === ChannelType.GuildVoice) return 'voice';
  return isThread(channel) ? 'thread' : 'text';
}
