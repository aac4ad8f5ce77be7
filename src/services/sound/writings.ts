import type { Clock } from '../../lib/clock.ts';
import { PCM_RATE } from '../../lib/pcm.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { WriteJob, WriteResult } from './job.ts';
import { Workroom } from './workroom.ts';
import { Writing } from './writing.ts';

/** Each has an encoder, its drawing and its file so far in the worker: half a megabyte, and 4 KB a second. */
const MOST_VOICES = 200;
/** What all voices together may have waiting, some 86 MB: half a minute's work, which nobody waits for. */
const MOST_WAITING = 30 * 60 * PCM_RATE;

/**
 * All voices that are being written, by turns, in one worker. Who has least waiting goes first: where more is said than can be written at once, most
 * are written as soon as they end, instead of all being late, and who says much at once keeps nobody waiting.
 */
export class Writings {
  readonly #room: Workroom<WriteJob, WriteResult>;
  readonly #open = new Set<Writing>();
  #begun = 0;

  constructor(clock: Clock) {
    const script = new URL('./writing.worker.ts', import.meta.url);
    // A voice has one job at a time, and a pause in it must not cost what came before.
    this.#room = new Workroom(script, clock, { mostWaiting: MOST_VOICES, isNeeded: () => this.#open.size > 0 });
  }

  begin(mostSeconds: number): Writing {
    this.#begun += 1;
    return new Writing(this.#begun, mostSeconds * PCM_RATE, {
      admit: (writing, samples) => this.#admit(writing, samples),
      leave: (writing) => this.#open.delete(writing),
      run: (job, rank) => this.#room.run(job, job.do === 'drop' ? [] : [job.pcm.buffer], rank),
    });
  }

  close(): Promise<void> {
    return this.#room.close();
  }

  #admit(writing: Writing, samples: number): void {
    const waiting = this.#open.values().reduce((sum, other) => sum + other.waiting, samples);
    const isNew = !this.#open.has(writing);
    if (waiting > MOST_WAITING || (isNew && this.#open.size >= MOST_VOICES)) throw new Refusal('refusals.soundsBusy');
    this.#open.add(writing);
  }
}
