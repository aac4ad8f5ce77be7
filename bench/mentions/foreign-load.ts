import { setTimeout as sleep } from 'node:timers/promises';
import type { EmbeddedDiscord } from '../../sandbox/discord/discord.ts';
import type { Load } from '../discord/protocol.ts';

/** Posts messages that are not for the bot, one server after another. Resolves once all are sent. */
export async function foreignLoad({ world, as }: EmbeddedDiscord, { perSecond, seconds }: Load): Promise<null> {
  const { id } = world.user('other');
  const membership = world.guild('atelier').members.get(id);
  const guilds = [...world.guilds.values()].filter(({ name }) => name.startsWith('guild-'));
  if (membership) for (const { members } of guilds) members.set(id, membership);
  const channels = guilds.flatMap(({ channels: [channel] }) => channel ?? []);
  const start = performance.now();
  for (let index = 0; index < perSecond * seconds; index++) {
    const waitMs = start + (index * 1_000) / perSecond - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    const channel = channels[index % channels.length];
    if (channel) await as('other').in(channel.id).say(`<@${world.ownerId}> message ${index} of a busy server`);
  }
  return null;
}
