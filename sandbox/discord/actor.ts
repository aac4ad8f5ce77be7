import { MessageFlags, PermissionFlagsBits as Permission } from 'discord-api-types/v10';
import { canSeeChannel, canSend } from './client-view.ts';
import { directMessageChannel } from './direct-message-channel.ts';
import { type Exchange, exchangeOf, type Message, messageOf } from './exchange.ts';
import { permissionsOf } from './interactions/context.ts';
import { ImpossibleActionError } from './interactions/impossible-action.ts';
import type { Choice, Modal } from './interactions/interaction.ts';
import type { OptionInput } from './interactions/options.ts';
import { checkUploadSizes } from './interactions/resolved-data.ts';
import { type ActorContext, sendMenuCommand, sendSlashCommand } from './interactions/send.ts';
import { type ModalInput, submitModal } from './interactions/submit-modal.ts';
import { chooseValues, pressButton } from './interactions/use-component.ts';
import type { Parts } from './parts.ts';
import { hasPermissions } from './permissions.ts';
import type { Post } from './post.ts';
import { addToThread, archive, startUserThread, type UserThreadOptions } from './thread-actions.ts';
import type { FileInput, VoiceMetadata } from './uploads.ts';
import type { Channel, User } from './world.ts';

/** The limit for users without Nitro (documentation, resources/message). */
const MAX_CONTENT_LENGTH = 2_000;
const MAX_FILES = 10;

/** A simulated user. Every action resolves with what Discord would show next. */
export interface Actor {
  readonly user: User;
  readonly channel: Channel;
  /** Accepts a channel's name or id, or `dm` for the direct messages with the bot. */
  in(channel: string): Actor;
  /** The name may include a subcommand, as in `music follow`. */
  slash(name: string, options?: Readonly<Record<string, OptionInput>>): Promise<Exchange>;
  complete(name: string, options: Readonly<Record<string, OptionInput>>, focused: string): Promise<Choice[]>;
  click(message: Pick<Message, 'id'>, button: string): Promise<Exchange>;
  choose(message: Pick<Message, 'id'>, select: string, values: readonly string[]): Promise<Exchange>;
  fill(modal: Modal, values: Readonly<Record<string, ModalInput>>): Promise<Exchange>;
  menu(name: string, target: Pick<Message, 'id'> | string): Promise<Exchange>;
  say(content: string, files?: readonly FileInput[]): Promise<Message>;
  speak(voice: VoiceInput): Promise<Message>;
  /** Starts a thread in the actor's channel, or on a message in that channel. */
  startThread(name: string, options?: UserThreadOptions & { readonly on?: Pick<Message, 'id'> }): Channel;
  /** Adds a user to the actor's current thread. */
  addToThread(user: string): void;
  archive(options?: { readonly locked?: boolean }): void;
}

interface VoiceInput extends Partial<VoiceMetadata> {
  /** Ogg Opus if the message is to be played; any other bytes are accepted too. */
  readonly bytes: Buffer;
  readonly seconds: number;
}

/** A rising and falling placeholder for recordings without a waveform. */
const PLACEHOLDER_WAVEFORM = Buffer.from(
  Array.from({ length: 64 }, (_, index) => 8 * Math.min(index, 63 - index)),
).toString('base64');

