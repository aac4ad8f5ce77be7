import { Routes } from 'discord.js';
import { expect, it, onTestFinished } from 'vitest';
import { startDiscord } from '../../../sandbox/discord/discord.ts';
import { createDiscordClients } from '../../../src/discord/outbox/clients.ts';

it('Requests to a channel stay within its rate limit, even before the name of its bucket is known', async () => {
  const discord = await startDiscord({ limits: { channelWindowMs: 500 } });
  onTestFinished(() => discord.close());
  const { rest, close } = createDiscordClients(discord.apiUrl);
  onTestFinished(() => close());
  rest.setToken(discord.token);
  const route = Routes.channelMessages(discord.world.channel('studio').id);
  const posts = (count: number) => Array.from({ length: count }, () => rest.post(route, { body: { content: 'x' } }));
  const firstPosts = posts(4);
  await firstPosts[0];
  await Promise.all([...firstPosts, ...posts(4)]);
  expect(discord.rateLimitHits).toEqual([]);
});
