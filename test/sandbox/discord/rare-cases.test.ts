import {
  ButtonStyle,
  ComponentType,
  GatewayIntentBits,
  type Interaction,
  MessageFlags,
  REST,
  Routes,
} from 'discord.js';
import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { handleInteractions, startClient, startFixture } from './fixture.ts';

async function startBot(handle: (interaction: Interaction) => Promise<unknown>) {
  const { discord, clock } = await startFixture();
  const client = await startClient(discord, [GatewayIntentBits.Guilds]);
  await client.application.commands.set([{ name: 'models', description: 'What there is' }]);
  return { discord, clock, client, problems: handleInteractions(client, handle), member: discord.as('member') };
}

const page = (content: string) => ({
  flags: MessageFlags.IsComponentsV2 as const,
  components: [
    { type: ComponentType.TextDisplay as const, content },
    {
      type: ComponentType.ActionRow as const,
      components: [
        { type: ComponentType.Button as const, style: ButtonStyle.Primary as const, custom_id: 'next', label: 'Next' },
      ],
    },
  ],
});

describe('A Components V2 message', () => {
  it('A Components V2 message can be updated and followed by a plain reply', async () => {
    let presses = 0;
    const { member, discord, problems } = await startBot(async (interaction) => {
      if (interaction.isChatInputCommand()) await interaction.reply(page('one'));
      if (!interaction.isButton()) return;
      presses += 1;
      if (presses === 1) await interaction.update(page('two'));
      else await interaction.reply('plain');
    });
    const first = await (await member.slash('models')).message();
    expect(text(await (await member.click(first, 'Next')).message())).toBe('two');
    const plainReply = await (await member.click(first, 'Next')).message();
    expect([plainReply.content, plainReply.id === first.id]).toEqual(['plain', false]);
    expect(problems).toEqual([]);
    expect(discord.violations).toEqual([]);
  });
});

describe('A deferred response', () => {
  it('The first follow-up completes a deferred response', async () => {
    const { member, problems } = await startBot(async (interaction) => {
      if (!interaction.isChatInputCommand()) return;
      await interaction.deferReply({ flags: MessageFlags.Ephemeral });
      await interaction.followUp('filled');
    });
    const exchange = await member.slash('models');
    const message = await exchange.message();
    expect([message.content, message.ephemeral, exchange.followUps().length]).toEqual(['filled', true, 0]);
    expect(problems).toEqual([]);
  });

  it('A deferred response can be completed with the bot token after the interaction token has expired', async () => {
    const { member, discord, clock, client } = await startBot(async (interaction) => {
      if (interaction.isChatInputCommand()) await interaction.deferReply();
    });
    const exchange = await member.slash('models');
    await exchange.acknowledged();
    clock.advance(16 * 60 * 1_000);
    const [deferredMessage] = discord.messages('studio');
    if (!deferredMessage) throw new Error('There is no deferred message.');
    await client.rest.patch(Routes.channelMessage(deferredMessage.channel_id, deferredMessage.id), {
      body: { content: 'done' },
    });
    expect(await exchange.message()).toMatchObject({ id: deferredMessage.id, content: 'done', flags: 0 });
    expect(discord.violations).toEqual([]);
  });

  it('A deferred response can be fetched', async () => {
    const loadingFlags: unknown[] = [];
    const { member } = await startBot(async (interaction) => {
      if (!interaction.isChatInputCommand()) return;
      const response = await interaction.deferReply({ withResponse: true });
      loadingFlags.push(response.interaction.responseMessageLoading, response.resource?.message?.flags.has('Loading'));
      await interaction.editReply('done');
    });
    await (await member.slash('models')).message();
    expect(loadingFlags).toEqual([true, true]);
  });
});

describe('A failing server', () => {
  it('discord.js tries a failing request four times', async () => {
    const { discord } = await startFixture();
    const rest = new REST({ api: discord.apiUrl }).setToken(discord.token);
    discord.faults.add({ do: { type: 'status', status: 502, body: '<html>' }, times: 4 });
    await expect(rest.get('/users/@me')).rejects.toMatchObject({ status: 502 });
    expect(discord.requests).toHaveLength(4);
  });

  it('A server with a pending request can be closed', async () => {
    const { discord } = await startFixture();
    const rest = new REST({ api: discord.apiUrl, retries: 0, timeout: 50 }).setToken(discord.token);
    for (const done of [false, true]) {
      discord.faults.add({ do: { type: 'hang', done } });
      await expect(rest.get('/users/@me')).rejects.toThrow(/abort/i);
    }
  });
});

describe('A request body', () => {
  it('A body that is not JSON is refused', async () => {
    const { discord } = await startFixture();
    const response = await fetch(`${discord.apiUrl}/v10${Routes.userChannels()}`, {
      method: 'POST',
      headers: { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' },
      body: '{',
    });
    expect([response.status, await response.json()]).toMatchObject([400, { code: 50109 }]);
  });
});

describe('A thread', () => {
  it('A thread can be started on a message and accepts messages', async () => {
    const { discord, client } = await startBot(async () => undefined);
    const rest = new REST({ api: discord.apiUrl }).setToken(discord.token);
    const postedMessage = await discord.as('member').say('a long story');
    const thread = (await rest.post(Routes.threads(postedMessage.channel_id, postedMessage.id), {
      body: { name: 'story' },
    })) as {
      id: string;
    };
    expect(thread.id).toBe(postedMessage.id);
    await rest.post(Routes.channelMessages(thread.id), { body: { content: 'once' } });
    expect(discord.messages('story').map(({ content }) => content)).toEqual(['', 'once']);
    await expect.poll(() => client.channels.cache.get(thread.id)?.isThread()).toBe(true);
    expect(discord.violations).toEqual([]);
  });
});
