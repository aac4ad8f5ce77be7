import { type ActionResult, performAction } from './actions.ts';
import { type Actor, actorOf } from './actor.ts';
import { assembleParts } from './assemble.ts';
import type { RateLimitHit } from './buckets.ts';
import { type ClientView, clientViewOf } from './client-view.ts';
import type { Command } from './command-registry.ts';
import { directMessageChannel } from './direct-message-channel.ts';
import { type Message, messageOf } from './exchange.ts';
import type { FaultRule } from './faults.ts';
import type { Limits } from './limits.ts';
import type { DiscordOptions } from './options.ts';
import type { Post } from './post.ts';
import type { RecordedRequest } from './request-log.ts';
import { buildServer } from './server.ts';
import type { ShardChoice } from './socket/shard.ts';
import type { ShardCounts } from './socket/shard-counter.ts';
import type { StreamEvent } from './stream.ts';
import { text } from './text.ts';
import type { RecordedViolation } from './validator.ts';
import type { Channel, World } from './world.ts';

export { type DiscordOptions, text };

export interface EmbeddedDiscord {
  readonly url: string;
  /** The base of the REST routes, without a version, as the option `rest.api` of discord.js expects it. */
  readonly apiUrl: string;
  /** Libraries read it from `GET /gateway/bot`. */
  readonly gatewayUrl: string;
  readonly token: string;
  readonly applicationId: string;
  readonly world: World;
  readonly commands: { global(): Command[]; guild(id: string): Command[] };
  readonly violations: readonly RecordedViolation[];
  readonly rateLimitHits: readonly RateLimitHit[];
  readonly requests: readonly RecordedRequest[];
  readonly gateway: {
    /** The number of connected sessions. */
    readonly sessions: number;
    readonly identifies: number;
    readonly resumes: number;
    countsOf(shard: ShardChoice): ShardCounts & { readonly sessions: number };
    /** Without a shard, these methods affect all shards. */
    dropConnections(shard?: ShardChoice): void;
    closeSessions(code: number, shard?: ShardChoice): void;
    requestReconnect(shard?: ShardChoice): void;
    invalidate(resumable: boolean, shard?: ShardChoice): void;
  };
  readonly faults: { add(rule: FaultRule): void; clear(): void; readonly isEmpty: boolean };
  expireTokens(): void;
  /** Makes every message and every interaction token older by the given time. */
  age(ms: number): void;
  clientView(user: string): ClientView;
  openDirectMessage(user: string): Channel;
  /** Denies the bot permissions in a channel and its threads. */
  restrict(channel: string, ...permissions: readonly bigint[]): void;
  /** Performs an action in the format of the control API (`actions.ts`). */
  perform(action: unknown): Promise<ActionResult>;
  /** Calls the listener for every event; returns a function that removes it. */
  listen(listener: (event: StreamEvent) => void): () => void;
  readonly limits: Limits;
  as(user: 'member' | 'other' | 'admin' | 'owner' | 'installer' | (string & {})): Actor;
  /** Adds a message from an earlier run. */
  restore(post: Post): void;
  /** All messages of a channel, oldest first, including ephemeral ones. */
  messages(channel: string): readonly Message[];
  /** Waits until `find` returns a value; `find` runs after every change. */
  until<Found>(find: () => Found | undefined, what?: string): Promise<Found>;
  close(): Promise<void>;
}

/** It has the three-part format of Discord's tokens, but belongs to no account. */
const TOKEN = 'MTAwMDAwMDAwMDAwMDAwMDAw.GsandB.embedded-discord-token-for-tests-only-000';

export async function startDiscord(options: DiscordOptions = {}): Promise<EmbeddedDiscord> {
  const { port = 0, token = TOKEN } = options;
  let url = '';
  const parts = assembleParts(options, token, () => url);
  const server = await buildServer(parts);
  const {
    world,
    watch,
    interactions,
    hub,
    registry,
    validator,
    buckets,
    requestLog: requests,
    faults,
    messages,
  } = parts;
  const close = async () => {
    interactions.close();
    watch.close();
    await server.close();
  };
  try {
    url = await server.listen({ port, host: '127.0.0.1' });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    url,
    apiUrl: `${url}/api`,
    gatewayUrl: parts.gatewayUrl(),
    token,
    applicationId: world.applicationId,
    world,
    commands: { global: () => [...registry.list(undefined)], guild: (id) => [...registry.list(world.guild(id).id)] },
    violations: validator.violations,
    rateLimitHits: buckets.hits,
    requests: requests.entries,
    gateway: {
      get sessions() {
        return hub.connectedCount;
      },
      get identifies() {
        return hub.identifies;
      },
      get resumes() {
        return hub.resumes;
      },
      countsOf: (shard) => ({ ...hub.counter.countsOf(shard), sessions: hub.countConnected(shard) }),
      dropConnections: (shard) => hub.dropConnections(shard),
      closeSessions: (code, shard) => hub.closeSessions(code, shard),
      requestReconnect: (shard) => hub.requestReconnect(shard),
      invalidate: (resumable, shard) => hub.invalidate(resumable, shard),
    },
    faults,
    expireTokens: () => interactions.expireAll(),
    age: (ms) => {
      interactions.age(ms);
      messages.age(ms);
    },
    clientView: (user) => clientViewOf(user, parts),
    openDirectMessage: (user) => directMessageChannel(world.user(user), parts),
    restrict: (channel, ...permissions) => {
      const deny = permissions.reduce((sum, bit) => sum | bit, 0n);
      const { parentId = '', ...target } = world.channel(channel);
      // Threads use the permission overwrites of their parent channel.
      const { overwrites } = world.channels.get(parentId) ?? target;
      overwrites.push({ id: world.bot.id, kind: 'member', allow: 0n, deny });
    },
    perform: (action) => performAction(action, parts),
    listen: (listener) => parts.stream.listen(listener),
    limits: parts.limits,
    as: (user) => actorOf(user, parts),
    restore: (post) => messages.restore(post),
    messages: (channel) => messages.listInChannel(world.channel(channel).id).map((post) => messageOf(post, parts)),
    until: (find, what = 'a condition') => watch.until(find, what),
    close,
  };
}
