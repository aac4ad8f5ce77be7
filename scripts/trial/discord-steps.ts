import type { RawFile } from '@discordjs/rest';
import {
  type APIGuildMember,
  type APIMessage,
  type APIThreadChannel,
  ButtonStyle,
  ComponentType,
  MessageFlags,
  Routes,
} from 'discord-api-types/v10';
import { features } from '../../src/commands/index.ts';
import { permissionsIn } from '../../src/discord/guards.ts';
import { planDeployment, registrations } from '../../src/discord/registration.ts';
import { OpusWriter, Waveform } from '../../src/services/media/sound/opus.ts';
import { readCommands } from '../deploy.ts';
import { missingNames, readServers } from '../setup/discord-side.ts';
import { pngOf, tone } from './gateway-steps.ts';
import { orRefusal, type Step, stepsOf, Unexpected } from './run.ts';
import type { Sides } from './sides.ts';

/** No message, interaction or application has this id. */
const UNKNOWN_ID = '100000000000000001';
const MAX_CONTENT_LENGTH = 2_000;
const TITLE = 'Atelier trial';
const NOTE = `${TITLE}: this message is removed at the end.`;

/** What a bot can do without a member, by the clients that the bot uses. */
export function discordSteps(sides: Sides, keepsCommands: boolean): Step[] {
  const { rest } = sides.clients;
  const messageIds = new Set<string>();
  return stepsOf('discord', {
    'Bot and application': async () => {
      for (const route of [Routes.user(), Routes.currentApplication(), Routes.gatewayBot()]) await rest.get(route);
    },
    Permissions: () => checkPermissions(sides),
    ...messageRuns(sides, messageIds),
    Commands: () => tryCommands(sides, keepsCommands),
    'Refused requests': () => tryRefusals(sides),
    'Removal of the messages': async () => {
      for (const id of messageIds) {
        await rest.delete(Routes.channelMessage(sides.channel.id, id));
        // An interrupted trial removes what is left.
        messageIds.delete(id);
      }
    },
  });
}

async function checkPermissions({ clients: { rest }, channel, guildId, bot }: Sides): Promise<void> {
  const server = (await readServers(rest)).find(({ id }) => id === guildId);
  const current = (await rest.get(Routes.channel(channel.id))) as typeof channel;
  const { roles: roleIds } = (await rest.get(Routes.guildMember(guildId, bot.id))) as APIGuildMember;
  if (!server) throw new Unexpected('the bot is not on the server of the channel');
  const appPermissions = permissionsIn([server], { guildId, roleIds, memberId: bot.id }, current.permission_overwrites);
  const names = missingNames(appPermissions);
  if (names !== '') throw new Unexpected(`the bot lacks permissions in the channel: ${names}`);
}

function messageRuns({ clients: { rest }, channel }: Sides, messageIds: Set<string>): Record<string, Step['run']> {
  const send = async (body: object, ...files: RawFile[]) => {
    const message = (await rest.post(Routes.channelMessages(channel.id), { body, files })) as APIMessage;
    messageIds.add(message.id);
    return { id: message.id, attachmentId: message.attachments[0]?.id ?? '' };
  };
  const edit = (id: string, body: object, ...files: RawFile[]): Promise<unknown> =>
    rest.patch(Routes.channelMessage(channel.id, id), { body, files });
  let first = '';
  return {
    'Message sent twice with one nonce': async () => {
      const body = { content: NOTE, components: [BUTTONS], nonce: String(Date.now()), enforce_nonce: true };
      first = (await send(body)).id;
      if ((await send(body)).id !== first) throw new Unexpected('the same nonce made a second message');
      await rest.get(Routes.channelMessage(channel.id, first));
    },
    Edit: () => edit(first, { content: `${NOTE} It was edited.`, components: [] }),
    'Upload, and an edit that adds a file': async () => {
      const attachments = [{ id: '0', filename: 'one.png', description: 'A red square' }];
      const { id, attachmentId } = await send({ content: NOTE, attachments }, await square('one.png'));
      await edit(id, { attachments: [{ id: attachmentId }, SECOND_FILE] }, await square('two.png'));
    },
    'Gallery, and an edit that adds a file': async () => {
      const attachments = [{ id: '0', filename: 'one.png' }];
      const { id, attachmentId } = await send({ ...galleryOf('one.png'), attachments }, await square('one.png'));
      // Discord may refuse this (discord-api-docs#7529), which is why the bot does not do it.
      const body = { ...galleryOf('one.png', 'two.png'), attachments: [{ id: attachmentId }, SECOND_FILE] };
      await orRefusal(edit(id, body, await square('two.png')));
    },
    'Voice message': async () => {
      const { attachment, file } = await voiceMessage();
      await orRefusal(send({ flags: MessageFlags.IsVoiceMessage, attachments: [attachment] }, file));
    },
    Thread: async () => {
      const body = { name: TITLE, auto_archive_duration: 60 };
      const { id } = (await rest.post(Routes.threads(channel.id, first), { body })) as APIThreadChannel;
      const note = (await rest.post(Routes.channelMessages(id), { body: { content: NOTE } })) as APIMessage;
      await rest.delete(Routes.channelMessage(id, note.id));
      await rest.patch(Routes.channel(id), { body: { archived: true } });
      // Needs Manage Threads, which the bot does not ask for.
      await orRefusal(rest.delete(Routes.channel(id)));
    },
  };
}

