import { PermissionFlagsBits as May } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { requirePostPermissions } from '../../../src/discord/guards.ts';
import type { Place } from '../../../src/discord/place.ts';

const server: Place = {
  userId: '1',
  guildId: '2',
  channelId: '3',
  channelType: undefined,
  locale: 'en-US',
  createdAt: 0,
  permissions: 0n,
  appPermissions: May.ViewChannel | May.SendMessages | May.AttachFiles,
  uploadLimit: 10_000_000,
  install: 'guild',
};

describe('a public result', () => {
  it.each([
    ['SendMessages', May.SendMessages],
    ['SendMessagesInThreads', May.SendMessagesInThreads],
  ])('A public result may be posted with %s, for it is unknown whether the channel is a thread', (_name, bit) => {
    expect(
      requirePostPermissions({ ...server, appPermissions: May.ViewChannel | May.AttachFiles | bit }, {}),
    ).toBeUndefined();
  });

  it('A public result may be posted by an administrator without any other permission', () => {
    expect(requirePostPermissions({ ...server, appPermissions: May.Administrator }, {})).toBeUndefined();
  });

  it.each([
    ['View Channel', May.ViewChannel],
    ['Send Messages', May.SendMessages],
    ['Attach Files', May.AttachFiles],
  ])('A public result may not be posted without %s', (name, bit) => {
    const refusal = requirePostPermissions(
      { ...server, appPermissions: server.appPermissions & ~bit },
      { private: false },
    );
    expect(refusal?.variables).toEqual({ missing: [name] });
  });

  it('A public result needs nothing granted in a direct message, where Discord tells only of what is unusual', () => {
    // https://discord.com/developers/docs/interactions/receiving-and-responding, "Interaction Structure"
    const appPermissions = May.AttachFiles | May.EmbedLinks | May.MentionEveryone | May.UseExternalEmojis;
    expect(requirePostPermissions({ ...server, guildId: undefined, appPermissions }, {})).toBeUndefined();
  });

  it('A public result goes no other way than the token where only the person has installed the bot', () => {
    expect(requirePostPermissions({ ...server, install: 'user', appPermissions: 0n }, {})).toBeUndefined();
  });
});

it('A private result takes the token or nothing', () => {
  expect(requirePostPermissions({ ...server, appPermissions: 0n }, { private: true })).toBeUndefined();
});
