import { useSignal } from '@preact/signals';
import type { VisibleMessage } from '../../protocol.ts';
import { type Component, Flag } from '../discord-api.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { messageTime, timeText } from '../markdown/time.ts';
import { Avatar } from '../shell/avatar.tsx';
import { Dots } from '../shell/dots.tsx';
import { Icon } from '../shell/icons.tsx';
import { failureAt } from '../state/actions.ts';
import { today } from '../state/clock.ts';
import { dismiss } from '../state/messages.ts';
import { personOf } from '../state/world.ts';
import { Attachments } from './attachments.tsx';
import { Components } from './components.tsx';
import { Embeds } from './embeds.tsx';
import { MessageMenu } from './menu.tsx';
import { Quoted } from './quoted.tsx';
import { ThreadLink } from './thread-line.tsx';

/** Discord omits the avatar and the name if the same author posted within seven minutes. */
const GROUPING_MS = 7 * 60_000;

interface Props {
  readonly message: VisibleMessage;
  readonly previous: VisibleMessage | undefined;
}

export function MessageRow({ message, previous }: Props) {
  const { author, interaction_metadata: used, flags = 0, referenced_message: repliedTo } = message;
  const at = Date.parse(message.timestamp);
  const menu = useSignal<{ x: number; y: number } | undefined>(undefined);
  const isReply = used !== undefined || repliedTo !== undefined;
  const isGrouped =
    !isReply &&
    !message.ephemeral &&
    previous?.author.id === author.id &&
    !previous.ephemeral &&
    at - Date.parse(previous.timestamp) < GROUPING_MS;
  const isThinking = (flags & Flag.loading) !== 0;
  const failure = failureAt(message.id);
  const held = useLongPress((x, y) => (menu.value = { x, y }));
  return (
    <li
      id={`message-${message.id}`}
      class={`message${isGrouped ? ' follows' : ''}${message.ephemeral ? ' ephemeral' : ''}`}
      aria-busy={isThinking}
      onContextMenu={(event) => {
        if ((event.target as Element).closest('a, img, video, input, textarea')) return;
        event.preventDefault();
        menu.value = { x: event.clientX, y: event.clientY };
      }}
      {...held}
    >
      <article aria-label={`${author.username}, ${timeText(at, 't')}`}>
        {isReply && <Quoted message={message} />}
        {isGrouped ? (
          <time class="small-time" dateTime={message.timestamp}>
            {timeText(at, 't')}
          </time>
        ) : (
          <Avatar id={author.id} name={author.username} bot={author.bot ?? false} />
        )}
        <div class="body">
          {!isGrouped && (
            <header>
              <h3 class="name" data-role={personOf(author.id)?.role}>
                {author.global_name ?? author.username}
              </h3>
              {author.bot && <span class="app-badge">APP</span>}
              <time dateTime={message.timestamp} title={timeText(at, 'F')}>
                {messageTime(at, today.value)}
              </time>
            </header>
          )}
          {isThinking ? <Thinking name={author.username} /> : <Contents message={message} />}
          {failure !== undefined && (
            <p class="failed" role="alert" title={failure}>
              <Icon name="alert" size={16} /> This interaction failed
              <small>{failure}</small>
            </p>
          )}
          {message.ephemeral && (
            <p class="only-you">
              <Icon name="eye" size={16} /> Only you can see this ·{' '}
              <button type="button" class="as-link" onClick={() => dismiss(message.id)}>
                Dismiss message
              </button>
            </p>
          )}
        </div>
        <MessageMenu message={message} at={menu} />
      </article>
    </li>
  );
}

function Contents({ message }: { message: VisibleMessage }) {
  const { content, attachments, embeds, components = [], edited, thread } = message;
  return (
    <>
      {content !== '' && (
        <div class={edited ? 'words edited' : 'words'}>
          <Markdown text={content} />
          {edited && <span class="edited-mark">(edited)</span>}
        </div>
      )}
      <Attachments attachments={attachments} />
      <Embeds embeds={embeds} />
      <Components components={components as unknown as readonly Component[]} message={message} />
      {thread && (
        <p class="thread-below">
          <Icon name="thread" size={16} /> <ThreadLink id={thread.id} name={thread.name ?? 'Thread'} />
        </p>
      )}
    </>
  );
}

const Thinking = ({ name }: { name: string }) => (
  <p class="thinking">
    <Dots /> {name} is thinking…
  </p>
);

const LONG_PRESS_MS = 500;

/** Touch screens have no right click. */
function useLongPress(held: (x: number, y: number) => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => clearTimeout(timer);
  return {
    onTouchStart: ({ touches: [touch] }: TouchEvent) => {
      if (touch) timer = setTimeout(() => held(touch.clientX, touch.clientY), LONG_PRESS_MS);
    },
    onTouchEnd: stop,
    onTouchMove: stop,
    onTouchCancel: stop,
  };
}
