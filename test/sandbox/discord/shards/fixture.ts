import { type SessionInfo, WebSocketManager, WebSocketShardEvents } from '@discordjs/ws';
import { type GatewayDispatchEvents, GatewayIntentBits, REST, Routes } from 'discord.js';
import { expect, onTestFinished } from 'vitest';
import type { EmbeddedDiscord } from '../../../../sandbox/discord/discord.ts';
import { shardOf } from '../../../../sandbox/discord/socket/shard.ts';

type Sessions = Map<number, SessionInfo>;

interface ManagerOptions {
  readonly shardIds: number[];
  readonly shardCount: number;
  /** Sessions of an earlier manager, which are resumed. */
  readonly sessions?: Sessions;
}

interface ReceivedEvent {
  readonly shard: number;
  readonly event: `${GatewayDispatchEvents}`;
  readonly data: Record<string, unknown>;
}

export interface ConnectedShards {
  readonly manager: WebSocketManager;
  readonly sessions: Sessions;
  readonly received: ReceivedEvent[];
  /** The codes with which connections were closed. */
  readonly closed: { readonly shard: number; readonly code: number }[];
  /** Waits until a shard has received this many events of this type. */
  waitFor(shard: number, event: ReceivedEvent['event'], times?: number): Promise<void>;
  /** Disconnects with a code that keeps the sessions, and returns them. */
  disconnect(): Promise<Sessions>;
}

/** Connects the shards of one process. */
export async function connectShards(discord: EmbeddedDiscord, options: ManagerOptions): Promise<ConnectedShards> {
  const sessions: Sessions = options.sessions ?? new Map();
  const manager = new WebSocketManager({
    token: discord.token,
    intents: GatewayIntentBits.Guilds | GatewayIntentBits.GuildMessages | GatewayIntentBits.DirectMessages,
    rest: new REST({ api: discord.apiUrl }).setToken(discord.token),
    shardIds: options.shardIds,
    shardCount: options.shardCount,
    retrieveSessionInfo: (id) => sessions.get(id) ?? null,
    updateSessionInfo: (id, info) => {
      if (info) sessions.set(id, info);
      else sessions.delete(id);
    },
  });
  onTestFinished(() => manager.destroy());
  const received: ReceivedEvent[] = [];
  const closed: { shard: number; code: number }[] = [];
  manager.on(WebSocketShardEvents.Dispatch, ({ data, shardId }) => {
    received.push({ shard: shardId, event: data.t, data: data.d as ReceivedEvent['data'] });
  });
  manager.on(WebSocketShardEvents.Closed, ({ code, shardId }) => void closed.push({ shard: shardId, code }));
  // Without a listener, the last error of a shard would end the process.
  manager.on(WebSocketShardEvents.Error, () => undefined);
  await manager.connect();
  return {
    manager,
    sessions,
    received,
    closed,
    async waitFor(shard, event, times = 1) {
      const countReceived = () => received.filter((one) => one.shard === shard && one.event === event).length;
      await expect.poll(countReceived, { interval: 5 }).toBeGreaterThanOrEqual(times);
    },
    async disconnect() {
      const savedSessions = new Map(sessions);
      await manager.destroy({ code: 4200 });
      return savedSessions;
    },
  };
}

/** The ids of a shard's guilds in which the application is installed. */
export function guildsOf(discord: EmbeddedDiscord, id: number, count: number): string[] {
  const guilds = [...discord.world.guilds.values()].filter(({ installed }) => installed);
  return guilds.filter((guild) => shardOf(guild.id, count) === id).map((guild) => guild.id);
}

/** Adds the user `member` to a generated guild of a shard, and returns the guild. */
export function joinGuildOn(discord: EmbeddedDiscord, id: number, count: number) {
  const guild = [...discord.world.guilds.values()].find(
    (one) => one.name.startsWith('guild-') && shardOf(one.id, count) === id,
  );
  if (!guild) throw new Error(`There is no guild on shard ${id} of ${count}.`);
  const { id: userId } = discord.world.user('member');
  guild.members.set(userId, { userId, roles: [], joinedAt: 0 });
  return { ...guild, speaker: discord.as('member').in(`${guild.name}/general`) };
}

/** The channel ids of the messages that a shard has received. */
export const receivedChannels = ({ received }: ConnectedShards, shard: number): unknown[] =>
  received.filter((one) => one.shard === shard && one.event === 'MESSAGE_CREATE').map(({ data }) => data.channel_id);

/** Registers the command `/models`. */
export async function registerCommand({ apiUrl, applicationId, token }: EmbeddedDiscord): Promise<void> {
  const rest = new REST({ api: apiUrl }).setToken(token);
  await rest.put(Routes.applicationCommands(applicationId), {
    body: [{ name: 'models', description: 'What there is' }],
  });
}
