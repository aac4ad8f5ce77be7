import { PermissionFlagsBits as May, MessageFlags } from 'discord-api-types/v10';
import { directMessageChannel } from './direct.ts';
import { type Exchange, exchangeOf, type Message, messageOf } from './exchange.ts';
import { menu, slash, type Where } from './interactions/act.ts';
import { permissionsOf } from './interactions/context.ts';
import { fill, type ModalInput } from './interactions/fill.ts';
import type { Choice, Modal } from './interactions/interaction.ts';
import type { OptionInput } from './interactions/options.ts';
import { choose, pressButton } from './interactions/press.ts';
import { ImpossibleActionError } from './interactions/refuse.ts';
import { checkUploads } from './interactions/resolved.ts';
import type { Parts } from './parts.ts';
import { has } from './permissions.ts';
import type { Post } from './post.ts';
import { isShown, maySend } from './sight.ts';
import { addToThread, archive, startUserThread, type ThreadOrder } from './thread-acts.ts';
import type { FileInput, VoiceNotes } from './uploads.ts';
import type { Channel, User } from './world.ts';

/** The limit for users without Nitro (documentation, resources/message). */
const MOST_CHARACTERS = 2_000;
const MOST_FILES = 10;

/** A simulated person. Every act resolves with what Discord would show next. */
export interface Actor {
  readonly user: User;
  readonly channel: Channel;
  /** Takes a channel's name or id, or `dm` for the direct message with the bot. */
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
  /** Starts it in the actor's channel, or on a message of that channel. */
  startThread(name: string, order?: ThreadOrder & { readonly on?: Pick<Message, 'id'> }): Channel;
  /** Adds a user to the actor's current thread. */
  addToThread(user: string): void;
  archive(order?: { readonly locked?: boolean }): void;
}

interface VoiceInput extends Partial<VoiceNotes> {
  /** Ogg Opus if the message is to be played; any other bytes are accepted too. */
  readonly bytes: Buffer;
  readonly seconds: number;
}

/** A placeholder that rises and falls, for recordings without a waveform. */
const ANY_WAVEFORM = Buffer.from(Array.from({ length: 64 }, (_, at) => 8 * Math.min(at, 63 - at))).toString('base64');

export function actorOf(name: string, parts: Parts, place?: string): Actor {
  const { world, messages, watch, interactions } = parts;
  const user = world.user(name);
  const channel = channelOf(user, place, parts);
  const guild = world.guildOf(channel);
  const where: Where = { user, channel, guild };
  const postOf = ({ id }: { id: string }): Post => {
    const post = messages.get(id);
    if (!post || !isShown(user, post.channel, parts)) throw new ImpossibleActionError('That message no longer exists.');
    return post;
  };
  /** A message can be used from any channel, so the interaction belongs to the message's channel. */
  const at = (post: Post): Where => ({ user, channel: post.channel, guild: world.guildOf(post.channel) });
  return {
    user,
    channel,
    in: (next) => actorOf(name, parts, next),
    slash: async (wanted, options = {}) => exchangeOf(slash(where, wanted, options, parts), parts),
    complete: async (wanted, options, focused) => {
      const interaction = slash(where, wanted, options, parts, focused);
      const look = () => {
        if (interaction.missed) throw new Error('Loading options failed: the application did not respond');
        return interactions.find(interaction.id)?.choices;
      };
      return [...(await watch.until(look, 'completions'))];
    },
    click: async (message, button) => {
      const post = postOf(message);
      return exchangeOf(pressButton(at(post), post, button, parts), parts);
    },
    choose: async (message, select, values) => {
      const post = postOf(message);
      return exchangeOf(choose(at(post), post, select, values, parts), parts);
    },
    fill: async (modal, values) => {
      const opener = interactions.find(modal.interactionId);
      const there = opener ? { user, channel: opener.channel, guild: opener.guild } : where;
      return exchangeOf(fill(there, modal, values, parts), parts);
    },
    menu: async (wanted, target) =>
      exchangeOf(menu(where, wanted, typeof target === 'string' ? target : postOf(target), parts), parts),
    say: async (content, files = []) => {
      if (!maySend(user, channel, parts))
        throw new ImpossibleActionError(`${user.name} cannot send messages in ${channel.name}.`);
      checkWords(content, files);
      checkUploads(files, parts);
      const sent = files.map((file, id) => ({ ...file, id: String(id) }));
      return messageOf(messages.write({ channel, author: user, body: { content }, files: sent }), parts);
    },
    speak: async ({ bytes, seconds, waveform = ANY_WAVEFORM }) => {
      const may = permissionsOf(user, channel, guild);
      if (!maySend(user, channel, parts) || !has(may, May.SendVoiceMessages))
        throw new ImpossibleActionError(`${user.name} cannot send voice messages in ${channel.name}.`);
      const file = { id: '0', name: 'voice-message.ogg', bytes, contentType: 'audio/ogg' };
      checkUploads([file], parts);
      const attachments = [{ id: '0', duration_secs: seconds, waveform }];
      const body = { flags: MessageFlags.IsVoiceMessage, attachments };
      return messageOf(messages.write({ channel, author: user, body, files: [file] }), parts);
    },
    startThread: (title, { on, ...order } = {}) => startUserThread(where, title, order, on && postOf(on), parts),
    addToThread: (other) => addToThread(where, other, parts),
    archive: (order = {}) => archive(where, order, parts),
  };
}

function checkWords(content: string, files: readonly FileInput[]): void {
  if (content.trim() === '' && files.length === 0) throw new ImpossibleActionError('The message is empty.');
  if (content.length > MOST_CHARACTERS)
    throw new ImpossibleActionError(
      `A message can have at most ${MOST_CHARACTERS} characters (this one has ${content.length}).`,
    );
  if (files.length > MOST_FILES) throw new ImpossibleActionError(`A message can have at most ${MOST_FILES} files.`);
}

function channelOf(user: User, place: string | undefined, parts: Parts): Channel {
  const { world } = parts;
  const isOutside = !world.guild('atelier').members.has(user.id);
  if (place === 'dm') return directMessageChannel(user, parts);
  const channel = world.channel(
    place ?? (isOutside ? 'lobby' : 'studio'),
    world.guild(isOutside ? 'uninvited' : 'atelier'),
  );
  if (!isShown(user, channel, parts))
    throw new ImpossibleActionError(`${user.name} cannot see the channel ${channel.name}.`);
  return channel;
}
