import type { LiveSession, SessionAction } from '../../protocol.ts';
import { durationText } from '../markdown/time.ts';
import { now } from '../state/clock.ts';
import { makeTrouble, sessions, troubleResult } from '../state/workbench.ts';
import { Fact } from './fact.tsx';

const STATE_LABELS: Readonly<Record<LiveSession['state'], string>> = {
  listening: 'listening',
  answering: 'responding',
  silent: 'unresponsive',
};

const SESSION_ACTIONS: readonly { readonly how: SessionAction; readonly name: string; readonly title: string }[] = [
  { how: 'cut', name: 'Cut', title: 'Cut the connection without notice' },
  { how: 'expire', name: 'Expire', title: 'Reach the time limit now' },
  { how: 'hang', name: 'Hang', title: 'Keep the connection open but stop responding' },
];

/** The open live sessions, with faults for each. */
export function Sessions() {
  const hasResult = troubleResult.value?.trouble === 'session';
  if (sessions.value.length === 0 && !hasResult) return null;
  return (
    <section class="switches" aria-label="Live sessions">
      <h3>Live sessions</h3>
      {hasResult && (
        <p class={troubleResult.value?.failed ? 'said objection' : 'said'} role="status">
          {troubleResult.value?.text}
        </p>
      )}
      <ol class="jobs">
        {sessions.value.map((session) => (
          <SessionCard key={session.id} session={session} />
        ))}
      </ol>
    </section>
  );
}

function SessionCard({ session }: { session: LiveSession }) {
  const { id, model, dialect, openedAt, state, said: words, turns } = session;
  return (
    <li class={`job session ${state}`}>
      <p class="job-head">
        <b class="cut" title={model}>
          {model}
        </b>
        <span class={`state ${state}`}>{STATE_LABELS[state]}</span>
        <span class="job-time">{durationText(now.value - openedAt)}</span>
      </p>
      {words !== undefined && (
        <p class="job-prompt" title={words}>
          {words}
        </p>
      )}
      <dl class="facts">
        <Fact name="responses" value={`${turns}×`} />
        <Fact name="dialect" value={dialect} />
        <Fact name="id" value={id} />
      </dl>
      <div class="bot-buttons">
        {SESSION_ACTIONS.map(({ how, name, title }) => (
          <button
            key={how}
            type="button"
            class={`button small ${how === 'cut' ? 'danger' : 'secondary'}`}
            title={title}
            disabled={state === 'silent' && how !== 'cut'}
            onClick={() => void makeTrouble({ do: 'session', how, session: id })}
          >
            {name}
          </button>
        ))}
      </div>
    </li>
  );
}
