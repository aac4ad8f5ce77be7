import { ChannelType, MessageFlags, MessageType } from 'discord-api-types/v10';
import { newThread } from './create-world.ts';
import type { Parts } from './parts.ts';
import { isThread } from './permissions.ts';
import type { Post } from './post.ts';
import { notInDirectMessages, threadAlreadyExists, tooManyThreads, wrongChannelType } from './refusal.ts';
import type { Channel, ThreadChannel, User } from './world.ts';

export interface NewThread {
  readonly parent: Channel;
  readonly owner: User;
  readonly name: string;
  readonly type: ThreadType;
  readonly archiveMinutes?: number | null | undefined;
  readonly invitable?: boolean | null | undefined;
  /** The message on which the thread is started. */
  readonly starterMessage?: Post;
}

export type ThreadType = ChannelType.PublicThread | ChannelType.PrivateThread | ChannelType.AnnouncementThread;

/** The thread types of each channel type; other channels, such as voice channels, have no threads. */
const THREAD_TYPES: Readonly<Partial<Record<ChannelType, readonly ChannelType[]>>> = {
  [ChannelType.GuildText]: [ChannelType.PublicThread, ChannelType.PrivateThread],
  [ChannelType.GuildAnnouncement]: [ChannelType.AnnouncementThread],
};

/** Throws if the channel's type does not support threads of this type, regardless of permissions. */
export function checkThreadType(parent: Channel, type: ThreadType): void {
  if (parent.recipientIds) throw notInDirectMessages();
  if (!THREAD_TYPES[parent.type]?.includes(type)) throw wrongChannelType();
}

export function startThread(newThreadOptions: NewThread, parts: Parts): ThreadChannel {
  const { parent, owner, name, type, starterMessage } = newThreadOptions;
  const { world, clock, limits, messages, threads } = parts;
  checkThreadType(parent, type);
  // A thread that is started on a message has the id of that message.
  if (starterMessage && world.channels.has(starterMessage.id)) throw threadAlreadyExists();
  const guild = world.guildOf(parent);
  const activeCount = guild?.channels.filter((one) => isThread(one) && !one.thread.archived).length ?? 0;
  if (activeCount >= limits.activeThreads) throw tooManyThreads();
  const thread: ThreadChannel = {
    id: starterMessage?.id ?? parts.id(),
    name,
    type,
    ...(parent.guildId !== undefined && { guildId: parent.guildId }),
    parentId: parent.id,
    ownerId: owner.id,
    ageRestricted: parent.ageRestricted,
    overwrites: [],
    thread: {
      ...newThread(clock.now(), [owner.id]),
      invitable: newThreadOptions.invitable ?? true,
      ...(newThreadOptions.archiveMinutes && { archiveMinutes: newThreadOptions.archiveMinutes }),
    },
  };
  threads.add(thread);
  if (starterMessage) {
    messages.addFlag(starterMessage, MessageFlags.HasThread);
    const reference = { channel_id: parent.id, message_id: starterMessage.id };
    messages.create({
      channel: thread,
      author: starterMessage.author,
      body: { message_reference: reference },
      type: MessageType.ThreadStarterMessage,
    });
  } else if (type !== ChannelType.PrivateThread) {
    const body = { content: name, message_reference: { channel_id: thread.id } };
    messages.create({ channel: parent, author: owner, body, type: MessageType.ThreadCreated });
  }
  return thread;
}
