import type { RawFile } from '@discordjs/rest';
import {
  type APIGuildChannel,
  type APIGuildMember,
  type APIMessage,
  type APIThreadChannel,
  type APIUser,
  ButtonStyle,
  ComponentType,
  MessageFlags,
  type RESTPatchAPIChannelMessageJSONBody,
  type RESTPostAPIChannelMessageJSONBody,
  Routes,
} from 'discord-api-types/v10';
import { features } from '../../src/commands/index.ts';
import { planDeployment } from '../../src/discord/deployment.ts';
import { missingPermissions, permissionsIn } from '../../src/discord/guards.ts';
import type { DiscordClients } from '../../src/discord/outbox/clients.ts';
import { registrations } from '../../src/discord/registration.ts';
import { say } from '../../src/locales/index.ts';
import { OpusWriter, Waveform } from '../../src/services/media/sound/opus.ts';
import { readCommands } from '../read-commands.ts';
import { readServers } from '../setup/discord-side.ts';
import { pngOf, tone } from './gateway-steps.ts';
import { orRefusal, type Step, Unexpected } from './run.ts';

/** No message, interaction or application has this id. */
const UNKNOWN_ID = '100000000000000001';
const MAX_CONTENT_LENGTH = 2_000;
const TITLE = 'Atelier trial';
const NOTE = `${TITLE}: this message is removed at the end.`;

export interface DiscordSide {
  clients: DiscordClients;
  channel: APIGuildChannel;
  bot: APIUser;
  userInstall: boolean;
  mentions: boolean;
  /** Whether a member uses the commands after these steps. */
  keepsCommands: boolean;
  /** Whether the trial has registered the commands itself, and so removes them. */
  hasRegistered: boolean;
}

/** What a bot can do without a member, by the clients that the bot uses. */
export function discordSteps(side: DiscordSide): Step[] {
  const messageIds: string[] = [];
  const steps: [string, () => Promise<void>][] = [
    ['Bot and application', () => readBot(side)],
    ['Permissions', () => checkPermissions(side)],
    ...messageSteps(side, messageIds),
    ['Commands', () => tryCommands(side)],
    ['Refused requests', () => tryRefusals(side)],
    [
      'Removal of the messages',
      async () => {
        for (const id of messageIds) await side.clients.rest.delete(Routes.channelMessage(side.channel.id, id));
      },
    ],
  ];
  return steps.map(([name, run]) => ({ side: 'discord', name, run }));
}

async function readBot({ clients: { rest } }: DiscordSide): Promise<void> {
  await rest.get(Routes.user());
  await rest.get(Routes.currentApplication());
  await rest.get(Routes.gatewayBot());
}

async function checkPermissions({ clients: { rest }, channel, bot }: DiscordSide): Promise<void> {
  const guildId = channel.guild_id ?? '';
  const server = (await readServers(rest)).find(({ id }) => id === guildId);
  const current = (await rest.get(Routes.channel(channel.id))) as APIGuildChannel;
  const member = (await rest.get(Routes.guildMember(guildId, bot.id))) as APIGuildMember;
  if (!server) throw new Unexpected('the bot is not on the server of the channel');
  const targets = [[guildId], member.roles, [bot.id]];
  const missing = missingPermissions({ appPermissions: permissionsIn(server, targets, current.permission_overwrites) });
  const names = missing.map((name) => say(`permissions.${name}`)).join(', ');
  if (missing.length > 0) throw new Unexpected(`the bot lacks permissions in the channel: ${names}`);
}

