import { loudnessOf } from './describe-sound.ts';
import { PCM_RATE, type Pcm } from './pcm.ts';
import type { Detection } from './settings.ts';

const FRAME_MS = 20;
const FRAME_SAMPLES = (PCM_RATE * FRAME_MS) / 1_000;
/** The loudness that corresponds to a threshold of 1. */
const LOUDNESS_AT_FULL_THRESHOLD = 0.04;

export interface SpeechChange {
  readonly kind: 'started' | 'stopped';
  /** Milliseconds since the first audio input. */
  readonly ms: number;
}

/** Detects the beginning and the end of speech, as models do for clients that do not commit their input. */
export class Detector {
  #remainder: Pcm = new Int16Array(0);
  #ms = 0;
  #silentMs = 0;
  #isSpeaking = false;
  /** The id of the item that the user is speaking. */
  itemId = '';

  /** Yields whenever speech starts or stops within the chunk. */
  *detect(chunk: Pcm, { threshold, silence_duration_ms: timeout }: Detection): Generator<SpeechChange, void, void> {
    const samples = new Int16Array(this.#remainder.length + chunk.length);
    samples.set(this.#remainder);
    samples.set(chunk, this.#remainder.length);
    let offset = 0;
    for (; offset + FRAME_SAMPLES <= samples.length; offset += FRAME_SAMPLES) {
      const isLoud =
        loudnessOf(samples.subarray(offset, offset + FRAME_SAMPLES)) > threshold * LOUDNESS_AT_FULL_THRESHOLD;
      this.#ms += FRAME_MS;
      this.#silentMs = isLoud ? 0 : this.#silentMs + FRAME_MS;
      if (isLoud && !this.#isSpeaking) {
        this.#isSpeaking = true;
        yield { kind: 'started', ms: this.#ms - FRAME_MS };
      } else if (this.#isSpeaking && this.#silentMs >= timeout) {
        this.#isSpeaking = false;
        yield { kind: 'stopped', ms: this.#ms };
      }
    }
    this.#remainder = samples.slice(offset);
  }

  /** Called when the input was committed or cleared by the client. */
  reset(): void {
    this.#isSpeaking = false;
    this.#silentMs = 0;
  }
}
