import { canSeeChannel } from './client-view.ts';
import { directMessageChannel } from './direct-message-channel.ts';
import { type Exchange, exchangeOf, type Message } from './exchange.ts';
import { ImpossibleActionError } from './interactions/impossible-action.ts';
import type { Choice, Modal } from './interactions/interaction.ts';
import type { OptionInput } from './interactions/options.ts';
import { type ActorContext, sendMenuCommand, sendSlashCommand } from './interactions/send.ts';
import { type ModalInput, submitModal } from './interactions/submit-modal.ts';
import { chooseValues, pressButton } from './interactions/use-component.ts';
import { edit, type ReplyOptions, remove, reply, say, speak, type VoiceInput } from './message-actions.ts';
import type { Parts } from './parts.ts';
import type { Post } from './post.ts';
import { addToThread, archive, startUserThread, type UserThreadOptions } from './thread-actions.ts';
import type { FileInput } from './uploads.ts';
import type { Channel, User } from './world.ts';

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
  /** Replies to a message in that message's channel. */
  reply(message: Pick<Message, 'id'>, content: string, options?: ReplyOptions): Promise<Message>;
  edit(message: Pick<Message, 'id'>, content: string): Promise<Message>;
  remove(message: Pick<Message, 'id'>): Promise<void>;
  speak(voice: VoiceInput): Promise<Message>;
  /** Starts a thread in the actor's channel, or on a message in that channel. */
  startThread(name: string, options?: UserThreadOptions & { readonly on?: Pick<Message, 'id'> }): Channel;
  /** Adds a user to the actor's current thread. */
  addToThread(user: string): void;
  archive(options?: { readonly locked?: boolean }): void;
}

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
    say: async (content, files = []) => say(context, { content }, files, parts),
    reply: async (message, content, options = {}) => {
      const post = postOf(message);
      return reply(contextAt(post), post, content, options, parts);
    },
    edit: async (message, content) => edit(context, postOf(message), content, parts),
    remove: async (message) => {
      const post = postOf(message);
      remove(contextAt(post), post, parts);
    },
    speak: async (voice) => speak(context, voice, parts),
    startThread: (title, { on, ...options } = {}) => startUserThread(context, title, options, on && postOf(on), parts),
    addToThread: (other) => addToThread(context, other, parts),
    archive: (options = {}) => archive(context, options, parts),
  };
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
