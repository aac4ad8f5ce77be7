import { closed, next } from '../state/guide.ts';
import { connected } from '../state/live.ts';
import { bot, make, underWay } from '../state/workbench.ts';
import { channel } from '../state/world.ts';
import { Icon } from './icons.tsx';

/** One line over the composer: what is wrong just now, or what to try next. */
export function Guide() {
  const { state } = bot.value ?? {};
  const isDead = state === 'killed' || state === 'stopped' || state === 'crashed';
  const offer = next.value;
  if (connected.value === 'lost')
    return (
      <div class="guide bad" role="status">
        <Icon name="alert" size={18} />
        <p>The sandbox does not answer. The page goes on by itself as soon as it is back.</p>
      </div>
    );
  if (isDead)
    return (
      <div class="guide bad" role="status">
        <Icon name="bolt" size={18} />
        <p>
          <b>The bot {state === 'killed' ? 'was killed' : state === 'stopped' ? 'is stopped' : 'crashed'}.</b>{' '}
          {underWay.value.length > 0 ? 'Its job goes on at the gateway.' : 'Nobody answers commands now.'}
          {state === 'killed' && ' It comes back by itself in a moment.'}
        </p>
        <button type="button" class="button primary small" onClick={() => void make({ do: 'start-bot' })}>
          Start it now
        </button>
      </div>
    );
  // Whoever is in a thread has something to do there.
  if (!offer || channel.value?.thread) return null;
  return (
    <div class="guide">
      <p>
        <span class="guide-next">Next</span> <b>{offer.title}</b> <span class="guide-words">{offer.words}</span>
      </p>
      <button type="button" class="button primary small" onClick={offer.run}>
        Try it
      </button>
      <button type="button" class="icon-button" aria-label="No more suggestions" onClick={() => (closed.value = true)}>
        <Icon name="close" size={18} />
      </button>
    </div>
  );
}
