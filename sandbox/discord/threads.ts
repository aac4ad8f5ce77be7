import { GatewayIntentBits as Intent, MessageType } from 'discord-api-types/v10';
import type { Change } from './messages.ts';
import { botPermissions, isThread } from './permissions.ts';
import type { Post } from './post.ts';
import type { Hub } from './socket/hub.ts';
import type { Stream } from './stream.ts';
import type { Watch } from './watch.ts';
import { threadMemberWire, threadWire } from './wire/channel.ts';
import { memberWire, userWire } from './wire/user.ts';
import type { Thread, ThreadChannel, World } from './world.ts';

interface Needs {
  readonly world: World;
  readonly hub: Hub;
  readonly stream: Stream;
  readonly watch: Watch;
  readonly now: () => number;
}

/** The properties of a thread that an edit can change. */
export type ThreadChange = Partial<Pick<Thread, 'archived' | 'locked' | 'invitable' | 'archiveMinutes'>> & {
  readonly name?: string;
};

/** Changes threads and dispatches the events (documentation, topics/threads, "Gateway Events"). */
export class Threads {
  readonly #needs: Needs;

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  open(thread: ThreadChannel): void {
    const { world } = this.#needs;
    world.addChannel(thread);
    this.#tell('THREAD_CREATE', thread, { ...threadWire(thread, world), newly_created: true });
    this.#tellMembers(thread, [...thread.thread.members.keys()], []);
  }

  join(thread: ThreadChannel, userId: string): void {
    const { world, now } = this.#needs;
    const { members } = thread.thread;
    if (members.has(userId)) return;
    members.set(userId, now());
    // The application may not have known this thread before.
    if (userId === world.bot.id) this.#tell('THREAD_CREATE', thread, threadWire(thread, world));
    this.#tellMembers(thread, [userId], []);
  }

  leave(thread: ThreadChannel, userId: string): void {
    if (thread.thread.members.delete(userId)) this.#tellMembers(thread, [], [userId]);
  }

  change(thread: ThreadChannel, { name, ...change }: ThreadChange): void {
    const { world, now } = this.#needs;
    const isArchiveChanged = change.archived !== undefined && change.archived !== thread.thread.archived;
    Object.assign(thread.thread, change, isArchiveChanged && { archivedAt: now() });
    if (name !== undefined) thread.name = name;
    this.#tell('THREAD_UPDATE', thread, threadWire(thread, world));
  }

  remove(thread: ThreadChannel): void {
    const { id, guildId, parentId, type } = thread;
    this.#tell('THREAD_DELETE', thread, { id, guild_id: guildId, parent_id: parentId, type });
    this.#needs.world.removeChannel(thread);
    this.#changed();
  }

  /** A new message unarchives the thread and adds its author and the mentioned users. */
  onMessage({ channel, author, mentions, type, viewer }: Post, change: Change): void {
    if (!isThread(channel) || viewer !== undefined || type === MessageType.ThreadStarterMessage) return;
    const { thread } = channel;
    if (change === 'delete') thread.messageCount -= 1;
    if (change !== 'create') return;
    thread.messageCount += 1;
    thread.totalSent += 1;
    if (thread.archived) this.change(channel, { archived: false });
    const guild = this.#needs.world.guildOf(channel);
    for (const id of [author.id, ...mentions]) if (guild?.members.has(id)) this.join(channel, id);
  }

  #tell(event: string, thread: ThreadChannel, data: unknown): void {
    const { hub } = this.#needs;
    if (this.#isSeen(thread)) hub.dispatch(event, () => data, { intent: Intent.Guilds, guildId: thread.guildId });
    this.#changed();
  }

  /** Changes of other members are sent only with the members intent. */
  #tellMembers(thread: ThreadChannel, added: readonly string[], removed: readonly string[]): void {
    const { hub, world } = this.#needs;
    const { id, guildId } = thread;
    const isOwn = [...added, ...removed].includes(world.bot.id);
    const data = {
      id,
      guild_id: guildId,
      member_count: thread.thread.members.size,
      ...(added.length > 0 && { added_members: added.map((one) => this.#memberWire(thread, one)) }),
      ...(removed.length > 0 && { removed_member_ids: removed }),
    };
    const intent = isOwn ? Intent.Guilds | Intent.GuildMembers : Intent.GuildMembers;
    if (isOwn || this.#isSeen(thread)) hub.dispatch('THREAD_MEMBERS_UPDATE', () => data, { intent, guildId });
    this.#changed();
  }

  #memberWire(thread: ThreadChannel, userId: string): unknown {
    const { world } = this.#needs;
    const member = world.guildOf(thread)?.members.get(userId);
    return {
      ...threadMemberWire(thread, userId),
      ...(member && { member: { ...memberWire(member), user: userWire(world.user(userId)) } }),
      presence: null,
    };
  }

  #isSeen(thread: ThreadChannel): boolean {
    return botPermissions(thread, this.#needs) !== 0n;
  }

  #changed(): void {
    this.#needs.stream.tell({ kind: 'world', what: {} });
    this.#needs.watch.changed();
  }
}
