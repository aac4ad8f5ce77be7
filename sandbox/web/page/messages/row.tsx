import type { VisibleMessage } from '../../protocol.ts';
import { MessageKind } from '../discord-api.ts';
import { MessageRow } from './message.tsx';
import { ThreadLine } from './thread-line.tsx';

/** A message or a system message of a channel. */
export function Row({ message, before }: { message: VisibleMessage; before: VisibleMessage | undefined }) {
  const { type, referenced_message: first } = message;
  // A thread that was started on a message shows that message first.
  if (type === MessageKind.threadStarter && first)
    return (
      <MessageRow message={{ ...first, ephemeral: false, edited: first.edited_timestamp !== null }} previous={before} />
    );
  if (type === MessageKind.threadStarter || type === MessageKind.threadCreated) return <ThreadLine message={message} />;
  return <MessageRow message={message} previous={before} />;
}
