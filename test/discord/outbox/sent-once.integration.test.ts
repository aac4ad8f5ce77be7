import { Routes } from 'discord.js';
import { afterEach, describe, expect, it } from 'vitest';
import { startDiscord } from '../../../sandbox/discord/discord.ts';
import { createDiscordClients } from '../../../src/discord/outbox/clients.ts';
import { Outbox } from '../../../src/discord/outbox/outbox.ts';
import { createLogger } from '../../../src/lib/log.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function openConnectedClient() {
  const discord = await startDiscord();
  closers.push(() => discord.close());
  const clients = createDiscordClients(discord.apiUrl);
  const { rest, close } = clients;
  closers.push(() => close());
  rest.setToken(discord.token);
  rest.options.timeout = 2_000;
  const route = Routes.channelMessages(discord.world.channel('studio').id);
  const posts = () => discord.requests.filter(({ method, path }) => method === 'POST' && path.endsWith(route));
  return {
    discord,
    rest,
    outbox: new Outbox(clients, createLogger({ level: 'info', secrets: [], isPretty: false, write: () => undefined })),
    route,
    posts,
  };
}

const lostResponses = [
  ['a failure', { type: 'status', status: 502 }],
  ['a closed connection after the message was posted', { type: 'reset', done: true }],
  ['missing after the message was posted', { type: 'hang', done: true }],
] as const;

describe('A message without a nonce', () => {
  it.each(lostResponses)(
    'A message without a nonce is sent only once even if the response is %s',
    async (_what, fault) => {
      const { discord, rest, route, posts } = await openConnectedClient();
      discord.faults.add({ on: { method: 'POST' }, do: fault });
      await expect(rest.post(route, { body: { content: 'once' } })).rejects.toThrow();
      expect(posts()).toHaveLength(1);
      expect(discord.messages('studio').length).toBeLessThan(2);
    },
  );

  it('A failed message without a nonce counts towards the rate limit of its route', async () => {
    const { discord, rest, route, posts } = await openConnectedClient();
    discord.faults.add({ on: { method: 'POST' }, do: { type: 'status', status: 503 }, times: 5 });
    for (let attempt = 0; attempt < 5; attempt++)
      await expect(rest.post(route, { body: { content: 'once' } })).rejects.toMatchObject({ status: 503 });
    await rest.post(route, { body: { content: 'once' } });
    expect(posts().map(({ status }) => status)).toEqual([503, 503, 503, 503, 503, 200]);
  });

  it('A message without a nonce is sent again after a 429, which is a definite refusal', async () => {
    const { discord, rest, route } = await openConnectedClient();
    discord.faults.add({ do: { type: '429', scope: 'user', retryAfter: 0.01 }, times: 2 });
    await rest.post(route, { body: { content: 'once' } });
    expect(discord.messages('studio')).toHaveLength(1);
  });

  it('A message with a nonce is sent until Discord returns it, and is posted only once', async () => {
    const { discord, outbox, posts } = await openConnectedClient();
    discord.faults.add({ on: { method: 'POST' }, do: { type: 'hang', done: true } });
    discord.faults.add({ on: { method: 'POST' }, do: { type: 'status', status: 502 } });
    const { id: channelId } = discord.world.channel('studio');
    const message = { body: { content: 'once', components: [], allowed_mentions: { parse: [] as [] } }, files: [] };
    const postedMessage = await outbox.post(channelId, 'nonce', message);
    expect(posts()).toHaveLength(3);
    expect(discord.messages('studio').map(({ id }) => id)).toEqual([postedMessage?.id]);
  });

  it('Equal messages in a log channel all appear, and only the retries of one share its nonce', async () => {
    const { discord, outbox, posts } = await openConnectedClient();
    const { id: channelId } = discord.world.channel('studio');
    discord.faults.add({ on: { method: 'POST' }, do: { type: 'status', status: 502 } });
    const first = await outbox.sendInChannel(channelId, { content: 'a rule was changed' });
    const second = await outbox.sendInChannel(channelId, { content: 'a rule was changed' });
    const [failedNonce, ...nonces] = posts().map(({ body }) => (body as { nonce: string }).nonce);
    expect(nonces).toEqual([failedNonce, expect.not.stringMatching(failedNonce ?? '')]);
    expect(discord.messages('studio').map(({ id }) => id)).toEqual([first?.id, second?.id]);
  });
});
