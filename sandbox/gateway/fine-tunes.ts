import type { Pace } from './pace.ts';
import { randomOf, seedFrom } from './random.ts';

/** The existing fine-tuning jobs: one that ended long ago, one that will succeed and one that will fail. */
export const fineTuneIds = ['ft-sandbox-1', 'ft-sandbox-2', 'ft-sandbox-3'] as const;

/** An event with its legacy field names; events are ordered from oldest to newest, as specified (4.9). */
export interface FineTuneEvent {
  readonly object: 'fine-tune-event';
  /** Seconds since the epoch. */
  readonly created_at: number;
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
}

interface ScriptedEvent {
  /** Milliseconds of the gateway's own time since the gateway started; negative for earlier events. */
  readonly offsetMs: number;
  readonly level: FineTuneEvent['level'];
  readonly message: string;
}

const MINUTE_MS = 60_000;

const EVENT_SCRIPTS: Readonly<Record<string, readonly ScriptedEvent[]>> = {
  'ft-sandbox-1': createScript('ft-sandbox-1', -600 * MINUTE_MS, 4, 'succeeded'),
  'ft-sandbox-2': createScript('ft-sandbox-2', 0, 4, 'succeeded'),
  'ft-sandbox-3': createScript('ft-sandbox-3', MINUTE_MS / 2, 2, 'failed'),
};

/** Returns the events so far, or undefined if the fine-tuning job does not exist. */
export function eventsOf(id: string, pace: Pace): readonly FineTuneEvent[] | undefined {
  if (!Object.hasOwn(EVENT_SCRIPTS, id)) return undefined;
  const elapsed = pace.elapsed();
  return EVENT_SCRIPTS[id]
    ?.filter((scripted) => scripted.offsetMs <= elapsed)
    .map(({ offsetMs, level, message }) => {
      const created_at = Math.floor(pace.clockTimeAt(offsetMs) / 1000);
      return { object: 'fine-tune-event', created_at, level, message };
    });
}

function createScript(
  id: string,
  start: number,
  epochs: number,
  end: 'succeeded' | 'failed',
): readonly ScriptedEvent[] {
  const random = randomOf(seedFrom(id));
  const events: ScriptedEvent[] = [];
  let offsetMs = start;
  const add = (delayMs: number, message: string, level: ScriptedEvent['level'] = 'info') => {
    offsetMs += delayMs * (0.5 + random.next());
    events.push({ offsetMs: events.length === 0 ? start : offsetMs, level, message });
  };
  add(0, `Created fine-tune: ${id}`);
  add(MINUTE_MS / 4, `Fine-tune costs $${(0.5 + random.next()).toFixed(6)}`);
  add(MINUTE_MS / 4, 'Fine-tune enqueued. Queue number: 0');
  add(MINUTE_MS / 2, 'Fine-tune started');
  for (let epoch = 1; epoch <= epochs; epoch++) {
    add(MINUTE_MS, `Completed epoch ${epoch}/${epochs}`);
    if (epoch === 2)
      add(MINUTE_MS / 6, `Loss went up in epoch ${epoch}: ${(0.2 + random.next() / 4).toFixed(4)}`, 'warn');
  }
  if (end === 'failed') add(MINUTE_MS / 4, 'Fine-tune failed: the training file ended early', 'error');
  else add(MINUTE_MS / 4, 'Fine-tune succeeded');
  return events;
}
