import { expect, it, onTestFinished } from 'vitest';
import { startDiscord } from '../../../sandbox/discord/discord.ts';
import { bodyOf } from '../../../src/discord/message-body.ts';
import { createDiscordClients } from '../../../src/discord/outbox/clients.ts';
import { Outbox } from '../../../src/discord/outbox/outbox.ts';
import { createLogger } from '../../../src/lib/log.ts';

it('Once the outbox of one bot is closed, its waiting requests are never sent, and those of other bots still are', async () => {
  const discord = await startDiscord({ limits: { channelWindowMs: 500 } });
  onTestFinished(() => discord.close());
  const clients = createDiscordClients(discord.apiUrl);
  onTestFinished(() => clients.close());
  clients.rest.setToken(discord.token);
  const log = createLogger({ level: 'silent', secrets: [], isPretty: false, write: () => undefined });
  const [closed, open] = [new Outbox(clients, log), new Outbox(clients, log)];
  const { id: channelId } = discord.world.channel('studio');
  const post = (outbox: Outbox, content: string) => outbox.post(channelId, content, bodyOf({ content }));

  const waiting = Array.from({ length: 12 }, (_, index) => post(closed, `waiting ${index}`));
  const outcomes = Promise.allSettled(waiting);
  await waiting[0];
  closed.close();
  // It waits behind all others in the queue of the channel.
  await post(open, 'open');
  const sentCount = discord.messages('studio').length - 1;
  const fulfilledCount = (await outcomes).filter(({ status }) => status === 'fulfilled').length;
  // One request can be on its way when the outbox is closed.
  expect(sentCount - fulfilledCount).toBeLessThanOrEqual(1);
  expect(sentCount).toBeLessThan(5);
  await expect(post(closed, 'late')).rejects.toThrow();
  expect(discord.messages('studio')).toHaveLength(sentCount + 1);
});
