import { ChannelType } from 'discord.js';
import { expect, it } from 'vitest';
import { ChannelTypes } from '../../src/discord/place.ts';

const interactionPacket = (id: string, type: number) => ({
  t: 'INTERACTION_CREATE',
  d: { id, channel: { id: '3', type } },
});

it('The types of channels are read from interactions and kept for the most recent channels', () => {
  const channelTypes = new ChannelTypes();
  channelTypes.readPacket(interactionPacket('1', ChannelType.PrivateThread));
  expect(channelTypes.channelTypeOf('1')).toBe(ChannelType.PrivateThread);
  expect(channelTypes.channelTypeOf('2')).toBeUndefined();
  for (let id = 2; id <= 2_000; id++) channelTypes.readPacket(interactionPacket(String(id), ChannelType.GuildText));
  expect(channelTypes.channelTypeOf('1')).toBeUndefined();
  expect(channelTypes.channelTypeOf('2000')).toBe(ChannelType.GuildText);
});

it('Every other packet is ignored', () => {
  const channelTypes = new ChannelTypes();
  for (const packet of [
    undefined,
    null,
    'x',
    {},
    { t: 'INTERACTION_CREATE' },
    { t: 'INTERACTION_CREATE', d: { id: 1 } },
  ]) {
    expect(() => channelTypes.readPacket(packet)).not.toThrow();
  }
});
