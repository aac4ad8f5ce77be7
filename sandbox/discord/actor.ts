import { PermissionFlagsBits as May, MessageFlags } from 'discord-api-types/v10';
import { directWith } from './direct.ts';
import { type Exchange, exchangeOf, type Message, seen } from './exchange.ts';
import { menu, slash, type Where } from './interactions/act.ts';
import { permissionsOf } from './interactions/context.ts';
import { fill, type ModalInput } from './interactions/fill.ts';
import type { Choice, Modal } from './interactions/interaction.ts';
import type { OptionInput } from './interactions/options.ts';
import { choose, click } from './interactions/press.ts';
import { NotPossible } from './interactions/refuse.ts';
import { checkUploads } from './interactions/resolved.ts';
import type { Parts } from './parts.ts';
import { has } from './permissions.ts';
import type { Post } from './post.ts';
import { isShown, maySend } from './sight.ts';
import { archive, begin, bringIn, type ThreadOrder } from './thread-acts.ts';
import type { FileInput, VoiceNotes } from './uploads.ts';
import type { Channel, User } from './world.ts';

/** What a person without a subscription may write (documentation, resources/message). */
const MOST_CHARACTERS = 2_000;
const MOST_FILES = 10;

/** A person. Every act waits for what Discord would show next. */
export interface Actor {
  readonly user: User;
  readonly channel: Channel;
  /** By name or id, `dm` for the direct message with the bot. */
  in(channel: string): Actor;
  /** `models`, or `music follow` for a subcommand. */
  slash(name: string, options?: Readonly<Record<string, OptionInput>>): Promise<Exchange>;
  complete(name: string, options: Readonly<Record<string, OptionInput>>, focused: string): Promise<Choice[]>;
  click(message: Pick<Message, 'id'>, button: string): Promise<Exchange>;
  choose(message: Pick<Message, 'id'>, select: string, values: readonly string[]): Promise<Exchange>;
  fill(modal: Modal, values: Readonly<Record<string, ModalInput>>): Promise<Exchange>;
  menu(name: string, target: Pick<Message, 'id'> | string): Promise<Exchange>;
  say(content: string, files?: readonly FileInput[]): Promise<Message>;
  /** A voice message. */
  speak(voice: VoiceInput): Promise<Message>;
  /** Where the actor is, or on a message that stands there. */
  startThread(name: string, order?: ThreadOrder & { readonly on?: Pick<Message, 'id'> }): Channel;
  /** Brings somebody into the thread where the actor is. */
  bringIn(user: string): void;
  archive(order?: { readonly locked?: boolean }): void;
}

interface VoiceInput extends Partial<VoiceNotes> {
  /** Ogg Opus, if anybody is to hear it. */
  readonly bytes: Buffer;
  readonly seconds: number;
}

/** A rise and a fall, for a voice that nobody has measured. */
const ANY_WAVEFORM = Buffer.from(Array.from({ length: 64 }, (_, at) => 8 * Math.min(at, 63 - at))).toString('base64');

export function actorOf(name: string, parts: Parts, place?: string): Actor {
  const { world, messages, watch, desk } = parts;
  const user = world.user(name);
  const channel = channelOf(user, place, parts);
  const guild = world.guildOf(channel);
  const where: Where = { user, channel, guild };
  const postOf = ({ id }: { id: string }): Post => {
    const post = messages.get(id);
    if (!post || !isShown(user, post.channel, parts)) throw new NotPossible('That message is no longer there.');
    return post;
  };
  /** A message may be pressed wherever it is, so the place of the act is the message's. */
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
        return desk.find(interaction.id)?.choices;
      };
      return [...(await watch.until(look, 'completions'))];
    },
    click: async (message, button) => {
      const post = postOf(message);
      return exchangeOf(click(at(post), post, button, parts), parts);
    },
    choose: async (message, select, values) => {
      const post = postOf(message);
      return exchangeOf(choose(at(post), post, select, values, parts), parts);
    },
    fill: async (modal, values) => {
      const opener = desk.find(modal.interactionId);
      const there = opener ? { user, channel: opener.channel, guild: opener.guild } : where;
      return exchangeOf(fill(there, modal, values, parts), parts);
    },
    menu: async (wanted, target) =>
      exchangeOf(menu(where, wanted, typeof target === 'string' ? target : postOf(target), parts), parts),
    say: async (content, files = []) => {
      if (!maySend(user, channel, parts)) throw new NotPossible(`${user.name} may not write in ${channel.name}.`);
      checkWords(content, files);
      checkUploads(files, parts);
      const sent = files.map((file, id) => ({ ...file, id: String(id) }));
      return seen(messages.write({ channel, author: user, body: { content }, files: sent }), parts);
    },
    speak: async ({ bytes, seconds, waveform = ANY_WAVEFORM }) => {
      const may = permissionsOf(user, channel, guild);
      if (!maySend(user, channel, parts) || !has(may, May.SendVoiceMessages))
        throw new NotPossible(`${user.name} may not send voice messages in ${channel.name}.`);
      const file = { id: '0', name: 'voice-message.ogg', bytes, contentType: 'audio/ogg' };
      checkUploads([file], parts);
      const attachments = [{ id: '0', duration_secs: seconds, waveform }];
      const body = { flags: MessageFlags.IsVoiceMessage, attachments };
      return seen(messages.write({ channel, author: user, body, files: [file] }), parts);
    },
    startThread: (title, { on, ...order } = {}) => begin(where, title, order, on && postOf(on), parts),
    bringIn: (other) => bringIn(where, other, parts),
    archive: (order = {}) => archive(where, order, parts),
  };
}

function checkWords(content: string, files: readonly FileInput[]): void {
  if (content.trim() === '' && files.length === 0) throw new NotPossible('There is nothing to send.');
  if (content.length > MOST_CHARACTERS)
    throw new NotPossible(`A message has at most ${MOST_CHARACTERS} characters, not ${content.length}.`);
  if (files.length > MOST_FILES) throw new NotPossible(`A message has at most ${MOST_FILES} files.`);
}

function channelOf(user: User, place: string | undefined, parts: Parts): Channel {
  const { world } = parts;
  const isAbroad = !world.guild('atelier').members.has(user.id);
  if (place === 'dm') return directWith(user, parts);
  const channel = world.channel(
    place ?? (isAbroad ? 'lobby' : 'studio'),
    world.guild(isAbroad ? 'uninvited' : 'atelier'),
  );
  if (!isShown(user, channel, parts)) throw new NotPossible(`${user.name} does not see the channel ${channel.name}.`);
  return channel;
}
