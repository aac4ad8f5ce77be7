import { Icon } from '../shell/icons.tsx';
import { discardTarget, type TextTarget, textTarget } from './draft.ts';

/** Above the text: the message that it replies to or changes. */
export function TargetBar({ target }: { target: TextTarget }) {
  const { how, message, ping } = target;
  const isReply = how === 'reply';
  return (
    <div class="target-bar">
      <p class="cut">
        {isReply ? (
          <>
            Replying to <b>{message.author.global_name ?? message.author.username}</b>
          </>
        ) : (
          'Editing your message'
        )}
      </p>
      {isReply && (
        <button
          type="button"
          class="ping-switch"
          role="switch"
          aria-checked={ping}
          aria-label="Notify the author"
          title="Notify the author"
          onClick={() => (textTarget.value = { ...target, ping: !ping })}
        >
          @ {ping ? 'On' : 'Off'}
        </button>
      )}
      <button
        type="button"
        class="icon-button"
        aria-label={isReply ? 'Cancel the reply' : 'Cancel the edit'}
        title="Cancel (Escape)"
        onClick={discardTarget}
      >
        <Icon name="close" size={16} />
      </button>
    </div>
  );
}
