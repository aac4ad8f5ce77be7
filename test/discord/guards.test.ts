import { ChannelType, PermissionFlagsBits as May } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { talkPlaceFor } from '../../src/discord/guards.ts';
import type { Place } from '../../src/discord/place.ts';
import { Refusal } from '../../src/lib/refusal.ts';

const needed = May.ViewChannel | May.SendMessagesInThreads | May.AttachFiles;
const all = needed | May.CreatePublicThreads | May.CreatePrivateThreads;

const text: Place = {
  ...{ userId: '1', guildId: '2', channelId: '3', channelType: ChannelType.GuildText, locale: 'en-US' },
  ...{ createdAt: 0, permissions: 0n, appPermissions: all, uploadLimit: 10_000_000, install: 'guild' },
};

const saysNo = (key: string, missing?: string[]) => new Refusal(key, missing ? { missing } : {});

describe('a conversation for its member alone', () => {
  it('A conversation for its member alone gets a private thread where the bot may make one', () => {
    expect(talkPlaceFor(text, 'me')).toMatchObject({ in: 'new-thread', kind: 'private', isClosed: true });
  });

  it('A conversation for its member alone gets a public one where it may make only those', () => {
    const place = { ...text, appPermissions: needed | May.CreatePublicThreads };
    expect(talkPlaceFor(place, 'me')).toMatchObject({ kind: 'public', isClosed: false });
  });

  it('A conversation for its member alone gets one of their own kind in channels for announcements, which know no private ones', () => {
    const place = { ...text, channelType: ChannelType.GuildAnnouncement };
    expect(talkPlaceFor(place, 'me')).toMatchObject({ kind: 'announcement', isClosed: false });
  });

  it('A conversation for its member alone needs no public threads where it gets a private one', () => {
    const place = { ...text, appPermissions: needed | May.CreatePrivateThreads };
    expect(talkPlaceFor(place, 'me')).toMatchObject({ kind: 'private' });
    expect(talkPlaceFor(place, 'everyone')).toEqual(saysNo('refusals.talkNotAllowed', ['Create Public Threads']));
  });
});

it('A conversation for everyone gets a public thread, even if the bot may create private ones', () => {
  expect(talkPlaceFor(text, 'everyone')).toMatchObject({ in: 'new-thread', kind: 'public', isClosed: false });
});

it.each([
  [ChannelType.PublicThread, false],
  [ChannelType.AnnouncementThread, false],
  [ChannelType.PrivateThread, true],
])('in a thread (%s) it stays there, and is as closed as that', (channelType, isClosed) => {
  const place = { ...text, channelType, appPermissions: needed };
  for (const who of ['me', 'everyone'] as const) {
    expect(talkPlaceFor(place, who)).toEqual({ in: 'this-thread', channelId: '3', isClosed });
  }
});

it.each([ChannelType.GuildVoice, ChannelType.GuildStageVoice, ChannelType.GuildForum])(
  'There are no threads in a channel of the kind %s',
  (channelType) => expect(talkPlaceFor({ ...text, channelType }, 'me')).toEqual(saysNo('refusals.talkNoThreads')),
);

it.each([
  ['Send Messages in Threads', May.SendMessagesInThreads],
  ['Attach Files', May.AttachFiles],
  ['View Channel', May.ViewChannel],
])('without %s there is none, and it is named', (name, bit) => {
  const appPermissions = all & ~bit;
  for (const channelType of [ChannelType.GuildText, ChannelType.PublicThread]) {
    expect(talkPlaceFor({ ...text, channelType, appPermissions }, 'everyone')).toEqual(
      saysNo('refusals.talkNotAllowed', [name]),
    );
  }
});

it('An administrator may do everything', () => {
  expect(talkPlaceFor({ ...text, appPermissions: May.Administrator }, 'me')).toMatchObject({ kind: 'private' });
});

it.each([
  ['a direct message', { guildId: undefined }],
  ['a server that has not installed the bot', { install: 'user' as const }],
])('in %s there is none', (_name, changes) => {
  expect(talkPlaceFor({ ...text, ...changes }, 'me')).toEqual(saysNo('refusals.talkOutsideServer'));
});
