import { isClosed, nextSuggestion } from '../state/guide.ts';
import { connection } from '../state/live.ts';
import { bot, makeTrouble, runningJobs } from '../state/workbench.ts';
import { channel } from '../state/world.ts';
import { Icon } from './icons.tsx';

/** A line above the composer: a current problem, or the next suggestion. */
export function Guide() {
  const { state } = bot.value ?? {};
  const isDead = state === 'killed' || state === 'stopped' || state === 'crashed';
  const offer = nextSuggestion.value;
  if (connection.value === 'lost')
    return (
      <div class="guide bad" role="status">
        <Icon name="alert" size={18} />
        <p>The connection to the sandbox was lost. The page reconnects automatically.</p>
      </div>
    );
  if (isDead)
    return (
      <div class="guide bad" role="status">
        <Icon name="bolt" size={18} />
        <p>
          <b>The bot {state === 'killed' ? 'was killed' : state === 'stopped' ? 'is stopped' : 'crashed'}.</b>{' '}
          {runningJobs.value.length > 0 ? 'Its jobs continue at the gateway.' : 'Commands get no response.'}
          {state === 'killed' && ' It restarts automatically in a few seconds.'}
        </p>
        <button type="button" class="button primary small" onClick={() => void makeTrouble({ do: 'start-bot' })}>
          Start now
        </button>
      </div>
    );
  // Suggestions would distract in a thread.
  if (!offer || channel.value?.thread) return null;
  return (
    <div class="guide">
      <p>
        <span class="guide-next">Next</span> <b>{offer.title}</b> <span class="guide-words">{offer.description}</span>
      </p>
      <button type="button" class="button primary small" onClick={offer.run}>
        Try it
      </button>
      <button type="button" class="icon-button" aria-label="Hide suggestions" onClick={() => (isClosed.value = true)}>
        <Icon name="close" size={18} />
      </button>
    </div>
  );
}
