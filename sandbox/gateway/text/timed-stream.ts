import { Readable } from 'node:stream';
import type { Pace } from '../pace.ts';

/** One step of a stream: text to write, or an effect on the connection. */
export type StreamStep =
  | { readonly wait: number; readonly text: string }
  | { readonly wait: number; readonly effect: 'cut' | 'silence' };

export interface StreamCallbacks {
  /** Drops the connection. */
  dropConnection(): void;
  /** Called with the recorded text when the stream has ended. */
  onEnd(text: string): void;
}

/** Once a write is this long, no further steps are added to it. */
const MAX_CHUNK_LENGTH = 64 * 1024;
/** Beyond this length, a stream is no longer recorded for display. */
const MAX_RECORDED_LENGTH = 16 * 1024;

/** Writes each step when it is due in the gateway's own time, with backpressure. */
export function timedStream(steps: Iterator<StreamStep>, pace: Pace, callbacks: StreamCallbacks): Readable {
  let recordedText = '';
  /** Set after an effect: nothing more is written, and the stream is not ended properly. */
  let isBroken = false;
  let next = steps.next();
  let dueAt = pace.elapsed() + (next.done ? 0 : next.value.wait);
  let cancel: () => void = () => undefined;

  const scheduleWrite = (stream: Readable): void => {
    const delay = dueAt - pace.elapsed();
    if (delay > 0) cancel = pace.after(delay, () => write(stream));
    else write(stream);
  };

  /** Writes at least one step, because a timer may fire a fraction of a millisecond early. */
  const write = (stream: Readable): void => {
    const now = Math.max(dueAt, pace.elapsed());
    let text = '';
    let effect: 'cut' | 'silence' | undefined;
    while (!next.done && dueAt <= now && text.length < MAX_CHUNK_LENGTH && effect === undefined) {
      if ('effect' in next.value) effect = next.value.effect;
      else text += next.value.text;
      next = steps.next();
      if (!next.done) dueAt += next.value.wait;
    }
    if (recordedText.length < MAX_RECORDED_LENGTH) recordedText += text;
    isBroken ||= effect !== undefined;
    if (text !== '') stream.push(text);
    if (next.done && !isBroken) stream.push(null);
    // Waits until the previous text has been sent; otherwise the client would see only a reset.
    if (effect === 'cut') setImmediate(() => setImmediate(callbacks.dropConnection));
  };

  return new Readable({
    read() {
      cancel();
      if (!isBroken) scheduleWrite(this);
    },
    destroy(error, done) {
      cancel();
      callbacks.onEnd(recordedText);
      done(error);
    },
  });
}
