import type { APIMessage } from 'discord-api-types/v10';
import type { VisibleMessage } from '../../protocol.ts';
import { Flag } from '../discord-api.ts';
import { toPlainText } from '../markdown/plain.ts';
import { Avatar } from '../shell/avatar.tsx';
import { Icon } from '../shell/icons.tsx';
import { showMessage } from '../shell/show-message.ts';
import { nameOf, personOf } from '../state/world.ts';

interface InteractionMetadata {
  readonly user?: { readonly id: string; readonly username: string };
  readonly name?: string;
  readonly command_type?: number;
  readonly triggering_interaction_metadata?: InteractionMetadata;
}

/** Above a message: the command that created it, or the message it replies to. */
export function Quoted({ message }: { message: VisibleMessage }) {
  const { referenced_message: repliedTo, message_reference: reference } = message;
  const interaction = message.interaction_metadata as InteractionMetadata | undefined;
  if (repliedTo || reference?.message_id !== undefined) return <Reply message={message} />;
  if (!interaction?.user) return null;
  const { name, command_type: type = 1 } =
    interaction.name === undefined ? (interaction.triggering_interaction_metadata ?? {}) : interaction;
  return (
    <p class="quoted">
      <Avatar id={interaction.user.id} name={interaction.user.username} size={16} />
      <b data-role={personOf(interaction.user.id)?.role}>{interaction.user.username}</b>
      {name === undefined ? (
        'pressed a button'
      ) : (
        <>
          {' used '}
          <span class="mention">{type === 1 ? `/${name}` : name}</span>
        </>
      )}
    </p>
  );
}

function Reply({ message }: { message: VisibleMessage }) {
  const { referenced_message: repliedTo } = message;
  if (!repliedTo)
    return (
      <p class="quoted">
        <Icon name="reply" size={14} />{' '}
        <i>{repliedTo === null ? 'Original message was deleted' : 'Message could not be loaded'}</i>
      </p>
    );
  const files = attachmentsOf(repliedTo);
  return (
    <p class="quoted">
      <Avatar id={repliedTo.author.id} name={repliedTo.author.username} bot={repliedTo.author.bot ?? false} size={16} />
      <b>{repliedTo.author.username}</b>
      <button type="button" class="quoted-words" onClick={() => showMessage(repliedTo.id)}>
        {toPlainText(repliedTo.content, nameOf).slice(0, 120) || files}
      </button>
    </p>
  );
}

function attachmentsOf({ flags, attachments }: APIMessage): string {
  if (((flags ?? 0) & Flag.voice) !== 0) return 'Voice message';
  return attachments.length > 0 ? 'Click to see attachment' : 'Click to see the message';
}
