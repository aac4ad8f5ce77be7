import { type Message as BotMessage, Client, Events, GatewayIntentBits, Partials } from 'discord.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { handleInteractions, startClient, startFixture } from './fixture.ts';

const modelsCommand = { name: 'models', description: 'What there is' };

describe('A gateway session', () => {
  it('A session that is lost during a command resumes and receives the missed events', async () => {
    const { discord } = await startFixture();
    const client = await startClient(discord);
    await client.application.commands.set([modelsCommand]);
    const problems = handleInteractions(client, async (interaction) => {
      if (interaction.isChatInputCommand()) await interaction.reply('here');
    });
    discord.gateway.dropConnections();
    await discord.until(() => (discord.gateway.sessions === 0 ? true : undefined));
    const exchange = await discord.as('member').slash('models');
    expect((await exchange.message()).content).toBe('here');
    expect(discord.gateway).toMatchObject({ sessions: 1, identifies: 1, resumes: 1 });
    expect(problems).toEqual([]);
  });

  it('A session resumes after a reconnect request', { tags: ['breadth'] }, async () => {
    const { discord } = await startFixture();
    const client = await startClient(discord);
    const resumed = new Promise((resolve) => client.once(Events.ShardResume, resolve));
    discord.gateway.requestReconnect();
    await resumed;
    expect(discord.gateway).toMatchObject({ identifies: 1, resumes: 1 });
  });

  it('An invalid session is replaced by a new one', { tags: ['breadth'] }, async () => {
    const { discord, clock } = await startFixture();
    const client = await startClient(discord);
    clock.advance(discord.limits.identifyWindowMs);
    const secondReady = new Promise<void>((resolve) => {
      client.on(Events.Raw, ({ t }: { t: unknown }) => (t === 'READY' ? resolve() : undefined));
    });
    discord.gateway.invalidate(false);
    await secondReady;
    expect(discord.gateway).toMatchObject({ sessions: 1, identifies: 2, resumes: 0 });
  });

  it('A resumable invalid session is resumed', async () => {
    const { discord } = await startFixture();
    const client = await startClient(discord);
    const resumed = new Promise((resolve) => client.once(Events.ShardResume, resolve));
    discord.gateway.invalidate(true);
    await resumed;
    expect(discord.gateway).toMatchObject({ sessions: 1, identifies: 1, resumes: 1 });
  });

  it('If a client breaks a rule, the gateway closes the connection with the same close code as Discord', async () => {
    const { discord } = await startFixture();
    const closeCodeAfter = (...payloads: unknown[]) =>
      new Promise<number>((resolve) => {
        const socket = new WebSocket(`${discord.gatewayUrl}?v=10&encoding=json`);
        socket.onopen = () => {
          for (const payload of payloads) socket.send(typeof payload === 'string' ? payload : JSON.stringify(payload));
        };
        socket.onclose = ({ code }) => resolve(code);
      });
    const identify = (fields: object) => ({
      op: 2,
      d: { token: discord.token, intents: 0, properties: {}, ...fields },
    });
    expect(await closeCodeAfter('not json')).toBe(4002);
    expect(await closeCodeAfter({ op: 99 })).toBe(4001);
    expect(await closeCodeAfter({ op: 3, d: {} })).toBe(4003);
    expect(await closeCodeAfter(identify({}), identify({}))).toBe(4005);
    expect(await closeCodeAfter(identify({ intents: 1 << 30 }))).toBe(4013);
    expect(await closeCodeAfter(identify({ intents: 1 << 1 }))).toBe(4014);
    expect(await closeCodeAfter(identify({ shard: [2, 2] }))).toBe(4010);
    expect(await closeCodeAfter(...Array.from({ length: 121 }, () => ({ op: 1, d: null })))).toBe(4008);
  });
});

async function startListener(intents: number[], privilegedIntents: ('message-content' | 'members')[] = []) {
  const { discord } = await startFixture({ privilegedIntents });
  const client = new Client({ intents, partials: [Partials.Channel], rest: { api: discord.apiUrl } });
  onTestFinished(() => client.destroy());
  const received: BotMessage[] = [];
  client.on(Events.MessageCreate, (message) => received.push(message));
  const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(discord.token);
  await ready;
  /** Waits for a later event, so that all earlier ones have arrived. */
  const waitForEvents = async () => {
    const resumed = new Promise((resolve) => client.once(Events.ShardResume, resolve));
    discord.gateway.requestReconnect();
    await resumed;
  };
  return { discord, client, received, waitForEvents };
}

const { Guilds, GuildMessages, DirectMessages, MessageContent } = GatewayIntentBits;

describe('Gateway intents', () => {
  it('Without intents, the bot receives no message events', async () => {
    const { discord, received, waitForEvents } = await startListener([]);
    await discord.as('member').say('hello');
    await discord.as('member').in('dm').say('hello');
    await waitForEvents();
    expect(received).toEqual([]);
  });

  it('Without the message content intent, only mentions, direct messages and the bot’s own messages have content', async () => {
    const { discord, client, received, waitForEvents } = await startListener([Guilds, GuildMessages, DirectMessages]);
    const member = discord.as('member');
    await member.say('secret', [{ name: 'a.txt', bytes: Buffer.from('x') }]);
    await member.say(`hello <@${discord.applicationId}>`);
    await member.in('dm').say('private');
    const studio = client.channels.cache.get(discord.world.channel('studio').id);
    if (studio?.isSendable()) await studio.send('mine');
    await waitForEvents();
    expect(received.map(({ content, attachments }) => [content, attachments.size])).toEqual([
      ['', 0],
      [`hello <@${discord.applicationId}>`, 0],
      ['private', 0],
      ['mine', 0],
    ]);
  });

  it('With the message content intent, every message has content', async () => {
    const { discord, received, waitForEvents } = await startListener(
      [Guilds, GuildMessages, MessageContent],
      ['message-content'],
    );
    await discord.as('member').say('open', [{ name: 'a.txt', bytes: Buffer.from('x') }]);
    await waitForEvents();
    expect(
      received.map(({ content, attachments, member }) => [content, attachments.size, member?.user.username]),
    ).toEqual([['open', 1, 'member']]);
  });

  it('With the members intent, the bot can request all members', async () => {
    const { discord, client } = await startListener([Guilds, GatewayIntentBits.GuildMembers], ['members']);
    const guild = client.guilds.cache.get(discord.world.guild('atelier').id);
    const members = await guild?.members.fetch();
    expect(members?.map(({ user }) => user.username).sort()).toEqual([
      'admin',
      'atelier-bot',
      'member',
      'other',
      'owner',
    ]);
  });
});
