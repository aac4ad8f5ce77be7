import { describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import type { DiscordFault } from '../../sandbox/discord/faults.ts';
import { startGateway } from '../../sandbox/gateway/gateway.ts';
import { startApp } from '../../src/app.ts';
import { itVariants } from '../support/variants.ts';
import { createFixture, START_CHECK, startTestBot } from './bot.ts';

describe('The bot during failures', () => {
  it('The bot reports that its token is refused, and exits', async () => {
    const { config, log } = await createFixture({ settings: { DISCORD_TOKEN: 'MTIz.wrong.token' } });
    await expect(startApp(config, { log, version: '1' })).rejects.toMatchObject({ status: 401 });
  });

  it('The bot starts while the gateway is down, and works once it is available', async () => {
    const { discord, gateway, config, log } = await createFixture();
    await gateway.close();
    const app = await startApp(config, { log, version: '1' });
    const member = discord.as('member');
    expect(text(await (await member.slash('models')).message())).toContain('cannot be reached');
    const restartedGateway = await startGateway({ port: Number(new URL(gateway.url).port) });
    expect(text(await (await member.slash('models')).message())).toContain('24 models');
    await app.stop();
    await restartedGateway.close();
  });

  it('The bot accepts commands from members with a user installation only if user installations are enabled', async () => {
    const stageWithoutUserInstall = await startTestBot({ registersCommands: { userInstall: true } });
    const refused = await (await stageWithoutUserInstall.discord.as('installer').slash('about')).message();
    expect(text(refused)).toContain('not as a personal app');
    const stageWithUserInstall = await startTestBot({ settings: { DISCORD_USER_INSTALL: 'on' } });
    expect(text(await (await stageWithUserInstall.discord.as('installer').slash('about')).message())).toContain(
      'Version',
    );
    expect(stageWithUserInstall.discord.violations).toEqual([]);
  });

  it('The bot recovers after its connection was dropped, even during a command', async () => {
    const { discord } = await startTestBot();
    const exchange = await discord.as('member').slash('models');
    discord.gateway.dropConnections();
    expect(text(await exchange.message())).toContain('24 models');
    await expect.poll(() => discord.gateway.resumes).toBe(1);
    expect(text(await (await discord.as('member').slash('about')).message())).toContain('Version');
  });

  it('The bot refuses commands on a server that it does not serve, and does nothing else there', async () => {
    const { discord, gateway } = await startTestBot({ settings: { DISCORD_GUILD_IDS: '123456789012345678' } });
    const exchange = await discord.as('member').slash('models');
    expect((await exchange.acknowledged()).ephemeral).toBe(true);
    expect(text(await exchange.message())).toContain('does not accept requests on this server');
    expect(gateway.requests.map(({ path }) => path)).toEqual([START_CHECK]);
  });

  it('The bot shows the gateway’s reason for a 404 of an endpoint that has responded before, escaped', async () => {
    const { discord, gateway } = await startTestBot();
    const order = async (prompt: string) => (await discord.as('member').slash('imagine', { prompt })).message();
    const refuse = () =>
      gateway.faults.add({ on: { kind: 'imagine' }, do: { type: 'status', status: 404, message: 'No *such* style' } });
    refuse();
    expect(text(await order('one fox'))).toContain('\nThis gateway does not support this feature.');
    expect(text(await order('two foxes'))).toContain('two foxes');
    refuse();
    expect(text(await order('three foxes'))).toContain('\nThe gateway refused this: No \\*such\\* style.');
  });

  it('The bot keeps its own token when an interaction token has expired', { tags: ['breadth'] }, async () => {
    const { discord, gateway, logged } = await startTestBot();
    gateway.faults.add({ do: { type: 'drip', everyMs: 5 } });
    const exchange = await discord.as('member').slash('models');
    await exchange.acknowledged();
    discord.expireTokens();
    await expect.poll(logged).toContain('Discord no longer accepts the reply');
    expect(text(await (await discord.as('member').slash('help')).message())).toContain('/models');
  });

  it('The bot waits during many 429 responses and then sends its reply', async () => {
    const { discord } = await startTestBot({ allowsRateLimits: true });
    discord.faults.add({ on: { method: 'PATCH' }, do: { type: '429', scope: 'user', retryAfter: 0.05 }, times: 3 });
    expect(text(await (await discord.as('member').slash('models')).message())).toContain('24 models');
  });

  it('After an unexpected error, the bot gives the member a reference that is also in the log', async () => {
    const { discord, logged } = await startTestBot();
    discord.faults.add({
      on: { method: 'GET', route: '/applications' },
      do: { type: 'status', status: 400 },
      times: 4,
    });
    const content = text(await (await discord.as('member').slash('help')).message());
    const reference = /`([0-9a-f]{8})`/.exec(content)?.[1] ?? 'none';
    expect(content).toContain('this reference');
    expect(logged()).toContain(reference);
  });

  it('A bot that is stopping completes running requests and accepts no new ones', async () => {
    const { discord, gateway, app } = await startTestBot();
    gateway.faults.add({ do: { type: 'drip', everyMs: 2 } });
    const exchange = await discord.as('member').slash('models');
    await exchange.acknowledged();
    await app.stop();
    expect(text(await exchange.message())).toContain('24 models');
  });

  it('The bot writes no secrets to its log', async () => {
    const { discord, logged } = await startTestBot();
    const exchange = await discord.as('member').slash('models');
    await exchange.message();
    expect(logged()).not.toContain(discord.token);
    expect(logged()).not.toContain(exchange.token);
    expect(logged()).not.toContain('sk-sandbox');
  });
});

describe('Requests to Discord whose first attempt fails', () => {
  const callbackRoute = { method: 'POST', route: '/interactions/:interaction/:token/callback' };

  const expectOrderDespite = async (fault: DiscordFault): Promise<void> => {
    const { discord, gateway } = await startTestBot({ gateway: { speed: 100 } });
    discord.faults.add({ on: callbackRoute, do: fault, times: 1 });
    const exchange = await discord.as('member').slash('imagine', { prompt: 'a fox' });
    await exchange.message((message) => text(message).includes('Finished in'));
    expect(gateway.requests.filter(({ path }) => path.includes('/submit/'))).toHaveLength(1);
  };

  itVariants([
    ['answered with status 503', { type: 'status', status: 503 }],
    ['carried out but never answered', { type: 'hang', done: true }],
  ] as const)('The order is not lost if its acknowledgement is %s', (_name, fault) => expectOrderDespite(fault));

  it.each([
    ['reset', { type: 'reset' }],
    ['reset after Discord carried it out', { type: 'reset', done: true }],
  ] as const)('The order is not lost if its acknowledgement is %s', { tags: ['breadth'] }, (_name, fault) =>
    expectOrderDespite(fault),
  );

  it('An interaction that another process has acknowledged is left to that process', async () => {
    const { discord, gateway, logged } = await startTestBot();
    discord.faults.add({ on: callbackRoute, do: { type: 'status', status: 400, code: 40060 }, times: 1 });
    await discord.as('member').slash('imagine', { prompt: 'a fox' });
    await expect.poll(logged).toContain('Discord no longer accepts the reply, because there is one already.');
    expect(gateway.requests.filter(({ path }) => path.includes('/submit/'))).toEqual([]);
  });

  it('A refusal is sent again until Discord accepts it', async () => {
    const { discord, gateway } = await startTestBot();
    gateway.faults.add({ on: { path: '/imgx/submit' }, do: 'unauthorized' });
    discord.faults.add({
      on: { method: 'PATCH', route: '/webhooks/:application/:token/messages/:message' },
      do: { type: 'status', status: 503 },
      times: 6,
    });
    const exchange = await discord.as('member').slash('imagine', { prompt: 'a fox' });
    expect(text(await exchange.message())).toContain('rejected this bot’s API key');
  });
});
