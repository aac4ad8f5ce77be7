import type { Channel } from '../../protocol.ts';
import { ChannelIcon } from '../shell/channels.tsx';
import { channelOf, nameOf } from '../state/world.ts';

/** Where a thread begins: what it is called, who made it, and who may see it. */
export function ThreadHead({ channel }: { channel: Channel }) {
  const { name, parentId = '', thread } = channel;
  const parent = channelOf(parentId)?.name;
  return (
    <section class="thread-head" aria-label="The beginning of this thread">
      <span class="welcome-icon">
        <ChannelIcon channel={channel} size={24} />
      </span>
      <div>
        <h2>{name}</h2>
        <p>
          {thread?.madeBy !== undefined && <>Made by {nameOf(thread.madeBy)}. </>}
          {thread?.isPrivate
            ? 'A private thread: it is seen by those who were brought in, and by moderators.'
            : `It is seen by everybody who sees ${parent === undefined ? 'its channel' : `#${parent}`}.`}
        </p>
      </div>
    </section>
  );
}
