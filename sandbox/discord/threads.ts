import { GatewayIntentBits as Intent, MessageType } from 'discord-api-types/v10';
import type { MessageChangeKind } from './message-store.ts';
import { botPermissions, isThread } from './permissions.ts';
import type { Post } from './post.ts';
import type { Hub } from './socket/hub.ts';
import type { EventStream } from './stream.ts';
import type { Watch } from './watch.ts';
import { threadMemberPayload, threadPayload } from './wire/channel.ts';
import { memberPayload, userPayload } from './wire/user.ts';
import type { Thread, ThreadChannel, World } from './world.ts';

interface Dependencies {
  readonly world: World;
  readonly hub: Hub;
  readonly stream: EventStream;
  readonly watch: Watch;
  readonly now: () => number;
}

/** The properties of a thread that an edit can change. */
export type ThreadChange = Partial<Pick<Thread, 'archived' | 'locked' | 'invitable' | 'archiveMinutes'>> & {
  readonly name?: string;
};

/** Changes threads and dispatches the events (documentation, topics/threads, "Gateway Events"). */
export class Threads {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  add(thread: ThreadChannel): void {
    const { world } = this.#dependencies;
    world.addChannel(thread);
    this.#dispatch('THREAD_CREATE', thread, { ...threadPayload(thread, world), newly_created: true });
    this.#dispatchMembers(thread, [...thread.thread.members.keys()], []);
  }

  join(thread: ThreadChannel, userId: string): void {
    const { world, now } = this.#dependencies;
    const { members } = thread.thread;
    if (members.has(userId)) return;
    members.set(userId, now());
    // The application may not have known this thread before.
    if (userId === world.bot.id) this.#dispatch('THREAD_CREATE', thread, threadPayload(thread, world));
    this.#dispatchMembers(thread, [userId], []);
  }

  leave(thread: ThreadChannel, userId: string): void {
    if (thread.thread.members.delete(userId)) this.#dispatchMembers(thread, [], [userId]);
  }

  change(thread: ThreadChannel, { name, ...change }: ThreadChange): void {
    const { world, now } = this.#dependencies;
    const isArchiveChanged = change.archived !== undefined && change.archived !== thread.thread.archived;
    Object.assign(thread.thread, change, isArchiveChanged && { archivedAt: now() });
    if (name !== undefined) thread.name = name;
    this.#dispatch('THREAD_UPDATE', thread, threadPayload(thread, world));
  }

  remove(thread: ThreadChannel): void {
    const { id, guildId, parentId, type } = thread;
    this.#dispatch('THREAD_DELETE', thread, { id, guild_id: guildId, parent_id: parentId, type });
    this.#dependencies.world.removeChannel(thread);
    this.#announceChange();
  }

  /** A new message unarchives the thread and adds its author and the mentioned users. */
  onMessage({ channel, author, mentions, type, viewer }: Post, change: MessageChangeKind): void {
    if (!isThread(channel) || viewer !== undefined || type === MessageType.ThreadStarterMessage) return;
    const { thread } = channel;
    if (change === 'delete') thread.messageCount -= 1;
    if (change !== 'create') return;
    thread.messageCount += 1;
    thread.totalSent += 1;
    if (thread.archived) this.change(channel, { archived: false });
    const guild = this.#dependencies.world.guildOf(channel);
    for (const id of [author.id, ...mentions]) if (guild?.members.has(id)) this.join(channel, id);
  }

  #dispatch(event: string, thread: ThreadChannel, data: unknown): void {
    const { hub } = this.#dependencies;
    if (this.#canBotSee(thread)) hub.dispatch(event, () => data, { intent: Intent.Guilds, guildId: thread.guildId });
    this.#announceChange();
  }

  /** Changes to other members are sent only with the members intent. */
  #dispatchMembers(thread: ThreadChannel, addedIds: readonly string[], removedIds: readonly string[]): void {
    const { hub, world } = this.#dependencies;
    const { id, guildId } = thread;
    const isOwn = [...addedIds, ...removedIds].includes(world.bot.id);
    const data = {
      id,
      guild_id: guildId,
      member_count: thread.thread.members.size,
      ...(addedIds.length > 0 && { added_members: addedIds.map((one) => this.#memberWire(thread, one)) }),
      ...(removedIds.length > 0 && { removed_member_ids: removedIds }),
    };
    const intent = isOwn ? Intent.Guilds | Intent.GuildMembers : Intent.GuildMembers;
    if (isOwn || this.#canBotSee(thread)) hub.dispatch('THREAD_MEMBERS_UPDATE', () => data, { intent, guildId });
    this.#announceChange();
  }

  #memberWire(thread: ThreadChannel, userId: string): unknown {
    const { world } = this.#dependencies;
    const member = world.guildOf(thread)?.members.get(userId);
    return {
      ...threadMemberPayload(thread, userId),
      ...(member && { member: { ...memberPayload(member), user: userPayload(world.user(userId)) } }),
      presence: null,
    };
  }

  #canBotSee(thread: ThreadChannel): boolean {
    return botPermissions(thread, this.#dependencies) !== 0n;
  }

  #announceChange(): void {
    this.#dependencies.stream.publish({ kind: 'world', what: {} });
    this.#dependencies.watch.notify();
  }
}
