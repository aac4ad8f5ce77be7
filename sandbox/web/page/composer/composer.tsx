import { useEffect } from 'preact/hooks';
import { Icon } from '../shell/icons.tsx';
import { channel, commands, currentUser } from '../state/world.ts';
import { CommandRow } from './command-row.tsx';
import { chosenCommand, discardTarget, textTarget } from './draft.ts';
import { sendError } from './send.ts';
import { TextRow } from './text-row.tsx';

/** The input for messages and commands. */
export function Composer() {
  const here = channel.value;
  const id = here?.id;
  useEffect(() => {
    sendError.value = undefined;
    if (textTarget.value) discardTarget();
  }, [id, currentUser.value]);
  if (!here) return null;
  if (!here.maySend && commands.value.length === 0)
    return (
      <div class="composer locked">
        <Icon name="lock" size={18} />
        You do not have permission to send messages in this channel.
      </div>
    );
  return (
    <div class="composer-area">
      {sendError.value !== undefined && (
        <p class="objection" role="alert">
          {sendError.value}
        </p>
      )}
      {chosenCommand.value ? <CommandRow leaf={chosenCommand.value} /> : <TextRow />}
    </div>
  );
}
