import { PCM_RATE, type Pcm } from '../../lib/pcm.ts';

/** No answer is longer by itself; whoever makes one that is shall not fill the memory, nor what Discord takes as a file. */
const MOST_SECONDS = 10 * 60;
const MOST_SAMPLES = MOST_SECONDS * PCM_RATE;

/** The sound of one answer, piece by piece. */
export class Recording {
  readonly #pieces: Pcm[] = [];
  #samples = 0;
  /** More came than is kept. */
  isCut = false;

  get isEmpty(): boolean {
    return this.#samples === 0;
  }

  add(piece: Pcm): void {
    const kept = piece.subarray(0, MOST_SAMPLES - this.#samples);
    if (kept.length < piece.length) this.isCut = true;
    if (kept.length === 0) return;
    this.#pieces.push(kept);
    this.#samples += kept.length;
  }

  whole(): Pcm {
    const all = new Int16Array(this.#samples);
    let at = 0;
    for (const piece of this.#pieces) {
      all.set(piece, at);
      at += piece.length;
    }
    return all;
  }
}
