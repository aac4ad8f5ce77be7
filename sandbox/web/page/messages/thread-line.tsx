import type { VisibleMessage } from '../../protocol.ts';
import { messageTime, timeText } from '../markdown/time.ts';
import { Icon } from '../shell/icons.tsx';
import { today } from '../state/clock.ts';
import { channelOf, openChannel, personOf } from '../state/world.ts';

/** A system message: a thread was started, or the message that started it was deleted. */
export function ThreadLine({ message }: { message: VisibleMessage }) {
  const { author, content, message_reference: reference, timestamp } = message;
  const at = Date.parse(timestamp);
  const name = author.global_name ?? author.username;
  return (
    <li id={`message-${message.id}`} class="message system">
      <article aria-label={`${name}, ${timeText(at, 't')}`}>
        <Icon name="thread" />
        <p>
          {reference?.message_id === undefined ? (
            <>
              <b class="name" data-role={personOf(author.id)?.role}>
                {name}
              </b>{' '}
              started a thread: <ThreadLink id={reference?.channel_id ?? ''} name={content} />
            </>
          ) : (
            'The message that started this thread was deleted.'
          )}{' '}
          <time dateTime={timestamp} title={timeText(at, 'F')}>
            {messageTime(at, today.value)}
          </time>
        </p>
      </article>
    </li>
  );
}

/** A link to a thread; plain text if the thread no longer exists. */
export function ThreadLink({ id, name }: { id: string; name: string }) {
  if (!channelOf(id)) return <b>{name}</b>;
  return (
    <button type="button" class="as-link thread-link" onClick={() => openChannel(id)}>
      {channelOf(id)?.name}
    </button>
  );
}
