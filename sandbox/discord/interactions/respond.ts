import {
  InteractionType,
  MessageFlags,
  MessageType,
  PermissionFlagsBits,
  InteractionResponseType as ResponseType,
} from 'discord-api-types/v10';
import type { UploadedFile } from '../body.ts';
import { previousState } from '../message-content.ts';
import type { Parts } from '../parts.ts';
import { directMessagePermissions, hasPermissions, permissionsIn } from '../permissions.ts';
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
const allowedResponses: Readonly<Record<number, readonly ResponseType[]>> = {
  [InteractionType.ApplicationCommand]: [
    ResponseType.ChannelMessageWithSource,
    ResponseType.DeferredChannelMessageWithSource,
    ResponseType.Modal,
    ResponseType.LaunchActivity,
  ],
  [InteractionType.MessageComponent]: [
    ResponseType.ChannelMessageWithSource,
    ResponseType.DeferredChannelMessageWithSource,
    ResponseType.DeferredMessageUpdate,
    ResponseType.UpdateMessage,
    ResponseType.Modal,
    ResponseType.LaunchActivity,
  ],
  [InteractionType.ApplicationCommandAutocomplete]: [ResponseType.ApplicationCommandAutocompleteResult],
  [InteractionType.ModalSubmit]: [
    ResponseType.ChannelMessageWithSource,
    ResponseType.DeferredChannelMessageWithSource,
    ResponseType.DeferredMessageUpdate,
    ResponseType.UpdateMessage,
  ],
};

/** Applies the initial response of an interaction. */
export function respond(
  interaction: Interaction,
  body: CallbackBody,
  files: readonly UploadedFile[],
  parts: Parts,
): void {
  const { interactions, messages, validator, watch } = parts;
  const { type, data = {} } = body;
  const { source } = interaction;
  const isUpdate = type === ResponseType.DeferredMessageUpdate || type === ResponseType.UpdateMessage;
  if (!allowedResponses[interaction.type]?.includes(type) || (isUpdate && !source))
    validator.reject('/interactions/:interaction/:token/callback', [
      {
        path: 'type',
        code: 'INTERACTION_TYPE_INVALID',
        message: `An interaction of type ${interaction.type} cannot have a response of type ${type}.`,
      },
    ]);
  const ephemeral = isUpdate ? source?.viewer !== undefined : isEphemeralResponse(interaction, data);
  switch (type) {
    case ResponseType.ChannelMessageWithSource:
      interaction.original = createResponse(interaction, data, files, ephemeral, parts);
      break;
    case ResponseType.DeferredChannelMessageWithSource:
      interaction.original = createResponse(interaction, {}, [], ephemeral, parts, MessageFlags.Loading);
      interaction.responseRevision = 1;
      break;
    case ResponseType.DeferredMessageUpdate:
      if (!source) break;
      interaction.original = source;
      interaction.responseRevision = source.revision + 1;
      break;
    case ResponseType.UpdateMessage:
      if (!source || messages.get(source.id) !== source) throw unknownMessage();
      interaction.original = source;
      interaction.responseRevision = source.revision + 1;
      messages.edit(source, data, files);
      break;
    case ResponseType.ApplicationCommandAutocompleteResult:
      interaction.choices = data.choices ?? [];
      break;
    case ResponseType.Modal:
      interaction.modal = modalOf(interaction, data);
      break;
  }
  interactions.acknowledge(interaction, type, ephemeral);
  watch.notify();
}

export function followUp(
  interaction: Interaction,
  body: MessageBody,
  files: readonly UploadedFile[],
  parts: Parts,
): Post {
  const { original, acknowledgement } = interaction;
  const isDeferred = acknowledgement?.type === ResponseType.DeferredChannelMessageWithSource;
  if (isDeferred && interaction.isOriginalDeleted && !parts.followUpAfterDeletion) throw unknownMessage();
  if (original && !interaction.isOriginalDeleted && (original.flags & MessageFlags.Loading) !== 0) {
    // The first follow-up after a deferral edits the deferred response; Discord keeps this legacy behaviour.
    parts.messages.edit(original, body, files);
    return original;
  }
  if (isUserInstallOnly(interaction) && interaction.followUps.length >= parts.limits.userInstallFollowUps)
    throw tooManyFollowUps();
  const isDeferredUpdate = acknowledgement?.type === ResponseType.DeferredMessageUpdate;
  const ephemeral = isEphemeralResponse(interaction, body);
  const parent = isDeferredUpdate ? interaction.source : (original ?? interaction.source);
  const post = parts.messages.create({
    ...newMessageOf(interaction, body, files, ephemeral, parts),
    type: MessageType.Reply,
    body: parent ? { ...body, message_reference: { message_id: parent.id } } : body,
    interaction: { ...metadataOf(interaction), ...(original && { original_response_message_id: original.id }) },
  });
  interaction.followUps.push(post);
  parts.watch.notify();
  return post;
}

export const editFacts = (post: Post | undefined, files: readonly { id: string; name: string; bytes: number }[]) =>
  post ? { files, previous: previousState(post) } : { files };

function createResponse(
  interaction: Interaction,
  body: MessageBody,
  files: readonly UploadedFile[],
  ephemeral: boolean,
  parts: Parts,
  flags = 0,
): Post {
  const { source, type } = interaction;
  const isFromComponent = type === InteractionType.MessageComponent;
  return parts.messages.create({
    ...newMessageOf(interaction, body, files, ephemeral, parts, flags),
    ...(isFromComponent && source && { body: { ...body, message_reference: { message_id: source.id } } }),
    type: isFromComponent ? MessageType.Reply : messageTypeOf(interaction),
    interaction: metadataOf(interaction),
  });
}

function newMessageOf(
  { channel, user }: Interaction,
  body: MessageBody,
  files: readonly UploadedFile[],
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

function messageTypeOf({ metadata, type }: Interaction): MessageType {
  if (type !== InteractionType.ApplicationCommand) return MessageType.Default;
  return metadata.command_type === 1 ? MessageType.ChatInputCommand : MessageType.ContextMenuCommand;
}

/** Without Use External Apps, the responses of a user-installed application are ephemeral. */
function isEphemeralResponse(interaction: Interaction, { flags }: MessageBody): boolean {
  if (((flags ?? 0) & MessageFlags.Ephemeral) !== 0) return true;
  const { guild, user, channel } = interaction;
  if (!isUserInstallOnly(interaction)) return false;
  const permissions = guild ? permissionsIn(guild, guild.members.get(user.id), channel) : directMessagePermissions;
  return !hasPermissions(permissions, PermissionFlagsBits.UseExternalApps);
}

const modalOf = ({ id }: Interaction, { custom_id = '', title = '', components }: NonNullable<CallbackBody['data']>) =>
  ({ interactionId: id, customId: custom_id, title, components: components ?? [] }) as unknown as Modal;

export function metadataOf({ metadata, id, type, source }: Interaction): Record<string, unknown> {
  const componentMessage = type === InteractionType.MessageComponent && source;
  return { id, type, ...metadata, ...(componentMessage && { interacted_message_id: componentMessage.id }) };
}
