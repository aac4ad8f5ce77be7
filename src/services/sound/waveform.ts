import { PCM_RATE, type Pcm } from '../../lib/pcm.ts';

/** Discord's clients draw a column per tenth of a second, and at most this many (docs: Voice Messages). */
const MOST_COLUMNS = 256;
const COLUMN = PCM_RATE / 10;
/** Below this nobody speaks, and noise is not drawn as if it were speech. */
const QUIET = 0.01 * 32_768;
/** Hundreds per column, so that no edge between two cells is visible. */
const MOST_CELLS = 2 ** 17;

/**
 * The loudness over time, 0 to 255 per column, the loudest column being 255. The width of a column is known only at the end: until
 * then the audio is kept as the power of narrow cells, which are merged in pairs whenever they are full.
 */
export class Waveform {
  readonly #cells = new Float32Array(MOST_CELLS);
  #width = 1;
  #samples = 0;

  add(pcm: Pcm): void {
    for (const value of pcm) {
      if (this.#samples === MOST_CELLS * this.#width) this.#widen();
      const cell = Math.floor(this.#samples / this.#width);
      this.#cells[cell] = (this.#cells[cell] ?? 0) + value * value;
      this.#samples += 1;
    }
  }

  drawn(): string {
    const samples = this.#samples;
    const columns = Math.max(1, Math.min(MOST_COLUMNS, Math.ceil(samples / COLUMN)));
    const loudness = Array.from({ length: columns }, (_, column) => {
      const [from = 0, to = 0] = [column, column + 1].map((edge) => Math.round((edge * samples) / columns));
      const cells = this.#cells.subarray(Math.round(from / this.#width), Math.round(to / this.#width));
      return Math.sqrt(cells.reduce((sum, power) => sum + power, 0) / Math.max(1, to - from));
    });
    const full = Math.max(QUIET, ...loudness);
    return Buffer.from(loudness.map((value) => Math.round((255 * value) / full))).toString('base64');
  }

  #widen(): void {
    const half = MOST_CELLS / 2;
    for (let cell = 0; cell < half; cell++) {
      this.#cells[cell] = (this.#cells[2 * cell] ?? 0) + (this.#cells[2 * cell + 1] ?? 0);
    }
    this.#cells.fill(0, half);
    this.#width *= 2;
  }
}
