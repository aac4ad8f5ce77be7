import { PCM_RATE, type Pcm } from '../../../src/lib/pcm.ts';
import { loudnessOf } from './ear.ts';
import type { Detection } from './settings.ts';

const FRAME_MS = 20;
const FRAME = (PCM_RATE * FRAME_MS) / 1_000;
/** How loud a sound is that a threshold of 1 still lets through. */
const LOUDEST_THRESHOLD = 0.04;

export interface Turn {
  readonly what: 'started' | 'stopped';
  /** Since the session heard its first sound. */
  readonly ms: number;
}

/** Detects the beginning and the end of speech, as models do for clients that do not commit their input. */
export class Detector {
  #rest: Pcm = new Int16Array(0);
  #ms = 0;
  #silentMs = 0;
  #isSpeaking = false;
  /** Of the item that is being said. */
  id = '';

  /** What became of the turn with this piece; at most one of each. */
  *hear(piece: Pcm, { threshold, silence_duration_ms: timeout }: Detection): Generator<Turn, void, void> {
    const sound = new Int16Array(this.#rest.length + piece.length);
    sound.set(this.#rest);
    sound.set(piece, this.#rest.length);
    let at = 0;
    for (; at + FRAME <= sound.length; at += FRAME) {
      const isLoud = loudnessOf(sound.subarray(at, at + FRAME)) > threshold * LOUDEST_THRESHOLD;
      this.#ms += FRAME_MS;
      this.#silentMs = isLoud ? 0 : this.#silentMs + FRAME_MS;
      if (isLoud && !this.#isSpeaking) {
        this.#isSpeaking = true;
        yield { what: 'started', ms: this.#ms - FRAME_MS };
      } else if (this.#isSpeaking && this.#silentMs >= timeout) {
        this.#isSpeaking = false;
        yield { what: 'stopped', ms: this.#ms };
      }
    }
    this.#rest = sound.slice(at);
  }

  /** The turn was ended from outside. */
  reset(): void {
    this.#isSpeaking = false;
    this.#silentMs = 0;
  }
}
