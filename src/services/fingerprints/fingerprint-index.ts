import { type Fingerprint, MAX_DIFFERENT_BITS } from './fingerprint.ts';

/** The most files held in memory, which takes about 60 MB. If there are more, those that were added first are not found. */
const MAX_FILES = 1_000_000;
const INITIAL_CAPACITY = 1_024;

/** Finds the tasks that a file may belong to. Holds a part of each hash and the whole perceptual hash in memory, and compares a file with each in turn. */
export class FingerprintIndex {
  readonly #max: number;
  #size = 0;
  #hashes = new Uint32Array(INITIAL_CAPACITY);
  /** The perceptual hashes, as two numbers for each file. */
  #likenesses = new Uint32Array(INITIAL_CAPACITY * 2);
  #hasLikeness = new Uint8Array(INITIAL_CAPACITY);
  #tasks: string[] = [];
  readonly #removed = new Set<string>();

  constructor(most = MAX_FILES) {
    this.#max = most;
  }

  get size(): number {
    return this.#size;
  }

  add(taskId: string, files: readonly Fingerprint[]): void {
    this.#removeNow();
    for (const { hash, likeness } of files) {
      if (this.#size >= this.#max) this.#retain((at) => at >= this.#max / 4);
      if (this.#size === this.#hashes.length) this.#grow();
      const at = this.#size;
      this.#hashes[at] = beginning(hash);
      this.#hasLikeness[at] = likeness === undefined ? 0 : 1;
      this.#likenesses[at * 2] = beginning(likeness ?? '0');
      this.#likenesses[at * 2 + 1] = Number.parseInt(likeness?.slice(8, 16) ?? '0', 16);
      this.#tasks[at] = taskId;
      this.#size += 1;
    }
  }

  /** Marks a task as removed. Its files are removed before the next search, together with those of other tasks. */
  remove(taskId: string): void {
    this.#removed.add(taskId);
  }

  /** Tasks with a file whose hash has the same beginning, newest first. */
  withHash(hash: string, max: number): string[] {
    this.#removeNow();
    const wanted = beginning(hash);
    const found = new Set<string>();
    for (let at = this.#size - 1; at >= 0 && found.size < max; at--)
      if (this.#hashes[at] === wanted) found.add(this.#tasks[at] ?? '');
    return [...found];
  }

  /** Tasks with a similar image, the most similar first. */
  alike(likeness: string, max: number): string[] {
    this.#removeNow();
    const [left, right] = [beginning(likeness), Number.parseInt(likeness.slice(8, 16), 16)];
    const byBits = Array.from({ length: MAX_DIFFERENT_BITS + 1 }, () => new Set<string>());
    for (let at = this.#size - 1; at >= 0; at--) {
      if (this.#hasLikeness[at] === 0) continue;
      const bits =
        bitCount((this.#likenesses[at * 2] ?? 0) ^ left) + bitCount((this.#likenesses[at * 2 + 1] ?? 0) ^ right);
      const same = byBits[bits];
      if (same && same.size < max) same.add(this.#tasks[at] ?? '');
    }
    return [...new Set(byBits.flatMap((ids) => [...ids]))].slice(0, max);
  }

  #removeNow(): void {
    if (this.#removed.size === 0) return;
    this.#retain((at) => !this.#removed.has(this.#tasks[at] ?? ''));
    this.#removed.clear();
  }

  #retain(isKept: (at: number) => boolean): void {
    let keptCount = 0;
    for (let at = 0; at < this.#size; at++) {
      if (!isKept(at)) continue;
      this.#hashes[keptCount] = this.#hashes[at] ?? 0;
      this.#hasLikeness[keptCount] = this.#hasLikeness[at] ?? 0;
      this.#likenesses.copyWithin(keptCount * 2, at * 2, at * 2 + 2);
      this.#tasks[keptCount] = this.#tasks[at] ?? '';
      keptCount += 1;
    }
    // Otherwise the removed values would stay in memory after the end.
    for (const list of [this.#hashes, this.#hasLikeness]) list.fill(0, keptCount, this.#size);
    this.#likenesses.fill(0, keptCount * 2, this.#size * 2);
    this.#tasks.length = keptCount;
    this.#size = keptCount;
  }

  #grow(): void {
    const [hashes, likenesses, hasLikeness] = [this.#hashes, this.#likenesses, this.#hasLikeness];
    this.#hashes = new Uint32Array(hashes.length * 2);
    this.#likenesses = new Uint32Array(likenesses.length * 2);
    this.#hasLikeness = new Uint8Array(hasLikeness.length * 2);
    this.#hashes.set(hashes);
    this.#likenesses.set(likenesses);
    this.#hasLikeness.set(hasLikeness);
  }
}

const beginning = (hex: string): number => Number.parseInt(hex.slice(0, 8), 16);

/** https://graphics.stanford.edu/~seander/bithacks.html#CountBitsSetParallel */
function bitCount(value: number): number {
  let bits = value - ((value >>> 1) & 0x5555_5555);
  bits = (bits & 0x3333_3333) + ((bits >>> 2) & 0x3333_3333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
