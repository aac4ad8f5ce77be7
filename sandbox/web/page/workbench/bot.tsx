import { useEffect, useRef } from 'preact/hooks';
import type { BotState } from '../../protocol.ts';
import { durationText, timeText } from '../markdown/time.ts';
import { now } from '../state/clock.ts';
import { bot, gateway, log, makeTrouble, troubleResult } from '../state/workbench.ts';

const STATE_LABELS: Readonly<Record<BotState['state'], string>> = {
  starting: 'Starting',
  running: 'Running',
  stopping: 'Stopping',
  stopped: 'Stopped',
  killed: 'Killed',
  crashed: 'Crashed',
};

/** The state and the log of the bot's process. */
export function BotPanel() {
  const { state = 'starting', pid, starts = 0, readyMs, since = now.value, exitCode } = bot.value ?? {};
  useEffect(() => {
    // What the button said is over once the state has changed.
    troubleResult.value = undefined;
  }, [state]);
  const isAlive = state === 'running' || state === 'starting' || state === 'stopping';
  return (
    <>
      <div class="bot-state">
        <p>
          <span class={`lamp ${state}`} aria-hidden="true" /> <b>{STATE_LABELS[state]}</b> for{' '}
          {durationText(now.value - since)}
        </p>
        <div class="bot-buttons">
          <button
            type="button"
            class="button small danger"
            disabled={!isAlive}
            onClick={() => void makeTrouble({ do: 'kill-bot' })}
          >
            Kill
          </button>
          <button
            type="button"
            class="button small secondary"
            disabled={!isAlive}
            onClick={() => void makeTrouble({ do: 'stop-bot' })}
          >
            Stop
          </button>
          <button
            type="button"
            class="button small success"
            disabled={isAlive}
            onClick={() => void makeTrouble({ do: 'start-bot' })}
          >
            Start
          </button>
        </div>
      </div>
      {troubleResult.value && (
        <p class={troubleResult.value.failed ? 'said objection' : 'said'} role="status">
          {troubleResult.value.text}
        </p>
      )}
      <dl class="facts">
        <Fact name="process ID" value={pid} />
        <Fact name="starts" value={starts} />
        <Fact name="ready after" value={readyMs === undefined ? undefined : durationText(readyMs)} />
        <Fact name="exit code" value={exitCode} />
        <Fact name="gateway" value={gateway.value && `${gateway.value.kind}, ${gateway.value.address}`} />
      </dl>
      <Log />
    </>
  );
}

function Fact({ name, value }: { name: string; value: string | number | undefined }) {
  if (value === undefined) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd class="cut" title={String(value)}>
        {value}
      </dd>
    </div>
  );
}

function Log() {
  const box = useRef<HTMLDivElement>(null);
  const last = log.value.at(-1);
  useEffect(() => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [last]);
  return (
    <section class="log" aria-label="Bot log">
      <h3>Log</h3>
      <div class="log-lines" ref={box} tabIndex={0} role="region" aria-label="Log lines">
        {log.value.map(({ at, level, text }, index) => (
          <p key={index} class={level}>
            <time>{timeText(at, 'T')}</time> <b>{level}</b> {text}
          </p>
        ))}
        {log.value.length === 0 && <p>No log lines yet.</p>}
      </div>
    </section>
  );
}
