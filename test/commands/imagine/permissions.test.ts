import { PermissionFlagsBits as Permission } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { requirePostPermissions } from '../../../src/discord/guards.ts';
import type { InteractionFacts } from '../../../src/discord/interaction-facts.ts';

const server: InteractionFacts = {
  userId: '1',
  guildId: '2',
  channelId: '3',
  channelType: undefined,
  parentChannelId: undefined,
  isAgeRestricted: false,
  locale: 'en-US',
  guildLocale: undefined,
  createdAt: 0,
  permissions: 0n,
  roleIds: [],
  appPermissions: Permission.ViewChannel | Permission.SendMessages | Permission.AttachFiles,
  uploadLimit: 10_000_000,
  install: 'guild',
};

describe('The permissions for a public result', () => {
  it.each([
    ['SendMessages', Permission.SendMessages],
    ['SendMessagesInThreads', Permission.SendMessagesInThreads],
  ])('A public result may be posted with %s, because the channel may be a thread', (_name, bit) => {
    expect(
      requirePostPermissions({ ...server, appPermissions: Permission.ViewChannel | Permission.AttachFiles | bit }, {}),
    ).toBeUndefined();
  });

  it('A public result may be posted if the bot is an administrator without any other permission', () => {
    expect(requirePostPermissions({ ...server, appPermissions: Permission.Administrator }, {})).toBeUndefined();
  });

  it.each([
    ['ViewChannel', Permission.ViewChannel],
    ['SendMessages', Permission.SendMessages],
    ['AttachFiles', Permission.AttachFiles],
  ])('A public result may not be posted without %s', (name, bit) => {
    const refusal = requirePostPermissions(
      { ...server, appPermissions: server.appPermissions & ~bit },
      { private: false },
    );
    expect(refusal?.variables).toEqual({ missing: [name] });
  });

  it('A public result requires no permission in a direct message, where Discord sends no regular permissions', () => {
    // https://discord.com/developers/docs/interactions/receiving-and-responding, "Interaction Structure"
    const appPermissions =
      Permission.AttachFiles | Permission.EmbedLinks | Permission.MentionEveryone | Permission.UseExternalEmojis;
    expect(requirePostPermissions({ ...server, guildId: undefined, appPermissions }, {})).toBeUndefined();
  });

  it('A public result can only use the interaction token if only the member has installed the bot', () => {
    expect(requirePostPermissions({ ...server, install: 'user', appPermissions: 0n }, {})).toBeUndefined();
  });
});

it('A private result can only use the interaction token', () => {
  expect(requirePostPermissions({ ...server, appPermissions: 0n }, { private: true })).toBeUndefined();
});
