import type { SeenMessage } from '../../protocol.ts';
import { messageTime, timeText } from '../markdown/time.ts';
import { Icon } from '../shell/icons.tsx';
import { today } from '../state/clock.ts';
import { channelOf, enter, personOf } from '../state/world.ts';

/** A line that nobody has written: that somebody has started a thread, or that the beginning of one is gone. */
export function ThreadLine({ message }: { message: SeenMessage }) {
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

/** The way into a thread, as long as it is there. */
export function ThreadLink({ id, name }: { id: string; name: string }) {
  if (!channelOf(id)) return <b>{name}</b>;
  return (
    <button type="button" class="as-link thread-link" onClick={() => enter(id)}>
      {channelOf(id)?.name}
    </button>
  );
}
