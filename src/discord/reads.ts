import {
  ApplicationFlags,
  ChannelType,
  RESTJSONErrorCodes as Code,
  InteractionContextType,
  PermissionFlagsBits,
  Routes,
  TeamMemberMembershipState,
} from 'discord-api-types/v10';
import { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
import { isRecord } from '../lib/exact-json.ts';
import type { PlainLog } from '../lib/log.ts';
import { RecentMap, RecentValues } from '../lib/recent-map.ts';
import type { Task } from '../services/tasks/task.ts';
import { permissionsIn } from './guards.ts';
import { grantsAny, type InteractionPlace, THREAD_TYPES } from './interaction-facts.ts';
import type { DiscordClients, DiscordReads } from './outbox/clients.ts';
import { errorFacts, failureKindOf, hasCode, onCode, tryAndLog } from './outbox/errors.ts';
import { isVisibleToOwnerOnly } from './outbox/ways.ts';

const personSchema = z.object({ id: z.string() });

const applicationShape = z.object({
  flags: z.number().optional(),
  owner: personSchema.optional(),
  team: z.object({ members: z.array(z.object({ membership_state: z.number(), user: personSchema })) }).nullish(),
});
type Application = z.output<typeof applicationShape>;

const gatewayShape = z.object({
  url: z.string(),
  shards: z.int().min(1),
  session_start_limit: z.object({
    total: z.number(),
    remaining: z.number(),
    reset_after: z.number(),
    max_concurrency: z.int().min(1),
  }),
});

/** Where to connect, with how many shards, and how many sessions may be started. */
export type GatewayInfo = z.output<typeof gatewayShape>;

export const readGateway = async (reads: DiscordReads): Promise<GatewayInfo> =>
  gatewayShape.parse(await reads.get(Routes.gatewayBot()));

const overwrites = z.array(z.object({ id: z.string(), allow: z.string(), deny: z.string() })).default([]);
const channelAccess = z.object({
  type: z.number(),
  parent_id: z.string().nullish(),
  nsfw: z.boolean().default(false),
  permission_overwrites: overwrites,
});
const rolesShape = z.array(z.object({ id: z.string(), permissions: z.string() }));
const guildAccess = z.object({
  owner_id: z.string(),
  preferred_locale: z.string().optional(),
  roles: rolesShape,
});
const commandPermission = z.object({ id: z.string(), type: z.number(), permission: z.boolean() });
const commandAccess = z.array(z.object({ id: z.string(), permissions: z.array(commandPermission) }));
export type CommandPermission = z.output<typeof commandPermission>;

/** What decides about what members may do in a channel, in a server, and with the commands of the application there. */
export const readChannelAccess = async (reads: DiscordReads, channelId: string) =>
  channelAccess.parse(await reads.get(Routes.channel(channelId)));
export const readGuildAccess = async (reads: DiscordReads, guildId: string) =>
  guildAccess.parse(await reads.get(Routes.guild(guildId)));
export const readCommandAccess = async (reads: DiscordReads, applicationId: string, guildId: string) =>
  commandAccess.parse(await reads.get(Routes.guildApplicationCommandsPermissions(applicationId, guildId)));

/** Discord does not let this bot read messages, although the operator has enabled it. */
export class MissingIntent extends Error {
  override readonly name = 'MissingIntent';

  constructor() {
    super(
      'DISCORD_MESSAGE_CONTENT is on, but the bot does not have the Message Content intent. Enable "Message Content Intent" in the developer portal ("Bot"), or turn the setting off.',
    );
  }
}

const MESSAGE_CONTENT_FLAGS = ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited;

/** Whether the operator has enabled the intent in the developer portal. */
export const canReadMessages = ({ flags = 0 }: { flags?: number | undefined }): boolean =>
  (flags & MESSAGE_CONTENT_FLAGS) !== 0;

/** Checked before the login, because the login's own error would not help an operator. */
export async function requireMessageContent(reads: DiscordReads, token: string, log: PlainLog): Promise<void> {
  let application: Application;
  try {
    const headers = { authorization: `Bot ${token}` };
    application = applicationShape.parse(await reads.get(Routes.currentApplication(), { auth: false, headers }));
  } catch (error) {
    // The login will report an invalid token or a lost connection more precisely.
    log.warn(errorFacts(error), 'Could not read from Discord whether this bot may read messages.');
    return;
  }
  if (!canReadMessages(application)) throw new MissingIntent();
}

/** The type of a channel never changes, so it is cached, for up to this many channels. */
const MAX_CACHED_CHANNELS = 5_000;

const guildShape = z.object({ name: z.string(), preferred_locale: z.string().optional() });
const memberShape = z.object({ roles: z.array(z.string()) });
const channelsShape = z.array(z.object({ id: z.string(), permission_overwrites: overwrites }));
const namedSchema = z.array(z.object({ id: z.string(), name: z.string() }));

/** What the bot reads from Discord while it runs. */
export class DiscordReader {
  readonly #reads: DiscordReads;
  readonly #log: PlainLog;
  readonly #threadChecks = new RecentMap<string, Promise<boolean>>(MAX_CACHED_CHANNELS);
  #owners: Promise<ReadonlySet<string>> | undefined;

  constructor(reads: DiscordReads, log: PlainLog) {
    this.#reads = reads;
    this.#log = log;
  }

  /** The ids of the application's owner, or of its team's members. If they cannot be read, the set is empty, and the next call tries again. */
  async owners(): Promise<ReadonlySet<string>> {
    this.#owners ??= this.#reads.get(Routes.currentApplication()).then((found) => idsOf(applicationShape.parse(found)));
    try {
      return await this.#owners;
    } catch (error) {
      this.#owners = undefined;
      this.#log.warn({ err: error }, 'Could not fetch the owner of the bot from Discord.');
      return new Set();
    }
  }

  /** The fresh URLs of the files in a task's message by their names, valid for a day. Undefined if Discord does not respond. */
  async storedFiles(task: Task): Promise<ReadonlyMap<string, string> | undefined> {
    const { message } = task;
    if (!message || isVisibleToOwnerOnly(task, message)) return new Map();
    try {
      return filesOf(await this.#reads.get(Routes.channelMessage(message.channelId, message.id)));
    } catch (error) {
      this.#log.info({ task: task.id, ...errorFacts(error) }, 'Could not read the message of a task.');
      return failureKindOf(error, 'edit') === 'later' ? undefined : new Map();
    }
  }

  /** A message does not say whether its channel is a thread, and the servers' channels are not cached. */
  isThread(channelId: string): Promise<boolean> {
    const check =
      this.#threadChecks.get(channelId) ??
      this.#reads.get(Routes.channel(channelId)).then((channel) => isRecord(channel) && THREAD_TYPES.has(channel.type));
    this.#threadChecks.set(channelId, check);
    // A failed read is not cached.
    check.catch(() => this.#threadChecks.delete(channelId));
    return check;
  }

  /** Whether a channel belongs to another server; an ID can be forged. False if the bot cannot read the channel, where it cannot post either. */
  async isForeignChannel(channelId: string, guildId: string): Promise<boolean> {
    const channel = await tryAndLog(this.#log, 'Could not read a channel.', { server: guildId }, () =>
      this.#reads.get(Routes.channel(channelId)),
    );
    return isRecord(channel) && channel.guild_id !== guildId;
  }

  /** Whether a channel no longer exists, or the bot cannot see it. False if Discord does not respond. */
  async isGone(channelId: string): Promise<boolean> {
    try {
      await this.#reads.get(Routes.channel(channelId));
      return false;
    } catch (error) {
      this.#log.info({ channel: channelId, ...errorFacts(error) }, 'Could not read a channel.');
      return hasCode(error, Code.UnknownChannel, Code.MissingAccess);
    }
  }

  /** Whether everyone on a server can see a channel. False if Discord does not respond. */
  async isSeenByEveryone(channelId: string, guildId: string): Promise<boolean> {
    const failure = 'Could not read who can see a channel.';
    const isSeen = await tryAndLog(this.#log, failure, { server: guildId }, async () => {
      const [{ roles }, channel] = await Promise.all([
        readGuildAccess(this.#reads, guildId),
        readChannelAccess(this.#reads, channelId),
      ]);
      if (channel.type === ChannelType.PrivateThread) return false;
      // A thread has the permissions of its parent.
      const parentId = THREAD_TYPES.has(channel.type) ? channel.parent_id : undefined;
      const place = parentId ? await readChannelAccess(this.#reads, parentId) : channel;
      return grantsAny(permissionsIn(roles, { guildId }, place.permission_overwrites), PermissionFlagsBits.ViewChannel);
    });
    return isSeen === true;
  }

  /** The names of a server's roles and channels, by their mentions. There are none if Discord does not respond. */
  async serverNames(guildId: string): Promise<ReadonlyMap<string, string>> {
    const failure = 'Could not read the names of roles and channels.';
    const names = await tryAndLog(this.#log, failure, { server: guildId }, async () => {
      const routes = [Routes.guildRoles(guildId), Routes.guildChannels(guildId)];
      const responses = await Promise.all(routes.map((route) => this.#reads.get(route)));
      const [roles = [], channels = []] = responses.map((response) => namedSchema.parse(response));
      return new Map([
        ...roles.map(({ id, name }) => [`<@&${id}>`, name] as const),
        ...channels.map(({ id, name }) => [`<#${id}>`, `#${name}`] as const),
      ]);
    });
    return names ?? new Map();
  }

  /** The bot's own permissions in all channels of a server, by their ids. There are none for threads, and if Discord does not respond. */
  async ownPermissions(guildId: string, botId: string): Promise<ReadonlyMap<string, bigint>> {
    const failure = 'Could not read the permissions in a server.';
    const permissions = await tryAndLog(this.#log, failure, { server: guildId }, async () => {
      const routes = [Routes.guildRoles(guildId), Routes.guildMember(guildId, botId), Routes.guildChannels(guildId)];
      const [roles, member, channels] = await Promise.all(routes.map((route) => this.#reads.get(route)));
      const serverRoles = rolesShape.parse(roles);
      const bot = { guildId, roleIds: memberShape.parse(member).roles, memberId: botId };
      return new Map(
        channelsShape
          .parse(channels)
          .map(({ id, permission_overwrites }) => [id, permissionsIn(serverRoles, bot, permission_overwrites)]),
      );
    });
    return permissions ?? new Map();
  }

  /** The name and the locale of a server; undefined if Discord does not tell them. */
  guild(guildId: string): Promise<z.output<typeof guildShape> | undefined> {
    return tryAndLog(this.#log, 'Could not read the name and the locale of a server.', { server: guildId }, async () =>
      guildShape.parse(await this.#reads.get(Routes.guild(guildId))),
    );
  }

  /** Whether the bot is in a server. Throws if Discord does not respond. */
  async isInServer(guildId: string): Promise<boolean> {
    const read = this.#reads.get(Routes.guild(guildId));
    return read.then(() => true).catch(onCode(false, Code.UnknownGuild, Code.MissingAccess));
  }
}

/** An application that belongs to a team is owned by the team's members, except those who have not accepted the invitation yet. */
function idsOf({ owner, team }: Application): ReadonlySet<string> {
  const { Accepted } = TeamMemberMembershipState;
  const members = team?.members.filter(({ membership_state }) => membership_state === Accepted).map(({ user }) => user);
  return new Set((members ?? (owner ? [owner] : [])).map(({ id }) => id));
}

const fileShape = z.object({ filename: z.string(), url: z.string() });

function filesOf(stored: unknown): Map<string, string> {
  const attachments: unknown = isRecord(stored) ? stored.attachments : undefined;
  if (!Array.isArray(attachments)) return new Map();
  const files = attachments.flatMap((one) => fileShape.safeParse(one).data ?? []);
  return new Map(files.map(({ filename, url }) => [filename, url]));
}

const commandsShape = z.array(z.object({ id: z.string(), name: z.string(), contexts: z.array(z.number()).nullish() }));
type Command = z.output<typeof commandsShape>[number];

/** Registered commands only change when they are deployed. */
const COMMAND_CACHE = { forMs: 10 * 60_000, max: 500 };

/** The ids of our commands, both global and server-specific, by their full names. */
export function createCommandLookup({ identity, reads }: DiscordClients, fullNames: readonly string[], clock: Clock) {
  async function fetch(guildId?: string): Promise<Command[]> {
    const id = identity.applicationId ?? '';
    const route = guildId === undefined ? Routes.applicationCommands(id) : Routes.applicationGuildCommands(id, guildId);
    return commandsShape.parse(await reads.get(route));
  }

  const registered = new RecentValues(
    async (guildId): Promise<ReadonlyMap<string, string>> => {
      const lists = await Promise.all([fetch(), ...(guildId === '' ? [] : [fetch(guildId)])]);
      // Commands that are only for servers with the bot are not offered anywhere else.
      const isOffered = ({ contexts }: Command): boolean =>
        guildId !== '' || !contexts?.every((context) => context === InteractionContextType.Guild);
      const offeredCommands = lists.flat().filter(isOffered);
      const ids = new Map(offeredCommands.map(({ name, id }) => [name, id]));
      return new Map(
        fullNames.flatMap((name) => {
          // The name of a menu contains spaces; a subcommand follows a space.
          const id = ids.get(name) ?? ids.get(name.split(' ')[0] ?? '');
          return id === undefined ? [] : [[name, id] as const];
        }),
      );
    },
    COMMAND_CACHE,
    clock,
  );
  // A server that has not installed the bot has no commands of its own.
  return ({ guildId = '', install }: InteractionPlace) => registered.get(install === 'guild' ? guildId : '');
}
