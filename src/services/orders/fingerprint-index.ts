import { type Fingerprint, MAX_DIFFERENT_BITS } from '../media/fingerprint.ts';

/** The maximum number of files held in memory, which takes about 60 MB. If there are more, those that were added first are no longer found. */
const MAX_FILES = 1_000_000;
const INITIAL_CAPACITY = 1_024;
/** The numbers of a file: the start of its hash, both halves of its perceptual hash, and whether it has one. */
const WIDTH = 4;

/** Finds the tasks that a file may belong to. Holds a part of each hash and the whole perceptual hash in memory, and compares a file with each in turn. */
export class FingerprintIndex {
  readonly #max: number;
  #numbers = new Uint32Array(INITIAL_CAPACITY * WIDTH);
  /** The task of each file. */
  readonly #tasks: string[] = [];
  readonly #removed = new Set<string>();

  constructor(max = MAX_FILES) {
    this.#max = max;
  }

  get size(): number {
    return this.#tasks.length;
  }

  add(taskId: string, files: readonly Fingerprint[]): void {
    this.#applyRemovals();
    for (const { hash, likeness } of files) {
      if (this.size >= this.#max) this.#retain((index) => index >= this.#max / 4);
      if (this.size * WIDTH === this.#numbers.length) this.#grow();
      const perceptualHash = likeness === undefined ? [0, 0, 0] : [...halvesOf(likeness), 1];
      this.#numbers.set([leadingBits(hash), ...perceptualHash], this.size * WIDTH);
      this.#tasks.push(taskId);
    }
  }

  /** Marks a task as removed. Its files are removed before the next search, together with those of other tasks. */
  remove(taskId: string): void {
    this.#removed.add(taskId);
  }

  /** Tasks with a file whose hash has the same beginning, newest first. */
  findByHash(hash: string, max: number): string[] {
    this.#applyRemovals();
    const prefix = leadingBits(hash);
    const taskIds = new Set<string>();
    for (let index = this.size - 1; index >= 0 && taskIds.size < max; index--)
      if (this.#numbers[index * WIDTH] === prefix) taskIds.add(this.#tasks[index] ?? '');
    return [...taskIds];
  }

  /** Tasks with a similar image, the most similar first. */
  findSimilar(perceptualHash: string, max: number): string[] {
    this.#applyRemovals();
    const [left, right] = halvesOf(perceptualHash);
    const byDifference = Array.from({ length: MAX_DIFFERENT_BITS + 1 }, () => new Set<string>());
    const numbers = this.#numbers;
    for (let index = this.size - 1; index >= 0; index--) {
      const at = index * WIDTH;
      if (numbers[at + 3] === 0) continue;
      const bits = bitCount((numbers[at + 1] ?? 0) ^ left) + bitCount((numbers[at + 2] ?? 0) ^ right);
      const bucket = byDifference[bits];
      if (bucket && bucket.size < max) bucket.add(this.#tasks[index] ?? '');
    }
    return [...new Set(byDifference.flatMap((ids) => [...ids]))].slice(0, max);
  }

  #applyRemovals(): void {
    if (this.#removed.size === 0) return;
    this.#retain((index) => !this.#removed.has(this.#tasks[index] ?? ''));
    this.#removed.clear();
  }

  #retain(isKept: (index: number) => boolean): void {
    let keptCount = 0;
    for (const [index, taskId] of this.#tasks.entries()) {
      if (!isKept(index)) continue;
      this.#numbers.copyWithin(keptCount * WIDTH, index * WIDTH, (index + 1) * WIDTH);
      this.#tasks[keptCount] = taskId;
      keptCount += 1;
    }
    // Without this, the removed values would stay in memory past the end.
    this.#numbers.fill(0, keptCount * WIDTH);
    this.#tasks.length = keptCount;
  }

  #grow(): void {
    const numbers = new Uint32Array(this.#numbers.length * 2);
    numbers.set(this.#numbers);
    this.#numbers = numbers;
  }
}

const leadingBits = (hex: string): number => Number.parseInt(hex.slice(0, 8), 16);
const halvesOf = (hex: string) => [leadingBits(hex), Number.parseInt(hex.slice(8, 16), 16)] as const;

/** https://graphics.stanford.edu/~seander/bithacks.html#CountBitsSetParallel */
function bitCount(value: number): number {
  let bits = value - ((value >>> 1) & 0x5555_5555);
  bits = (bits & 0x3333_3333) + ((bits >>> 2) & 0x3333_3333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
