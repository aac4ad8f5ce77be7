import { type Fingerprint, MAX_DIFFERENT_BITS } from '../media/fingerprint.ts';

/** The maximum number of files held in memory, which takes about 60 MB. If there are more, those that were added first are no longer found. */
const MAX_FILES = 1_000_000;
const INITIAL_CAPACITY = 1_024;

/** Finds the tasks that a file may belong to. Holds a part of each hash and the whole perceptual hash in memory, and compares a file with each in turn. */
export class FingerprintIndex {
  readonly #max: number;
  #size = 0;
  #hashes = new Uint32Array(INITIAL_CAPACITY);
  /** The perceptual hashes, as two numbers for each file. */
  #perceptualHashes = new Uint32Array(INITIAL_CAPACITY * 2);
  #hasPerceptualHash = new Uint8Array(INITIAL_CAPACITY);
  #tasks: string[] = [];
  readonly #removed = new Set<string>();

  constructor(max = MAX_FILES) {
    this.#max = max;
  }

  get size(): number {
    return this.#size;
  }

  add(taskId: string, files: readonly Fingerprint[]): void {
    this.#applyRemovals();
    for (const { hash, likeness: perceptualHash } of files) {
      if (this.#size >= this.#max) this.#retain((index) => index >= this.#max / 4);
      if (this.#size === this.#hashes.length) this.#grow();
      const index = this.#size;
      this.#hashes[index] = leadingBits(hash);
      this.#hasPerceptualHash[index] = perceptualHash === undefined ? 0 : 1;
      this.#perceptualHashes[index * 2] = leadingBits(perceptualHash ?? '0');
      this.#perceptualHashes[index * 2 + 1] = Number.parseInt(perceptualHash?.slice(8, 16) ?? '0', 16);
      this.#tasks[index] = taskId;
      this.#size += 1;
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
    for (let index = this.#size - 1; index >= 0 && taskIds.size < max; index--)
      if (this.#hashes[index] === prefix) taskIds.add(this.#tasks[index] ?? '');
    return [...taskIds];
  }

  /** Tasks with a similar image, the most similar first. */
  findSimilar(perceptualHash: string, max: number): string[] {
    this.#applyRemovals();
    const [left, right] = [leadingBits(perceptualHash), Number.parseInt(perceptualHash.slice(8, 16), 16)];
    const byDifference = Array.from({ length: MAX_DIFFERENT_BITS + 1 }, () => new Set<string>());
    for (let index = this.#size - 1; index >= 0; index--) {
      if (this.#hasPerceptualHash[index] === 0) continue;
      const bits =
        bitCount((this.#perceptualHashes[index * 2] ?? 0) ^ left) +
        bitCount((this.#perceptualHashes[index * 2 + 1] ?? 0) ^ right);
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
    for (let index = 0; index < this.#size; index++) {
      if (!isKept(index)) continue;
      this.#hashes[keptCount] = this.#hashes[index] ?? 0;
      this.#hasPerceptualHash[keptCount] = this.#hasPerceptualHash[index] ?? 0;
      this.#perceptualHashes.copyWithin(keptCount * 2, index * 2, index * 2 + 2);
      this.#tasks[keptCount] = this.#tasks[index] ?? '';
      keptCount += 1;
    }
    // Without this, the removed values would stay in memory past the end.
    for (const list of [this.#hashes, this.#hasPerceptualHash]) list.fill(0, keptCount, this.#size);
    this.#perceptualHashes.fill(0, keptCount * 2, this.#size * 2);
    this.#tasks.length = keptCount;
    this.#size = keptCount;
  }

  #grow(): void {
    const [hashes, perceptualHashes, hasPerceptualHash] = [
      this.#hashes,
      this.#perceptualHashes,
      this.#hasPerceptualHash,
    ];
    this.#hashes = new Uint32Array(hashes.length * 2);
    this.#perceptualHashes = new Uint32Array(perceptualHashes.length * 2);
    this.#hasPerceptualHash = new Uint8Array(hasPerceptualHash.length * 2);
    this.#hashes.set(hashes);
    this.#perceptualHashes.set(perceptualHashes);
    this.#hasPerceptualHash.set(hasPerceptualHash);
  }
}

const leadingBits = (hex: string): number => Number.parseInt(hex.slice(0, 8), 16);

/** https://graphics.stanford.edu/~seander/bithacks.html#CountBitsSetParallel */
function bitCount(value: number): number {
  let bits = value - ((value >>> 1) & 0x5555_5555);
  bits = (bits & 0x3333_3333) + ((bits >>> 2) & 0x3333_3333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
