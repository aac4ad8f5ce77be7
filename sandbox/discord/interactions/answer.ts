import {
  InteractionResponseType as Answer,
  InteractionType,
  MessageFlags,
  MessageType,
  PermissionFlagsBits,
} from 'discord-api-types/v10';
import type { SentFile } from '../body.ts';
import { stateBefore } from '../contents.ts';
import type { Parts } from '../parts.ts';
import { has, inDirectMessages, permissionsIn } from '../permissions.ts';
import type { MessageBody, Post } from '../post.ts';
import { tooManyFollowUps, unknownMessage } from '../refusal.ts';
import { type Choice, type Interaction, isUserInstallOnly, type Modal } from './interaction.ts';

export interface CallbackBody {
  readonly type: number;
  readonly data?: MessageBody & {
    readonly choices?: readonly Choice[];
    readonly custom_id?: string;
    readonly title?: string;
  };
}

/** The allowed responses of each interaction type (documentation, "Interaction Callback Type"). */
const allowedResponses: Readonly<Record<number, readonly Answer[]>> = {
  [InteractionType.ApplicationCommand]: [
    Answer.ChannelMessageWithSource,
    Answer.DeferredChannelMessageWithSource,
    Answer.Modal,
    Answer.LaunchActivity,
  ],
  [InteractionType.MessageComponent]: [
    Answer.ChannelMessageWithSource,
    Answer.DeferredChannelMessageWithSource,
    Answer.DeferredMessageUpdate,
    Answer.UpdateMessage,
    Answer.Modal,
    Answer.LaunchActivity,
  ],
  [InteractionType.ApplicationCommandAutocomplete]: [Answer.ApplicationCommandAutocompleteResult],
  [InteractionType.ModalSubmit]: [
    Answer.ChannelMessageWithSource,
    Answer.DeferredChannelMessageWithSource,
    Answer.DeferredMessageUpdate,
    Answer.UpdateMessage,
  ],
};

/** Applies the initial response of an interaction. */
export function answer(interaction: Interaction, body: CallbackBody, files: readonly SentFile[], parts: Parts): void {
  const { interactions, messages, validator, watch } = parts;
  const { type, data = {} } = body;
  const { source } = interaction;
  const updates = type === Answer.DeferredMessageUpdate || type === Answer.UpdateMessage;
  if (!allowedResponses[interaction.type]?.includes(type) || (updates && !source))
    validator.refuse('/interactions/:interaction/:token/callback', [
      {
        path: 'type',
        code: 'INTERACTION_TYPE_INVALID',
        message: `An interaction of type ${interaction.type} cannot have a response of type ${type}.`,
      },
    ]);
  const ephemeral = updates ? source?.viewer !== undefined : isEphemeralAnswer(interaction, data);
  switch (type) {
    case Answer.ChannelMessageWithSource:
      interaction.original = reply(interaction, data, files, ephemeral, parts);
      break;
    case Answer.DeferredChannelMessageWithSource:
      interaction.original = reply(interaction, {}, [], ephemeral, parts, MessageFlags.Loading);
      interaction.answerSince = 1;
      break;
    case Answer.DeferredMessageUpdate:
      if (!source) break;
      interaction.original = source;
      interaction.answerSince = source.revision + 1;
      break;
    case Answer.UpdateMessage:
      if (!source || messages.get(source.id) !== source) throw unknownMessage();
      interaction.original = source;
      interaction.answerSince = source.revision + 1;
      messages.edit(source, data, files);
      break;
    case Answer.ApplicationCommandAutocompleteResult:
      interaction.choices = data.choices ?? [];
      break;
    case Answer.Modal:
      interaction.modal = modalOf(interaction, data);
      break;
  }
  interactions.acknowledge(interaction, type, ephemeral);
  watch.changed();
}

export function followUp(interaction: Interaction, body: MessageBody, files: readonly SentFile[], parts: Parts): Post {
  const { original, acknowledgement } = interaction;
  const isDeferred = acknowledgement?.type === Answer.DeferredChannelMessageWithSource;
  if (isDeferred && interaction.originalRemoved && !parts.followUpAfterDeletion) throw unknownMessage();
  if (original && !interaction.originalRemoved && (original.flags & MessageFlags.Loading) !== 0) {
    // The first follow-up after a deferral edits the deferred response; Discord keeps this legacy behaviour.
    parts.messages.edit(original, body, files);
    return original;
  }
  if (isUserInstallOnly(interaction) && interaction.followUps.length >= parts.limits.userInstallFollowUps)
    throw tooManyFollowUps();
  const isDeferredUpdate = acknowledgement?.type === Answer.DeferredMessageUpdate;
  const ephemeral = isEphemeralAnswer(interaction, body);
  const parent = isDeferredUpdate ? interaction.source : (original ?? interaction.source);
  const post = parts.messages.write({
    ...writingOf(interaction, body, files, ephemeral, parts),
    type: MessageType.Reply,
    body: parent ? { ...body, message_reference: { message_id: parent.id } } : body,
    interaction: { ...metadataOf(interaction), ...(original && { original_response_message_id: original.id }) },
  });
  interaction.followUps.push(post);
  parts.watch.changed();
  return post;
}

export const factsOfEdit = (post: Post | undefined, files: readonly { id: string; name: string; bytes: number }[]) =>
  post ? { files, before: stateBefore(post) } : { files };

function reply(
  interaction: Interaction,
  body: MessageBody,
  files: readonly SentFile[],
  ephemeral: boolean,
  parts: Parts,
  flags = 0,
): Post {
  const { source, type } = interaction;
  const isPressed = type === InteractionType.MessageComponent;
  return parts.messages.write({
    ...writingOf(interaction, body, files, ephemeral, parts, flags),
    ...(isPressed && source && { body: { ...body, message_reference: { message_id: source.id } } }),
    type: isPressed ? MessageType.Reply : typeOf(interaction),
    interaction: metadataOf(interaction),
  });
}

function writingOf(
  { channel, user }: Interaction,
  body: MessageBody,
  files: readonly SentFile[],
  ephemeral: boolean,
  { world }: Parts,
  flags = 0,
) {
  return {
    channel,
    author: world.bot,
    body,
    files,
    flags: flags | (ephemeral ? MessageFlags.Ephemeral : 0),
    viewer: ephemeral ? user.id : undefined,
  };
}

function typeOf({ metadata, type }: Interaction): MessageType {
  if (type !== InteractionType.ApplicationCommand) return MessageType.Default;
  return metadata.command_type === 1 ? MessageType.ChatInputCommand : MessageType.ContextMenuCommand;
}

/** Without Use External Apps, the responses of a user-installed application are ephemeral. */
function isEphemeralAnswer(interaction: Interaction, { flags }: MessageBody): boolean {
  if (((flags ?? 0) & MessageFlags.Ephemeral) !== 0) return true;
  const { guild, user, channel } = interaction;
  if (!isUserInstallOnly(interaction)) return false;
  const may = guild ? permissionsIn(guild, guild.members.get(user.id), channel) : inDirectMessages;
  return !has(may, PermissionFlagsBits.UseExternalApps);
}

const modalOf = ({ id }: Interaction, { custom_id = '', title = '', components }: NonNullable<CallbackBody['data']>) =>
  ({ interactionId: id, customId: custom_id, title, components: components ?? [] }) as unknown as Modal;

export function metadataOf({ metadata, id, type, source }: Interaction): Record<string, unknown> {
  const interacted = type === InteractionType.MessageComponent && source;
  return { id, type, ...metadata, ...(interacted && { interacted_message_id: interacted.id }) };
}
