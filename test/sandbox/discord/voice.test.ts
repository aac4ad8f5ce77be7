import {
  AttachmentBuilder,
  DiscordAPIError,
  GatewayIntentBits,
  type Message,
  PermissionFlagsBits as Permission,
  REST,
  Routes,
} from 'discord.js';
import { expect, it } from 'vitest';
import type { DiscordOptions } from '../../../sandbox/discord/discord.ts';
import { handleInteractions, startClient, startFixture } from './fixture.ts';

const VOICE_FLAG = 1 << 13;
const codeOf = (problem: unknown) => (problem instanceof DiscordAPIError ? problem.code : problem);
const ogg = Buffer.from('OggS and more bytes');
const waveform = Buffer.from([0, 128, 255, 64]).toString('base64');
const body = {
  flags: VOICE_FLAG,
  attachments: [{ id: '0', filename: 'voice-message.ogg', duration_secs: 2.5, waveform }],
};
const files = [{ name: 'voice-message.ogg', data: ogg }];

async function startDiscord(options: DiscordOptions = {}) {
  const { discord } = await startFixture(options);
  const rest = new REST({ api: discord.apiUrl }).setToken(discord.token);
  const id = (name: string) => discord.world.channel(name).id;
  const send = (channel: string, overrides: object = {}, uploads = files) =>
    rest.post(Routes.channelMessages(id(channel)), { body: { ...body, ...overrides }, files: uploads }) as Promise<{
      id: string;
    }>;
  return { discord, rest, id, send };
}

it('A voice message keeps its duration and waveform, and its audio can be downloaded', async () => {
  const { discord, send } = await startDiscord();
  expect(await send('thread')).toMatchObject({
    flags: VOICE_FLAG,
    content: '',
    attachments: [{ content_type: 'audio/ogg', duration_secs: 2.5, waveform, filename: 'voice-message.ogg' }],
  });
  const [attachment] = discord.messages('thread')[0]?.attachments ?? [];
  const response = await fetch(attachment?.url ?? '');
  expect([response.headers.get('content-type'), await response.text()]).toEqual(['audio/ogg', String(ogg)]);
  expect(discord.violations).toEqual([]);
});

it('A voice message requires its own permission, but not Attach Files', async () => {
  const { discord, send } = await startDiscord();
  expect(await send('no-voice-messages').catch(codeOf)).toBe(50173);
  discord.restrict('studio', Permission.AttachFiles);
  await send('studio');
  expect(await send('studio', { flags: 0 }).catch(codeOf)).toBe(50013);
  expect(discord.messages('studio')).toHaveLength(1);
});

it('An invalid voice message is refused with Discord’s error code, or with a form error', async () => {
  const { discord, send } = await startDiscord();
  expect(await send('studio', { content: 'hello' }).catch(codeOf)).toBe(50159);
  expect(await send('studio', {}, [...files, ...files]).catch(codeOf)).toBe(50160);
  expect(await send('studio', {}, [{ name: 'a.txt', data: Buffer.from('x') }]).catch(codeOf)).toBe(50160);
  expect(await send('studio', { attachments: [{ id: '0' }] }).catch(codeOf)).toBe(50161);
  expect(await send('studio', { content: 'x'.repeat(2_001) }).catch(codeOf)).toBe(50035);
  expect(discord.messages('studio')).toEqual([]);
  expect(discord.violations.length).toBeGreaterThan(4);
});

it('A voice message cannot be edited, but it can be deleted', async () => {
  const { discord, rest, id, send } = await startDiscord();
  const messageRoute = Routes.channelMessage(id('studio'), (await send('studio')).id);
  expect(await rest.patch(messageRoute, { body: { content: 'x' } }).catch(codeOf)).toBe(50162);
  await rest.delete(messageRoute);
  expect(discord.messages('studio')).toEqual([]);
});