export function actorOf(name: string, parts: Parts, channelName?: string): Actor {
  const { world, messages, watch, interactions } = parts;
  const user = world.user(name);
  const channel = channelOf(user, channelName, parts);
  const guild = world.guildOf(channel);
  const context: ActorContext = { user, channel, guild };
  const postOf = ({ id }: { id: string }): Post => {
    const post = messages.get(id);
    if (!post || !canSeeChannel(user, post.channel, parts))
      throw new ImpossibleActionError('That message no longer exists.');
    return post;
  };
  /** A message can be used from any channel, so the interaction belongs to the message's channel. */
  const contextAt = (post: Post): ActorContext => ({ user, channel: post.channel, guild: world.guildOf(post.channel) });
  return {
    user,
    channel,
    in: (next) => actorOf(name, parts, next),
    slash: async (commandName, options = {}) =>
      exchangeOf(sendSlashCommand(context, commandName, options, parts), parts),
    complete: async (commandName, options, focused) => {
      const interaction = sendSlashCommand(context, commandName, options, parts, focused);
      const findChoices = () => {
        if (interaction.missedDeadline) throw new Error('Loading options failed: the application did not respond');
        return interactions.find(interaction.id)?.choices;
      };
      return [...(await watch.until(findChoices, 'completions'))];
    },
    click: async (message, button) => {
      const post = postOf(message);
      return exchangeOf(pressButton(contextAt(post), post, button, parts), parts);
    },
    choose: async (message, select, values) => {
      const post = postOf(message);
      return exchangeOf(chooseValues(contextAt(post), post, select, values, parts), parts);
    },
    fill: async (modal, values) => {
      const openingInteraction = interactions.find(modal.interactionId);
      const openerContext = openingInteraction
        ? { user, channel: openingInteraction.channel, guild: openingInteraction.guild }
        : context;
      return exchangeOf(submitModal(openerContext, modal, values, parts), parts);
    },
    menu: async (commandName, target) =>
      exchangeOf(
        sendMenuCommand(context, commandName, typeof target === 'string' ? target : postOf(target), parts),
        parts,
      ),
    say: async (content, files = []) => {
      if (!canSend(user, channel, parts))
        throw new ImpossibleActionError(`${user.name} cannot send messages in ${channel.name}.`);
      checkContent(content, files);
      checkUploadSizes(files, parts);
      const uploadedFiles = files.map((file, id) => ({ ...file, id: String(id) }));
      return messageOf(messages.create({ channel, author: user, body: { content }, files: uploadedFiles }), parts);
    },
    speak: async ({ bytes, seconds, waveform = PLACEHOLDER_WAVEFORM }) => {
      const permissions = permissionsOf(user, channel, guild);
      if (!canSend(user, channel, parts) || !hasPermissions(permissions, Permission.SendVoiceMessages))
        throw new ImpossibleActionError(`${user.name} cannot send voice messages in ${channel.name}.`);
      const file = { id: '0', name: 'voice-message.ogg', bytes, contentType: 'audio/ogg' };
      checkUploadSizes([file], parts);
      const attachments = [{ id: '0', duration_secs: seconds, waveform }];
      const body = { flags: MessageFlags.IsVoiceMessage, attachments };
      return messageOf(messages.create({ channel, author: user, body, files: [file] }), parts);
    },
    startThread: (title, { on, ...options } = {}) => startUserThread(context, title, options, on && postOf(on), parts),
    addToThread: (other) => addToThread(context, other, parts),
    archive: (options = {}) => archive(context, options, parts),
  };
}

function checkContent(content: string, files: readonly FileInput[]): void {
  if (content.trim() === '' && files.length === 0) throw new ImpossibleActionError('The message is empty.');
  if (content.length > MAX_CONTENT_LENGTH)
    throw new ImpossibleActionError(
      `A message can have at most ${MAX_CONTENT_LENGTH} characters (this one has ${content.length}).`,
    );
  if (files.length > MAX_FILES) throw new ImpossibleActionError(`A message can have at most ${MAX_FILES} files.`);
}

function channelOf(user: User, channelName: string | undefined, parts: Parts): Channel {
  const { world } = parts;
  const isNonMember = !world.guild('atelier').members.has(user.id);
  if (channelName === 'dm') return directMessageChannel(user, parts);
  const channel = world.channel(
    channelName ?? (isNonMember ? 'lobby' : 'studio'),
    world.guild(isNonMember ? 'uninvited' : 'atelier'),
  );
  if (!canSeeChannel(user, channel, parts))
    throw new ImpossibleActionError(`${user.name} cannot see the channel ${channel.name}.`);
  return channel;
}
