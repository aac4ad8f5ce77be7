import { type Actor, actorOf } from './actor.ts';
import { partsOf } from './assemble.ts';
import type { RateLimited } from './buckets.ts';
import { directWith } from './direct.ts';
import { type Message, seen } from './exchange.ts';
import type { FaultOrder } from './faults.ts';
import type { HeardRequest } from './heard.ts';
import type { RecordedViolation } from './judging.ts';
import type { Limits } from './limits.ts';
import type { DiscordOptions } from './options.ts';
import { type Outcome, obey } from './orders.ts';
import type { Post } from './post.ts';
import type { Command } from './registry.ts';
import { serverFor } from './server.ts';
import { type Sight, sightOf } from './sight.ts';
import type { Happening } from './stream.ts';
import { text } from './text.ts';
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
  readonly heard: readonly HeardRequest[];
  readonly gateway: {
    readonly sessions: number;
    cut(): void;
    shut(code: number): void;
    orderReconnect(): void;
    invalidate(resumable: boolean): void;
    readonly identifies: number;
    readonly resumes: number;
  };
  readonly faults: { add(order: FaultOrder): void; clear(): void };
  expireTokens(): void;
  /** As if so much time had passed for every message, and for the token of every interaction. */
  age(ms: number): void;
  sight(user: string): Sight;
  openDirect(user: string): Channel;
  /** Takes permissions from the bot in one channel and its threads, in which they are the same. */
  restrict(channel: string, ...permissions: readonly bigint[]): void;
  /** Carries out an order as the control address takes it (`orders.ts`). */
  obey(order: unknown): Promise<Outcome>;
  /** What goes on, as it happens; the returned function ends it. */
  listen(listener: (happening: Happening) => void): () => void;
  readonly limits: Limits;
  as(user: 'member' | 'other' | 'admin' | 'owner' | 'installer' | (string & {})): Actor;
  /** A message of an earlier life. */
  restore(post: Post): void;
  /** What stands in a channel, oldest first, ephemeral messages among them. */
  messages(channel: string): readonly Message[];
  /** Waits until what `look` looks for is there, looking whenever something has changed here. */
  until<Found>(look: () => Found | undefined, what?: string): Promise<Found>;
  close(): Promise<void>;
}

/** Three parts, as Discord's tokens have, and nobody's. */
const TOKEN = 'MTAwMDAwMDAwMDAwMDAwMDAw.GsandB.embedded-discord-token-for-tests-only-000';

export async function startDiscord(options: DiscordOptions = {}): Promise<EmbeddedDiscord> {
  const { port = 0, token = TOKEN } = options;
  let url = '';
  const parts = partsOf(options, token, () => url);
  const server = await serverFor(parts);
  const { world, watch, desk, hub, registry, judge, buckets, heard, faults, messages } = parts;
  const close = async () => {
    desk.close();
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
    violations: judge.violations,
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
    expireTokens: () => desk.expireAll(),
    age: (ms) => {
      desk.age(ms);
      messages.age(ms);
    },
    sight: (user) => sightOf(user, parts),
    openDirect: (user) => directWith(world.user(user), parts),
    restrict: (channel, ...permissions) => {
      const deny = permissions.reduce((sum, bit) => sum | bit, 0n);
      const { parentId = '', ...there } = world.channel(channel);
      // A thread has the permissions of its channel.
      const { overwrites } = world.channels.get(parentId) ?? there;
      overwrites.push({ id: world.bot.id, kind: 'member', allow: 0n, deny });
    },
    obey: (order) => obey(order, parts),
    listen: (listener) => parts.stream.listen(listener),
    limits: parts.limits,
    as: (user) => actorOf(user, parts),
    restore: (post) => messages.restore(post),
    messages: (channel) => messages.in(world.channel(channel).id).map((post) => seen(post, parts)),
    until: (look, what = 'what a test looks for') => watch.until(look, what),
    close,
  };
}
