import { Readable } from 'node:stream';
import type { Pace } from '../pace.ts';

/** A piece of a stream: what is written, or what happens to the connection instead. */
export type StreamStep =
  | { readonly wait: number; readonly text: string }
  | { readonly wait: number; readonly effect: 'cut' | 'silence' };

export interface StreamCallbacks {
  /** Breaks the connection as it stands. */
  cut(): void;
  /** All that was written, once no more will be. */
  ended(text: string): void;
}

/** As much as a reader takes at once. */
const MAX_CHUNK_LENGTH = 64 * 1024;
/** What is kept of a stream for display. */
const MAX_RECORDED_LENGTH = 16 * 1024;

/** Writes strokes when they are due by the gateway's own clock, no faster than they are read. */
export function timedStream(steps: Iterator<StreamStep>, pace: Pace, callbacks: StreamCallbacks): Readable {
  let recorded = '';
  /** Nothing more comes, and the connection is not closed in good order. */
  let isBroken = false;
  let next = steps.next();
  let due = pace.elapsed() + (next.done ? 0 : next.value.wait);
  let cancel: () => void = () => undefined;

  const scheduleWrite = (stream: Readable): void => {
    const delay = due - pace.elapsed();
    if (delay > 0) cancel = pace.after(delay, () => write(stream));
    else write(stream);
  };

  /** At least one: a clock that counts in fractions may call a little early, and what is left is less than it can count. */
  const write = (stream: Readable): void => {
    const now = Math.max(due, pace.elapsed());
    let text = '';
    let effect: 'cut' | 'silence' | undefined;
    while (!next.done && due <= now && text.length < MAX_CHUNK_LENGTH && effect === undefined) {
      if ('effect' in next.value) effect = next.value.effect;
      else text += next.value.text;
      next = steps.next();
      if (!next.done) due += next.value.wait;
    }
    if (recorded.length < MAX_RECORDED_LENGTH) recorded += text;
    isBroken ||= effect !== undefined;
    if (text !== '') stream.push(text);
    if (next.done && !isBroken) stream.push(null);
    // After what came before it has left, or the client would see a reset and nothing else.
    if (effect === 'cut') setImmediate(() => setImmediate(callbacks.cut));
  };

  return new Readable({
    read() {
      cancel();
      if (!isBroken) scheduleWrite(this);
    },
    destroy(problem, done) {
      cancel();
      callbacks.ended(recorded);
      done(problem);
    },
  });
}
