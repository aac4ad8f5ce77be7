import { ChannelType } from 'discord.js';
import { expect, it } from 'vitest';
import { ChannelTypes } from '../../src/discord/place.ts';

const made = (id: string, type: number) => ({ t: 'INTERACTION_CREATE', d: { id, channel: { id: '3', type } } });

it('The types of channels are read from interactions and kept for the most recent channels', () => {
  const whereabouts = new ChannelTypes();
  whereabouts.readPacket(made('1', ChannelType.PrivateThread));
  expect(whereabouts.channelTypeOf('1')).toBe(ChannelType.PrivateThread);
  expect(whereabouts.channelTypeOf('2')).toBeUndefined();
  for (let id = 2; id <= 2_000; id++) whereabouts.readPacket(made(String(id), ChannelType.GuildText));
  expect(whereabouts.channelTypeOf('1')).toBeUndefined();
  expect(whereabouts.channelTypeOf('2000')).toBe(ChannelType.GuildText);
});

it('Every other packet is ignored', () => {
  const whereabouts = new ChannelTypes();
  for (const packet of [
    undefined,
    null,
    'x',
    {},
    { t: 'INTERACTION_CREATE' },
    { t: 'INTERACTION_CREATE', d: { id: 1 } },
  ]) {
    expect(() => whereabouts.readPacket(packet)).not.toThrow();
  }
});
