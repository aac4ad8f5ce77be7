import { Readable } from 'node:stream';
import type { Pace } from '../pace.ts';

/** A piece of a stream: what is written, or what happens to the connection instead. */
export type Stroke =
  | { readonly wait: number; readonly text: string }
  | { readonly wait: number; readonly does: 'cut' | 'silence' };

export interface Hand {
  /** Breaks the connection as it stands. */
  cut(): void;
  /** All that was written, once no more will be. */
  ended(text: string): void;
}

/** As much as a reader takes at once. */
const MOST_AT_ONCE = 64 * 1024;
/** What is kept of a stream for display. */
const MOST_KEPT = 16 * 1024;

/** Writes strokes when they are due by the gateway's own clock, no faster than they are read. */
export function writtenBy(strokes: Iterator<Stroke>, pace: Pace, hand: Hand): Readable {
  let kept = '';
  /** Nothing more comes, and the connection is not closed in good order. */
  let isBroken = false;
  let next = strokes.next();
  let due = pace.elapsed() + (next.done ? 0 : next.value.wait);
  let cancel: () => void = () => undefined;

  const goOn = (stream: Readable): void => {
    const late = due - pace.elapsed();
    if (late > 0) cancel = pace.after(late, () => write(stream));
    else write(stream);
  };

  /** At least one: a clock that counts in fractions may call a little early, and what is left is less than it can count. */
  const write = (stream: Readable): void => {
    const now = Math.max(due, pace.elapsed());
    let text = '';
    let does: 'cut' | 'silence' | undefined;
    while (!next.done && due <= now && text.length < MOST_AT_ONCE && does === undefined) {
      if ('does' in next.value) does = next.value.does;
      else text += next.value.text;
      next = strokes.next();
      if (!next.done) due += next.value.wait;
    }
    if (kept.length < MOST_KEPT) kept += text;
    isBroken ||= does !== undefined;
    if (text !== '') stream.push(text);
    if (next.done && !isBroken) stream.push(null);
    // After what came before it has left, or the client would see a reset and nothing else.
    if (does === 'cut') setImmediate(() => setImmediate(hand.cut));
  };

  return new Readable({
    read() {
      cancel();
      if (!isBroken) goOn(this);
    },
    destroy(problem, done) {
      cancel();
      hand.ended(kept);
      done(problem);
    },
  });
}
