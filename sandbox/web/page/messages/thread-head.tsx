import type { Channel } from '../../protocol.ts';
import { ChannelIcon } from '../shell/channels.tsx';
import { channelOf, nameOf } from '../state/world.ts';

/** The start of a thread: its name, its author and who can see it. */
export function ThreadHead({ channel }: { channel: Channel }) {
  const { name, parentId = '', thread } = channel;
  const parent = channelOf(parentId)?.name;
  return (
    <section class="thread-head" aria-label="Start of this thread">
      <span class="welcome-icon">
        <ChannelIcon channel={channel} size={24} />
      </span>
      <div>
        <h2>{name}</h2>
        <p>
          {thread?.madeBy !== undefined && <>Started by {nameOf(thread.madeBy)}. </>}
          {thread?.isPrivate
            ? 'This thread is private. Only added members and moderators can see it.'
            : `Everyone who can see ${parent === undefined ? 'its channel' : `#${parent}`} can see this thread.`}
        </p>
      </div>
    </section>
  );
}
