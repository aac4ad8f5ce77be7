import { ChannelType, PermissionFlagsBits as Permission } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { customIds } from '../../src/discord/custom-ids.ts';
import { refusalMessage } from '../../src/discord/funnel.ts';
import { permissionsIn, refuseUnserved, talkPlaceFor } from '../../src/discord/guards.ts';
import { type InteractionFacts, mayManageMessages, mayManageServer } from '../../src/discord/interaction-facts.ts';
import { Refusal, type RefusalKey } from '../../src/lib/refusal.ts';
import { sayIn } from '../../src/locales/index.ts';

const requiredPermissions =
  Permission.ViewChannel | Permission.SendMessagesInThreads | Permission.AttachFiles | Permission.ReadMessageHistory;
const allPermissions = requiredPermissions | Permission.CreatePublicThreads | Permission.CreatePrivateThreads;

const textChannel: InteractionFacts = {
  userId: '1',
  guildId: '2',
  channelId: '3',
  channelType: ChannelType.GuildText,
  parentChannelId: undefined,
  isAgeRestricted: false,
  locale: 'en-US',
  guildLocale: undefined,
  createdAt: 0,
  permissions: 0n,
  roleIds: [],
  appPermissions: allPermissions,
  uploadLimit: 10_000_000,
  install: 'guild',
};

const refusal = (key: RefusalKey, missing?: string[]) => new Refusal(key, missing ? { missing } : {});

it('A bot that serves some servers refuses direct messages in words of their own, and still deletes what it has sent there', () => {
  const guard = refuseUnserved({ guildIds: ['1'], userInstall: false });
  const direct = { guildId: undefined, install: 'guild' } as const;
  expect(guard(direct)).toEqual(refusal('refusals.directNotServed'));
  expect(guard(direct, customIds.delete.name)).toBeUndefined();
  expect(guard({ ...direct, guildId: '2' }, customIds.delete.name)).toEqual(refusal('refusals.guildNotServed'));
});

describe('The place of a live conversation for one member', () => {
  it('A live conversation for one member gets a private thread if the bot can create one', () => {
    expect(talkPlaceFor(textChannel, 'me')).toMatchObject({ type: 'new-thread', kind: 'private', isPrivate: true });
  });

  it('A live conversation for one member gets a public thread if the bot can only create public ones', () => {
    const channel = { ...textChannel, appPermissions: requiredPermissions | Permission.CreatePublicThreads };
    expect(talkPlaceFor(channel, 'me')).toMatchObject({ kind: 'public', isPrivate: false });
  });

  it('A live conversation for one member in an announcement channel gets an announcement thread, because those channels cannot have private ones', () => {
    const channel = { ...textChannel, channelType: ChannelType.GuildAnnouncement };
    expect(talkPlaceFor(channel, 'me')).toMatchObject({ kind: 'announcement', isPrivate: false });
  });

  it('A live conversation for one member in a private thread does not require the permission for public threads', () => {
    const channel = { ...textChannel, appPermissions: requiredPermissions | Permission.CreatePrivateThreads };
    expect(talkPlaceFor(channel, 'me')).toMatchObject({ kind: 'private' });
    expect(talkPlaceFor(channel, 'everyone')).toEqual(refusal('refusals.talkNotAllowed', ['CreatePublicThreads']));
  });
});

it('A live conversation for everyone gets a public thread, even if the bot can create private ones', () => {
  expect(talkPlaceFor(textChannel, 'everyone')).toMatchObject({ type: 'new-thread', kind: 'public', isPrivate: false });
});

it.each([
  [ChannelType.PublicThread, false],
  [ChannelType.AnnouncementThread, false],
  [ChannelType.PrivateThread, true],
])(
  'A live conversation that is started in a thread of type %s stays there and is as private as the thread',
  (channelType, isPrivate) => {
    const channel = { ...textChannel, channelType, appPermissions: requiredPermissions };
    for (const who of ['me', 'everyone'] as const) {
      expect(talkPlaceFor(channel, who)).toEqual({ type: 'this-thread', channelId: '3', isPrivate });
    }
  },
);

