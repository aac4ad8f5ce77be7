import { Client, Events, GatewayIntentBits } from 'discord.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { handleInteractions, startClient, startFixture } from './fixture.ts';

describe('Login', () => {
  it('A bot without intents logs in and responds to a command', async () => {
    const { discord } = await startFixture();
    const client = await startClient(discord);
    expect(client.user.id).toBe(discord.applicationId);
    await client.application.commands.set([{ name: 'models', description: 'What there is' }]);
    const problems = handleInteractions(client, async (interaction) => {
      if (interaction.isChatInputCommand()) await interaction.reply(`hello ${interaction.user.username}`);
    });
    const exchange = await discord.as('member').slash('models');
    expect((await exchange.message()).content).toBe('hello member');
    expect(await exchange.acknowledged()).toMatchObject({ type: 4, ephemeral: false });
    expect(problems).toEqual([]);
    expect(discord.violations).toEqual([]);
  });

  it('A bot with the guilds intent receives its guilds', async () => {
    const { discord } = await startFixture({ guilds: 3 });
    const client = await startClient(discord, [GatewayIntentBits.Guilds]);
    expect(client.guilds.cache.map(({ name }) => name).sort()).toEqual([
      'atelier',
      'elsewhere',
      'guild-1',
      'guild-2',
      'guild-3',
    ]);
    const studio = client.channels.cache.get(discord.world.channel('studio').id);
    expect(studio?.isTextBased()).toBe(true);
    expect(discord.gateway).toMatchObject({ sessions: 1, identifies: 1, resumes: 0 });
  });

  it('REST and the gateway refuse a wrong token', async () => {
    const { discord } = await startFixture();
    const client = new Client({ intents: [], rest: { api: discord.apiUrl } });
    onTestFinished(() => client.destroy());
    await expect(client.login('MTAw.wrong.token')).rejects.toMatchObject({ code: 'TokenInvalid' });
    const closeCode = new Promise((resolve) => {
      const socket = new WebSocket(`${discord.gatewayUrl}?v=10&encoding=json`);
      socket.onmessage = () =>
        socket.send(JSON.stringify({ op: 2, d: { token: 'wrong', intents: 0, properties: {} } }));
      socket.onclose = ({ code }) => resolve(code);
    });
    expect(await closeCode).toBe(4004);
  });

  it('An intent that is not enabled in the developer portal is refused', async () => {
    const { discord } = await startFixture();
    const client = new Client({ intents: [GatewayIntentBits.MessageContent], rest: { api: discord.apiUrl } });
    onTestFinished(() => client.destroy());
    client.on(Events.Error, () => undefined);
    await expect(client.login(discord.token)).rejects.toThrow(/disallowed intents/i);
  });
});