it('discord.js sends a voice message as a response, as a follow-up and to a channel', async () => {
  const { discord } = await startDiscord();
  const client = await startClient(discord, [GatewayIntentBits.Guilds]);
  await client.application.commands.set([{ name: 'models', description: 'What there is' }]);
  const voiceMessage = () => ({
    flags: VOICE_FLAG,
    files: [new AttachmentBuilder(ogg, { name: 'voice-message.ogg' }).setDuration(2.5).setWaveform(waveform)],
  });
  const problems = handleInteractions(client, async (interaction) => {
    if (!interaction.isChatInputCommand()) return;
    await interaction.reply(voiceMessage());
    await interaction.followUp(voiceMessage());
    const channel = await client.channels.fetch(interaction.channelId);
    if (channel?.isSendable()) await channel.send(voiceMessage());
  });
  const exchange = await discord.as('member').slash('models');
  await discord.until(() => (discord.messages('studio').length === 3 ? true : undefined));
  await exchange.message();
  expect(discord.messages('studio').map(({ flags, attachments }) => [flags, attachments[0]?.duration_secs])).toEqual([
    [VOICE_FLAG, 2.5],
    [VOICE_FLAG, 2.5],
    [VOICE_FLAG, 2.5],
  ]);
  discord.restrict('studio', Permission.SendVoiceMessages);
  await discord.as('member').slash('models');
  await expect.poll(() => problems.map(codeOf)).toEqual([50173]);
  expect(discord.messages('studio')).toHaveLength(3);
  expect(discord.violations).toEqual([]);
});

it('A follow-up that completes a deferred response may be a voice message if the bot has the permission', async () => {
  const { discord } = await startDiscord();
  const client = await startClient(discord);
  await client.application.commands.set([{ name: 'models', description: 'What there is' }]);
  const problems = handleInteractions(client, async (interaction) => {
    if (!interaction.isChatInputCommand()) return;
    await interaction.deferReply();
    const audio = new AttachmentBuilder(ogg, { name: 'voice-message.ogg' }).setDuration(2.5).setWaveform(waveform);
    await interaction.followUp({ flags: VOICE_FLAG, files: [audio] });
  });
  const exchange = await discord.as('member').slash('models');
  expect(await exchange.message()).toMatchObject({
    flags: VOICE_FLAG,
    attachments: [{ duration_secs: 2.5, waveform }],
  });
  discord.restrict('studio', Permission.SendVoiceMessages);
  await discord.as('member').slash('models');
  await expect.poll(() => problems.map(codeOf)).toEqual([50173]);
});

it('A duration without the voice flag is ignored', async () => {
  const { discord, send } = await startDiscord();
  await send('studio', { flags: 0 });
  const [attachment] = discord.messages('studio')[0]?.attachments ?? [];
  expect([attachment?.duration_secs, attachment?.waveform]).toEqual([undefined, undefined]);
});

it.each([
  [[], false],
  [['message-content'], true],
] as const)(
  'The audio of a member’s voice message reaches only clients with the message content intent: %j',
  async (intents, canRead) => {
    const { discord } = await startDiscord({ privilegedIntents: [...intents] });
    const { Guilds, GuildMessages, MessageContent } = GatewayIntentBits;
    const client = await startClient(discord, [Guilds, GuildMessages, ...(canRead ? [MessageContent] : [])]);
    const received: Message[] = [];
    client.on('messageCreate', (message) => received.push(message));
    const member = discord.as('member').in('thread');
    await member.speak({ bytes: ogg, seconds: 3, waveform });
    await member.say('and this', [{ name: 'wave.wav', bytes: ogg }]);
    await expect.poll(() => received.length).toBe(2);
    expect(received.map(({ flags }) => flags.bitfield)).toEqual([VOICE_FLAG, 0]);
    expect(
      received.map(({ attachments }) => attachments.map(({ duration, contentType }) => [duration, contentType])),
    ).toEqual(canRead ? [[[3, 'audio/ogg']], [[null, 'audio/x-wav']]] : [[], []]);
    expect(received[1]?.content).toBe(canRead ? 'and this' : '');
  },
);

it('A member can send a voice message only with the permission, directly or by a control action', async () => {
  const { discord } = await startDiscord();
  for (const role of discord.world.guild('elsewhere').roles) role.permissions &= ~Permission.SendVoiceMessages;
  await expect(discord.as('member').in('hall').speak({ bytes: ogg, seconds: 1 })).rejects.toThrow(/cannot send voice/);
  await expect(discord.as('member').in('read-only').speak({ bytes: ogg, seconds: 1 })).rejects.toThrow(/cannot send/);
  const action = { do: 'speak', as: 'member', in: 'thread', base64: ogg.toString('base64'), seconds: 1 };
  expect((await discord.perform(action)).message).toMatchObject({ flags: VOICE_FLAG, author: { username: 'member' } });
  await expect(discord.perform({ ...action, seconds: 0 })).rejects.toThrow(/seconds/);
});
