import { useEffect, useRef } from 'preact/hooks';
import type { VisibleMessage } from '../../protocol.ts';
import { Composer } from '../composer/composer.tsx';
import { useDrop } from '../composer/file-drop.ts';
import { Dots } from '../shell/dots.tsx';
import { Guide } from '../shell/guide.tsx';
import { pendingCommands } from '../state/actions.ts';
import { now } from '../state/clock.ts';
import { messages, typingUntil } from '../state/messages.ts';
import { channel, channelId, currentUser, personOf, world } from '../state/world.ts';
import { PendingRow } from './pending.tsx';
import { Row } from './row.tsx';
import { ThreadHead } from './thread-head.tsx';
import { Welcome } from './welcome.tsx';

/** The messages and the composer of the current channel. */
export function ChannelView() {
  const drop = useDrop();
  const currentChannel = channel.value;
  const list = messages.value;
  const scroller = useStickToEnd(list?.findLast(isOwn)?.id);
  const waiting = pendingCommands.value.filter(
    (one) => one.as === currentUser.value && one.channel === channelId.value,
  );
  return (
    <main
      class="channel"
      aria-label={currentChannel ? `#${currentChannel.name}` : 'Messages'}
      onDragOver={drop.onDragOver}
      onDragLeave={drop.onDragLeave}
      onDrop={drop.onDrop}
    >
      <div class="scroller" ref={scroller} tabIndex={0} role="region" aria-label="Messages">
        <div class="scrolled">
          {currentChannel &&
            (currentChannel.thread ? <ThreadHead channel={currentChannel} /> : <Welcome channel={currentChannel} />)}
          <ol class="messages" aria-busy={list === undefined}>
            {list?.map((message, index) => (
              <Row key={message.id} message={message} before={list[index - 1]} />
            ))}
            {waiting.map((one) => (
              <PendingRow key={one.id} pending={one} />
            ))}
          </ol>
        </div>
      </div>
      <Guide />
      <Composer />
      <Typing />
      {drop.isDragging.value && <div class="drop-here">Drop the file to attach it</div>}
    </main>
  );
}

/** Whether the current user sent this message, or the bot responds to them with it. */
const isOwn = ({ author, interaction_metadata: interaction }: VisibleMessage): boolean =>
  [author.id, interaction?.user.id].some((id) => id !== undefined && personOf(id)?.role === currentUser.value);

/** A distance from the end, in pixels, that still counts as the end. */
const NEAR_END_PX = 80;

/** Keeps the list scrolled to its end as content grows, unless the user has scrolled up since the latest message of their own. */
function useStickToEnd(latestOwnId: string | undefined) {
  const scroller = useRef<HTMLDivElement>(null);
  const stays = useRef(true);
  const id = channelId.value;
  useEffect(() => {
    const box = scroller.current;
    const content = box?.firstElementChild;
    if (!box || !content) return;
    stays.current = true;
    const follow = () => {
      if (stays.current) box.scrollTop = box.scrollHeight;
    };
    let last = 0;
    // Growing content also causes scroll events, so only scrolling up counts as leaving the end.
    const onScroll = () => {
      if (box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_END_PX) stays.current = true;
      else if (box.scrollTop < last) stays.current = false;
      last = box.scrollTop;
    };
    const watch = new ResizeObserver(follow);
    watch.observe(content);
    watch.observe(box);
    box.addEventListener('scroll', onScroll, { passive: true });
    follow();
    return () => {
      watch.disconnect();
      box.removeEventListener('scroll', onScroll);
    };
  }, [id]);
  useEffect(() => {
    const box = scroller.current;
    if (!box || latestOwnId === undefined) return;
    stays.current = true;
    box.scrollTop = box.scrollHeight;
  }, [latestOwnId]);
  return scroller;
}

function Typing() {
  const until = typingUntil.value.get(channelId.value ?? '') ?? 0;
  return (
    <p class="typing" aria-live="polite">
      {until > now.value && (
        <>
          <Dots /> <b>{world.value?.application.name}</b> is typing…
        </>
      )}
    </p>
  );
}
