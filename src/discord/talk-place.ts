import { ChannelType, PermissionFlagsBits as May, PermissionsBitField } from 'discord.js';
import { Refusal } from '../lib/refusal.ts';
import type { TalkRequest } from '../services/talks/opening.ts';
import type { ThreadWish } from './outbox/threads.ts';
import type { Place } from './place.ts';

/** Where a conversation can take place: in the thread where it was asked for, or in one to be made. */
export type Where = { in: 'this-thread'; channelId: string; isClosed: boolean } | NewThread;

interface NewThread {
  in: 'new-thread';
  channelId: string;
  kind: ThreadWish['kind'];
  isClosed: boolean;
}

type Who = TalkRequest['who'];

/** By the names that Discord's settings show. */
const TO_TALK = [
  { bit: May.ViewChannel, name: 'View Channel' },
  { bit: May.SendMessagesInThreads, name: 'Send Messages in Threads' },
  { bit: May.AttachFiles, name: 'Attach Files' },
];
const TO_MAKE_ONE = { bit: May.CreatePublicThreads, name: 'Create Public Threads' };

export const THREADS: ReadonlySet<unknown> = new Set([
  ChannelType.PublicThread,
  ChannelType.PrivateThread,
  ChannelType.AnnouncementThread,
]);
/** A channel whose kind the payload does not tell is taken for an ordinary one: Discord says no itself. */
const WITH_THREADS: ReadonlySet<ChannelType | undefined> = new Set([
  ChannelType.GuildText,
  ChannelType.GuildAnnouncement,
  undefined,
]);

/** From the payload alone, so that nothing is asked of the gateway for a conversation that has no place. */
export function whereToTalk(place: Place, who: Who): Where | Refusal {
  const { channelId, channelType, guildId, install, appPermissions } = place;
  if (guildId === undefined || channelId === undefined || install !== 'guild') {
    return new Refusal('refusals.talkOutsideServer');
  }
  const granted = new PermissionsBitField(appPermissions);
  const missing = TO_TALK.filter(({ bit }) => !granted.has(bit)).map(({ name }) => name);
  if (channelType !== undefined && THREADS.has(channelType)) {
    if (missing.length > 0) return new Refusal('refusals.talkNotAllowed', { missing });
    return { in: 'this-thread', channelId, isClosed: channelType === ChannelType.PrivateThread };
  }
  if (!WITH_THREADS.has(channelType)) return new Refusal('refusals.talkNoThreads');
  const isAnnouncement = channelType === ChannelType.GuildAnnouncement;
  const isClosed = who === 'me' && !isAnnouncement && granted.has(May.CreatePrivateThreads);
  if (!isClosed && !granted.has(TO_MAKE_ONE.bit)) missing.push(TO_MAKE_ONE.name);
  if (missing.length > 0) return new Refusal('refusals.talkNotAllowed', { missing });
  const kind = isClosed ? 'private' : isAnnouncement ? 'announcement' : 'public';
  return { in: 'new-thread', channelId, kind, isClosed };
}
