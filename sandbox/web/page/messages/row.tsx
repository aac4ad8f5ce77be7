import type { SeenMessage } from '../../protocol.ts';
import { MessageKind } from '../wire.ts';
import { MessageRow } from './message.tsx';
import { ThreadLine } from './thread-line.tsx';

/** Whatever stands in a channel: what somebody wrote, or what Discord itself says. */
export function Row({ message, before }: { message: SeenMessage; before: SeenMessage | undefined }) {
  const { type, referenced_message: first } = message;
  // A thread on a message begins with that message.
  if (type === MessageKind.threadStarter && first)
    return (
      <MessageRow message={{ ...first, ephemeral: false, edited: first.edited_timestamp !== null }} before={before} />
    );
  if (type === MessageKind.threadStarter || type === MessageKind.threadCreated) return <ThreadLine message={message} />;
  return <MessageRow message={message} before={before} />;
}
