import { ChannelType, PermissionFlagsBits } from 'discord-api-types/v10';
import { Refusal } from '../lib/refusal.ts';
import type { Strings } from '../locales/strings.ts';
import type { TalkRequest } from '../services/conversations/talk-session.ts';
import { customIds } from './custom-ids.ts';
import { grantsAny, type InteractionFacts, type InteractionPlace, THREAD_TYPES } from './interaction-facts.ts';
import type { ThreadRequest } from './outbox/threads.ts';

/** Runs before the interaction is acknowledged and sees only its payload. `pressed`: the verb of the pressed button. */
export type Guard = (facts: InteractionFacts, pressed?: string) => Refusal | undefined;

/** Every request costs the operator money, so only the operator's servers (and, if enabled, personal installs) are served. */
export function refuseUnserved(settings: { guildIds: readonly string[]; userInstall: boolean }) {
  return ({ guildId, install }: InteractionPlace, pressed?: string): Refusal | undefined => {
    if (install === 'user') return settings.userInstall ? undefined : new Refusal('refusals.notUserInstallable');
    if (settings.guildIds.length === 0) return undefined;
    // A direct message does not belong to a server, so it cannot be compared with those that are served.
    // Members can still delete what the bot sent them.
    if (guildId === undefined)
      return pressed === customIds.delete.name ? undefined : new Refusal('refusals.directNotServed');
    return settings.guildIds.includes(guildId) ? undefined : new Refusal('refusals.guildNotServed');
  };
}

/** A server's admins may not want apps that members have installed for themselves. */
export function refusePersonalInstall(isAllowedIn: (guildId: string) => boolean): Guard {
  return ({ guildId, install }) =>
    install === 'user' && guildId !== undefined && !isAllowedIn(guildId)
      ? new Refusal('refusals.rules.personalInstall')
      : undefined;
}

export type PermissionName = keyof Strings['permissions'];

interface Permission {
  name: PermissionName;
  /** Having any one of them is enough. */
  bits: bigint;
  purpose: 'results' | 'files' | 'history' | 'threads' | 'speech';
}

const permission = (name: PermissionName, purpose: Permission['purpose']): Permission => ({
  name,
  bits: PermissionFlagsBits[name],
  purpose,
});

/** All permissions that any feature needs; the invite link asks for exactly these. */
const permissions = {
  view: permission('ViewChannel', 'results'),
  send: permission('SendMessages', 'results'),
  sendInThreads: permission('SendMessagesInThreads', 'results'),
  attach: permission('AttachFiles', 'files'),
  readHistory: permission('ReadMessageHistory', 'history'),
  createThread: permission('CreatePublicThreads', 'threads'),
  createPrivateThread: permission('CreatePrivateThreads', 'threads'),
  speak: permission('SendVoiceMessages', 'speech'),
};

export const neededPermissions: readonly Permission[] = Object.values(permissions);

/** What the bot needs to post a result, a report or an alert. */
export const postPermissions: readonly Permission[] = [permissions.view, permissions.send, permissions.attach];

export function missingPermissions(
  { appPermissions }: { appPermissions: bigint },
  required: readonly Permission[] = neededPermissions,
): PermissionName[] {
  return required.filter(({ bits }) => !grantsAny(appPermissions, bits)).map(({ name }) => name);
}

const { Administrator, ViewChannel } = PermissionFlagsBits;

/**
 * The permissions of a member, from those of their roles, as overwrites change them: for everyone, then for the member's roles, then for the member
 * (Discord's documentation, topics/permissions, "Permission Overwrites"). Without a member, those of everyone.
 */
