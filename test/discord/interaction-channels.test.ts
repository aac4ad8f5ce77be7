import { ChannelType } from 'discord.js';
import { expect, it } from 'vitest';
import { InteractionChannels } from '../../src/discord/place.ts';

const interactionPacket = (id: string, type: number) => ({
  t: 'INTERACTION_CREATE',
  d: { id, channel: { id: '3', type } },
});

it('The types of channels are read from interactions and kept for the most recent channels', () => {
  const channels = new InteractionChannels();
  channels.readPacket(interactionPacket('1', ChannelType.PrivateThread));
  expect(channels.get('1')?.type).toBe(ChannelType.PrivateThread);
  expect(channels.get('2')).toBeUndefined();
  for (let id = 2; id <= 2_000; id++) channels.readPacket(interactionPacket(String(id), ChannelType.GuildText));
  expect(channels.get('1')).toBeUndefined();
  expect(channels.get('2000')?.type).toBe(ChannelType.GuildText);
});

it('Packets that are not valid interactions are ignored when the types of channels are read', () => {
  const channels = new InteractionChannels();
  for (const packet of [
    undefined,
    null,
    'x',
    {},
    { t: 'INTERACTION_CREATE' },
    { t: 'INTERACTION_CREATE', d: { id: 1 } },
  ]) {
    expect(() => channels.readPacket(packet)).not.toThrow();
  }
});