it.each([ChannelType.GuildVoice, ChannelType.GuildStageVoice, ChannelType.GuildForum])(
  'A live conversation is refused in a channel of type %s, which has no threads',
  (channelType) =>
    expect(talkPlaceFor({ ...textChannel, channelType }, 'me')).toEqual(refusal('refusals.talkNoThreads')),
);

it.each([
  ['SendMessagesInThreads', Permission.SendMessagesInThreads],
  ['AttachFiles', Permission.AttachFiles],
  ['ViewChannel', Permission.ViewChannel],
  ['ReadMessageHistory', Permission.ReadMessageHistory],
])('A live conversation is refused without the permission %s, and the refusal names it', (name, bit) => {
  const appPermissions = allPermissions & ~bit;
  for (const channelType of [ChannelType.GuildText, ChannelType.PublicThread]) {
    expect(talkPlaceFor({ ...textChannel, channelType, appPermissions }, 'everyone')).toEqual(
      refusal('refusals.talkNotAllowed', [name]),
    );
  }
});

it('A bot with the Administrator permission may start a live conversation', () => {
  expect(talkPlaceFor({ ...textChannel, appPermissions: Permission.Administrator }, 'me')).toMatchObject({
    kind: 'private',
  });
});

it('An administrator may manage messages and the server, whatever other permissions they have', () => {
  const permissionsOf = (permissions: bigint) => {
    const place = { ...textChannel, permissions };
    return [mayManageMessages(place), mayManageServer(place)];
  };
  expect(permissionsOf(Permission.Administrator)).toEqual([true, true]);
  expect(permissionsOf(Permission.ManageMessages)).toEqual([true, false]);
  expect(permissionsOf(Permission.ManageGuild)).toEqual([false, true]);
});

it.each([
  ['a direct message', { guildId: undefined }],
  ['a server that has not installed the bot', { install: 'user' as const }],
])('A live conversation is refused in %s', (_name, changes) => {
  expect(talkPlaceFor({ ...textChannel, ...changes }, 'me')).toEqual(refusal('refusals.talkOutsideServer'));
});

describe('The permissions of a member in a channel', () => {
  const { ViewChannel, SendMessages, AttachFiles, Administrator } = Permission;
  const member = { guildId: 'everyone', roleIds: ['a-role', 'another-role'], memberId: 'member' };
  const rolesWith = (permissions: bigint) => [
    { id: 'everyone', permissions: String(permissions) },
    { id: 'a-role-of-others', permissions: String(Administrator) },
  ];
  const overwrite = (id: string, allow: bigint, deny: bigint) => ({ id, allow: String(allow), deny: String(deny) });

  it('An overwrite for a role precedes that for everyone, and one for the member precedes both', () => {
    const roles = rolesWith(ViewChannel | SendMessages);
    const overwrites = [
      overwrite('member', 0n, AttachFiles),
      overwrite('a-role', SendMessages | AttachFiles, 0n),
      overwrite('everyone', 0n, SendMessages),
      overwrite('a-role-of-others', 0n, ViewChannel),
    ];
    expect(permissionsIn(roles, member, overwrites)).toBe(ViewChannel | SendMessages);
  });

  it('Who cannot see a channel has no permissions there, unless they are an administrator', () => {
    const overwrites = [overwrite('everyone', 0n, ViewChannel)];
    expect(permissionsIn(rolesWith(ViewChannel | SendMessages), member, overwrites)).toBe(0n);
    expect(permissionsIn(rolesWith(Administrator), member, overwrites) & SendMessages).toBe(SendMessages);
  });
});

it('A refusal names the missing permissions as Discord does in the language of its reader', () => {
  const missing = new Refusal('refusals.cannotPostResult.withoutOption', { missing: ['ViewChannel', 'AttachFiles'] });
  expect(refusalMessage(missing, sayIn('en'))).toContain('these permissions: `View Channel`, `Attach Files`.');
  expect(refusalMessage(missing, sayIn('ja'))).toContain('チャンネルを見る');
});