function messageSteps(
  { clients: { rest }, channel }: DiscordSide,
  messageIds: string[],
): [string, () => Promise<void>][] {
  const send = async (body: RESTPostAPIChannelMessageJSONBody, files: RawFile[] = [], channelId = channel.id) => {
    const message = (await rest.post(Routes.channelMessages(channelId), { body, files })) as APIMessage;
    if (channelId === channel.id && !messageIds.includes(message.id)) messageIds.push(message.id);
    return message;
  };
  const edit = (id: string, body: RESTPatchAPIChannelMessageJSONBody, files: RawFile[] = []): Promise<unknown> =>
    rest.patch(Routes.channelMessage(channel.id, id), { body, files });
  let first = '';
  const gallery = (names: string[]) => [
    {
      type: ComponentType.MediaGallery as const,
      items: names.map((name) => ({ media: { url: `attachment://${name}` } })),
    },
  ];
  return [
    [
      'Message sent twice with one nonce',
      async () => {
        const body = { content: NOTE, components: [buttons()], nonce: String(Date.now()), enforce_nonce: true };
        first = (await send(body)).id;
        const second = await send(body);
        if (second.id !== first) throw new Unexpected('the same nonce made a second message');
        await rest.get(Routes.channelMessage(channel.id, first));
      },
    ],
    ['Edit', async () => void (await edit(first, { content: `${NOTE} It was edited.`, components: [] }))],
    [
      'Upload, and an edit that adds a file',
      async () => {
        const { id, attachments } = await send(
          { content: NOTE, attachments: [{ id: '0', filename: 'one.png', description: 'A red square' }] },
          [await square('one.png')],
        );
        await edit(id, { attachments: [{ id: attachments[0]?.id ?? '' }, { id: '0', filename: 'two.png' }] }, [
          await square('two.png'),
        ]);
      },
    ],
    [
      'Gallery, and an edit that adds a file',
      async () => {
        const flags = MessageFlags.IsComponentsV2;
        const { id, attachments } = await send(
          { flags, components: gallery(['one.png']), attachments: [{ id: '0', filename: 'one.png' }] },
          [await square('one.png')],
        );
        const kept = { id: attachments[0]?.id ?? '' };
        // Discord may refuse this (discord-api-docs#7529), which is why the bot does not do it.
        const body = {
          flags,
          components: gallery(['one.png', 'two.png']),
          attachments: [kept, { id: '0', filename: 'two.png' }],
        };
        await orRefusal(edit(id, body, [await square('two.png')]));
      },
    ],
    ['Voice message', () => orRefusal(voiceMessage().then(({ body, file }) => send(body, [file])))],
    [
      'Thread',
      async () => {
        const route = Routes.threads(channel.id, first);
        const thread = (await rest.post(route, {
          body: { name: TITLE, auto_archive_duration: 60 },
        })) as APIThreadChannel;
        await send({ content: NOTE }, [], thread.id);
        await rest.patch(Routes.channel(thread.id), { body: { archived: true } });
        // Needs Manage Threads, which the bot does not ask for.
        await orRefusal(rest.delete(Routes.channel(thread.id)));
      },
    ],
  ];
}

const buttons = () => ({
  type: ComponentType.ActionRow as const,
  components: [
    {
      type: ComponentType.Button as const,
      style: ButtonStyle.Secondary as const,
      label: 'Nothing',
      custom_id: 'trial.1',
      disabled: true,
    },
  ],
});

const square = async (name: string): Promise<RawFile> => {
  return { name, data: await pngOf('#b03020'), contentType: 'image/png' };
};

async function voiceMessage(): Promise<{ body: RESTPostAPIChannelMessageJSONBody; file: RawFile }> {
  const writer = await OpusWriter.create();
  const waveform = new Waveform();
  for (const part of [writer, waveform]) part.add(tone());
  const file = { name: 'voice.ogg', data: writer.end(), contentType: 'audio/ogg' };
  writer.free();
  const attachment = { id: '0', filename: file.name, duration_secs: 1, waveform: waveform.toBase64() };
  return { body: { flags: MessageFlags.IsVoiceMessage, attachments: [attachment] }, file };
}

/** Registers the commands on the server of the channel, if it has none of its own, and reads them back. */
async function tryCommands(side: DiscordSide): Promise<void> {
  const { rest } = side.clients;
  const route = Routes.applicationGuildCommands(side.bot.id, side.channel.guild_id ?? '');
  const before = await readCommands(rest, route);
  const desired = registrations(features, side);
  side.hasRegistered = before.length === 0;
  if (side.hasRegistered) await rest.put(route, { body: desired });
  const registered = await readCommands(rest, route);
  if (!side.keepsCommands) await removeCommands(side);
  const { create, change } = planDeployment(registered, desired);
  const different = create.length + change.length;
  if (different > 0) throw new Unexpected(`${different} commands are not as the bot registers them`);
}

/** Global commands stay, and so do those that the server had before. */
export async function removeCommands({ clients, bot, channel, hasRegistered }: DiscordSide): Promise<void> {
  if (!hasRegistered) return;
  await clients.rest.put(Routes.applicationGuildCommands(bot.id, channel.guild_id ?? ''), { body: [] });
}

async function tryRefusals({ clients: { rest, tokenRest }, channel, bot }: DiscordSide): Promise<void> {
  const content = 'x'.repeat(MAX_CONTENT_LENGTH + 1);
  await orRefusal(rest.post(Routes.channelMessages(channel.id), { body: { content } }));
  await orRefusal(
    rest.post(Routes.channelMessages(channel.id), {
      body: { components: [{ type: ComponentType.ActionRow, components: [] }] },
    }),
  );
  await orRefusal(rest.get(Routes.channelMessage(channel.id, UNKNOWN_ID)));
  const unknownToken = Routes.webhookMessage(bot.id, 'trial-of-an-unknown-token');
  await orRefusal(tokenRest.patch(unknownToken, { body: { content: NOTE }, auth: false }));
  await orRefusal(rest.delete(Routes.applicationCommand(bot.id, UNKNOWN_ID)));
}