export function permissionsIn(
  roles: readonly { id: string; permissions: string }[],
  { guildId, roleIds = [], memberId = '' }: { guildId: string; roleIds?: readonly string[]; memberId?: string },
  overwrites: readonly { id: string; allow: string; deny: string }[] = [],
): bigint {
  const held = roles.filter(({ id }) => id === guildId || roleIds.includes(id));
  const ofRoles = held.reduce((all, { permissions }) => all | BigInt(permissions), 0n);
  if ((ofRoles & Administrator) !== 0n) return ~0n;
  const bits = [[guildId], roleIds, [memberId]].reduce((granted, ids) => {
    const applicable = overwrites.filter(({ id }) => ids.includes(id));
    const denied = applicable.reduce((all, { deny }) => all | BigInt(deny), 0n);
    return applicable.reduce((all, { allow }) => all | BigInt(allow), granted & ~denied);
  }, ofRoles);
  return (bits & ViewChannel) === 0n ? 0n : bits;
}

const { PrivateThread, GuildText, GuildAnnouncement } = ChannelType;
const { view, send, sendInThreads, attach, readHistory, createThread, createPrivateThread } = permissions;

// The payload does not say whether this channel is a thread. A false positive only makes delivery use a fallback; a false negative would
// refuse requests that would work.
const sendAnywhere = { ...send, bits: send.bits | sendInThreads.bits };

/** A public result outlives its token, and then only the bot's own permissions let it change the message. A private one has only the token, and a personal install brings no bot. */
export function requirePostPermissions(
  facts: InteractionFacts,
  options: { private?: boolean | undefined; hasOption?: boolean },
): Refusal | undefined {
  if (options.private || facts.install === 'user' || facts.guildId === undefined) return undefined;
  const missingNames = missingPermissions(facts, [view, sendAnywhere, attach]);
  if (missingNames.length === 0) return undefined;
  return new Refusal(`refusals.cannotPostResult.${options.hasOption ? 'withOption' : 'withoutOption'}`, {
    missing: missingNames,
  });
}

/** Whether the bot can start a thread on its message in this channel, and write there. */
export const mayOpenThread = (facts: InteractionFacts): boolean =>
  facts.guildId !== undefined &&
  facts.install === 'guild' &&
  (facts.channelType === GuildText || facts.channelType === GuildAnnouncement) &&
  missingPermissions(facts, [view, sendInThreads, attach, createThread]).length === 0;

/** Where a conversation can take place: in the thread where it was requested, or in a new one. */
export type TalkPlace =
  | { type: 'this-thread'; channelId: string; isPrivate: boolean }
  | { type: 'new-thread'; channelId: string; isPrivate: boolean; kind: ThreadRequest['kind'] };

/** An unknown channel type counts as an ordinary channel: if it cannot have threads, Discord will reject the request. */
const TYPES_WITH_THREADS: ReadonlySet<ChannelType | undefined> = new Set([GuildText, GuildAnnouncement, undefined]);

/** Decides from the payload alone, so that the gateway is not contacted for a conversation that cannot take place here. */
export function talkPlaceFor(facts: InteractionFacts, who: TalkRequest['who']): TalkPlace | Refusal {
  const { channelId, channelType, guildId, install } = facts;
  if (guildId === undefined || channelId === undefined || install !== 'guild') {
    return new Refusal('refusals.talkOutsideServer');
  }
  // In a thread, the bot replies to messages.
  const missingNames = missingPermissions(facts, [view, sendInThreads, attach, readHistory]);
  if (channelType !== undefined && THREAD_TYPES.has(channelType)) {
    if (missingNames.length > 0) return new Refusal('refusals.talkNotAllowed', { missing: missingNames });
    return { type: 'this-thread', channelId, isPrivate: channelType === PrivateThread };
  }
  if (!TYPES_WITH_THREADS.has(channelType)) return new Refusal('refusals.talkNoThreads');
  const isAnnouncement = channelType === GuildAnnouncement;
  const isPrivate = who === 'me' && !isAnnouncement && missingPermissions(facts, [createPrivateThread]).length === 0;
  if (!isPrivate) missingNames.push(...missingPermissions(facts, [createThread]));
  if (missingNames.length > 0) return new Refusal('refusals.talkNotAllowed', { missing: missingNames });
  const kind = isPrivate ? 'private' : isAnnouncement ? 'announcement' : 'public';
  return { type: 'new-thread', channelId, kind, isPrivate };
}