const BUTTON = { type: ComponentType.Button, style: ButtonStyle.Secondary, label: 'Nothing', custom_id: 'trial.1' };
const BUTTONS = { type: ComponentType.ActionRow, components: [{ ...BUTTON, disabled: true }] };
const SECOND_FILE = { id: '0', filename: 'two.png' };

const galleryOf = (...names: string[]) => {
  const items = names.map((name) => ({ media: { url: `attachment://${name}` } }));
  return { flags: MessageFlags.IsComponentsV2, components: [{ type: ComponentType.MediaGallery, items }] };
};

const square = async (name: string) => ({ name, data: await pngOf('#b03020'), contentType: 'image/png' });

async function voiceMessage() {
  const writer = await OpusWriter.create();
  const waveform = new Waveform();
  for (const part of [writer, waveform]) part.add(tone());
  const file: RawFile = { name: 'voice.ogg', data: writer.end(), contentType: 'audio/ogg' };
  writer.free();
  return { file, attachment: { id: '0', filename: file.name, duration_secs: 1, waveform: waveform.toBase64() } };
}

/** Registers the commands on the server of the channel, if it has none of its own, and reads them back. */
async function tryCommands(sides: Sides, keepsCommands: boolean): Promise<void> {
  const { rest } = sides.clients;
  const route = Routes.applicationGuildCommands(sides.bot.id, sides.guildId);
  const desired = registrations(features, sides.config.discord);
  sides.hasRegistered = (await readCommands(rest, route)).length === 0;
  if (sides.hasRegistered) await rest.put(route, { body: desired });
  const registered = await readCommands(rest, route);
  if (!keepsCommands) await removeCommands(sides);
  const { create, change } = planDeployment(registered, desired);
  const different = create.length + change.length;
  if (different > 0) throw new Unexpected(`${different} commands are not as the bot registers them`);
}

/** Global commands stay, and so do those that the server had before. */
export async function removeCommands({ clients, bot, guildId, hasRegistered }: Sides): Promise<void> {
  if (hasRegistered) await clients.rest.put(Routes.applicationGuildCommands(bot.id, guildId), { body: [] });
}

async function tryRefusals({ clients: { rest, tokenRest }, channel, bot }: Sides): Promise<void> {
  const emptyRow = { components: [{ type: ComponentType.ActionRow, components: [] }] };
  const unknownToken = Routes.webhookMessage(bot.id, 'trial-of-an-unknown-token');
  for (const body of [{ content: 'x'.repeat(MAX_CONTENT_LENGTH + 1) }, emptyRow])
    await orRefusal(rest.post(Routes.channelMessages(channel.id), { body }));
  await orRefusal(rest.get(Routes.channelMessage(channel.id, UNKNOWN_ID)));
  await orRefusal(tokenRest.patch(unknownToken, { body: { content: NOTE }, auth: false }));
  await orRefusal(rest.delete(Routes.applicationCommand(bot.id, UNKNOWN_ID)));
}
