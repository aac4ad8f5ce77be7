import { Avatar } from '../shell/avatar.tsx';
import { Dots } from '../shell/dots.tsx';
import { Icon } from '../shell/icons.tsx';
import { type PendingCommand, removePending } from '../state/actions.ts';
import { world } from '../state/world.ts';

/** A command that is being sent, or that failed. */
export function PendingRow({ pending: { id, command, failure } }: { pending: PendingCommand }) {
  const { application, me } = world.value ?? {};
  return (
    <li class="message ephemeral">
      <article aria-label={`${command}, ${failure === undefined ? 'sending' : 'failed'}`}>
        <p class="quoted">
          <Avatar id={me?.id ?? ''} name={me?.name ?? ''} size={16} />
          <b data-role={me?.role}>{me?.name}</b>
          {' used '}
          <span class="mention">{command}</span>
        </p>
        <Avatar id={application?.id ?? ''} name={application?.name ?? ''} bot />
        <div class="body">
          <header>
            <h3 class="name">{application?.name}</h3>
            <span class="app-badge">APP</span>
          </header>
          {failure === undefined ? (
            <p class="thinking">
              <Dots /> Sending command…
            </p>
          ) : (
            <>
              <p class="failed" role="alert">
                <Icon name="alert" size={16} /> {failure}
              </p>
              <p class="only-you">
                <Icon name="eye" size={16} /> Only you can see this ·{' '}
                <button type="button" class="as-link" onClick={() => removePending(id)}>
                  Dismiss message
                </button>
              </p>
            </>
          )}
        </div>
      </article>
    </li>
  );
}
