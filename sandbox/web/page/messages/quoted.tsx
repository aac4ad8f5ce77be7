import type { APIMessage } from 'discord-api-types/v10';
import type { SeenMessage } from '../../protocol.ts';
import { plain } from '../markdown/plain.ts';
import { Avatar } from '../shell/avatar.tsx';
import { Icon } from '../shell/icons.tsx';
import { showMessage } from '../shell/jump.ts';
import { nameOf, personOf } from '../state/world.ts';
import { Flag } from '../wire.ts';

interface Used {
  readonly user?: { readonly id: string; readonly username: string };
  readonly name?: string;
  readonly command_type?: number;
  readonly triggering_interaction_metadata?: Used;
}

/** Above a message: the command that created it, or the message it replies to. */
export function Quoted({ message }: { message: SeenMessage }) {
  const { referenced_message: answered, message_reference: reference } = message;
  const used = message.interaction_metadata as Used | undefined;
  if (answered || reference?.message_id !== undefined) return <Reply message={message} />;
  if (!used?.user) return null;
  const name = used.name ?? used.triggering_interaction_metadata?.name;
  return (
    <p class="quoted">
      <Avatar id={used.user.id} name={used.user.username} size={16} />
      <b data-role={personOf(used.user.id)?.role}>{used.user.username}</b>
      {name === undefined ? (
        'pressed a button'
      ) : (
        <>
          {' used '}
          <span class="mention">{(used.command_type ?? 1) === 1 ? `/${name}` : name}</span>
        </>
      )}
    </p>
  );
}

function Reply({ message }: { message: SeenMessage }) {
  const { referenced_message: answered } = message;
  if (!answered)
    return (
      <p class="quoted">
        <Icon name="reply" size={14} /> <i>Original message was deleted</i>
      </p>
    );
  const files = attachmentsOf(answered);
  return (
    <p class="quoted">
      <Avatar id={answered.author.id} name={answered.author.username} bot={answered.author.bot ?? false} size={16} />
      <b>{answered.author.username}</b>
      <button type="button" class="quoted-words" onClick={() => showMessage(answered.id)}>
        {plain(answered.content, nameOf).slice(0, 120) || files}
      </button>
    </p>
  );
}

function attachmentsOf({ flags, attachments }: APIMessage): string {
  if (((flags ?? 0) & Flag.voice) !== 0) return 'Voice message';
  return attachments.length > 0 ? 'Click to see attachment' : 'Click to see the message';
}
