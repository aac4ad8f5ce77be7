import { type Actor, actorOf } from './actor.ts';
import { partsOf } from './assemble.ts';
import type { RateLimited } from './buckets.ts';
import { directMessageChannel } from './direct.ts';
import { type Message, messageOf } from './exchange.ts';
import type { FaultRule } from './faults.ts';
import type { Limits } from './limits.ts';
import type { DiscordOptions } from './options.ts';
import { type Outcome, obey } from './orders.ts';
import type { Post } from './post.ts';
import type { Command } from './registry.ts';
import type { RecordedRequest } from './request-log.ts';
import { serverFor } from './server.ts';
import { type Sight, sightOf } from './sight.ts';
import type { StreamEvent } from './stream.ts';
import { text } from './text.ts';
import type { RecordedViolation } from './validator.ts';
import type { Channel, World } from './world.ts';

export { type DiscordOptions, text };

export interface EmbeddedDiscord {
  readonly url: string;
  readonly apiUrl: string;
  readonly token: string;
  readonly applicationId: string;
  readonly world: World;
  readonly commands: { global(): Command[]; guild(id: string): Command[] };
  readonly violations: readonly RecordedViolation[];
  readonly rateLimited: readonly RateLimited[];
  readonly heard: readonly RecordedRequest[];
  readonly gateway: {
    readonly sessions: number;
    cut(): void;
    shut(code: number): void;
    orderReconnect(): void;
    invalidate(resumable: boolean): void;
    readonly identifies: number;
    readonly resumes: number;
  };
  readonly faults: { add(order: FaultRule): void; clear(): void };
  expireTokens(): void;
  /** Makes every message and every interaction token older by the given time. */
  age(ms: number): void;
  sight(user: string): Sight;
  openDirect(user: string): Channel;
  /** Denies the bot permissions in a channel and its threads. */
  restrict(channel: string, ...permissions: readonly bigint[]): void;
  /** Carries out an order in the format of the control address (`orders.ts`). */
  obey(order: unknown): Promise<Outcome>;
  /** Reports events as they happen; the returned function stops it. */
  listen(listener: (event: StreamEvent) => void): () => void;
  readonly limits: Limits;
  as(user: 'member' | 'other' | 'admin' | 'owner' | 'installer' | (string & {})): Actor;
  /** Adds a message from an earlier run. */
  restore(post: Post): void;
  /** All messages of a channel, oldest first, including ephemeral ones. */
  messages(channel: string): readonly Message[];
  /** Waits until `look` returns a value; `look` runs after every change. */
  until<Found>(look: () => Found | undefined, what?: string): Promise<Found>;
  close(): Promise<void>;
}

/** Three parts, in the format of Discord's tokens; it belongs to no account. */
const TOKEN = 'MTAwMDAwMDAwMDAwMDAwMDAw.GsandB.embedded-discord-token-for-tests-only-000';

export async function startDiscord(options: DiscordOptions = {}): Promise<EmbeddedDiscord> {
  const { port = 0, token = TOKEN } = options;
  let url = '';
  const parts = partsOf(options, token, () => url);
  const server = await serverFor(parts);
  const { world, watch, interactions, hub, registry, validator, buckets, heard, faults, messages } = parts;
  const close = async () => {
    interactions.close();
    watch.close();
    await server.close();
  };
  try {
    url = await server.listen({ port, host: '127.0.0.1' });
  } catch (problem) {
    await close();
    throw problem;
  }
  return {
    url,
    apiUrl: `${url}/api`,
    token,
    applicationId: world.applicationId,
    world,
    commands: { global: () => [...registry.list(undefined)], guild: (id) => [...registry.list(world.guild(id).id)] },
    violations: validator.violations,
    rateLimited: buckets.limited,
    heard: heard.entries,
    gateway: {
      get sessions() {
        return hub.connected;
      },
      get identifies() {
        return hub.identifies;
      },
      get resumes() {
        return hub.resumes;
      },
      cut: () => hub.cut(),
      shut: (code) => hub.shut(code),
      orderReconnect: () => hub.orderReconnect(),
      invalidate: (resumable) => hub.invalidate(resumable),
    },
    faults,
    expireTokens: () => interactions.expireAll(),
    age: (ms) => {
      interactions.age(ms);
      messages.age(ms);
    },
    sight: (user) => sightOf(user, parts),
    openDirect: (user) => directMessageChannel(world.user(user), parts),
    restrict: (channel, ...permissions) => {
      const deny = permissions.reduce((sum, bit) => sum | bit, 0n);
      const { parentId = '', ...there } = world.channel(channel);
      // Threads use the permission overwrites of their parent channel.
      const { overwrites } = world.channels.get(parentId) ?? there;
      overwrites.push({ id: world.bot.id, kind: 'member', allow: 0n, deny });
    },
    obey: (order) => obey(order, parts),
    listen: (listener) => parts.stream.listen(listener),
    limits: parts.limits,
    as: (user) => actorOf(user, parts),
    restore: (post) => messages.restore(post),
    messages: (channel) => messages.in(world.channel(channel).id).map((post) => messageOf(post, parts)),
    until: (look, what = 'a condition') => watch.until(look, what),
    close,
  };
}
