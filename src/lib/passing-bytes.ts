/** So many bytes pass before the buffers they came in are collected. */
const COLLECT_AFTER = 8 * 2 ** 20;

/**
 * Counts the bytes of files that stream through this process. The buffers they stream in lie outside of the heap, where V8 lets 32 MiB of
 * them pile up before it collects any; what the allocator has grown to by then it keeps. A collection of young objects takes about a
 * millisecond.
 */
export class PassingBytes {
  readonly #collect: () => void;
  #passed = 0;

  /** Without `--expose-gc` nothing is collected early. */
  constructor(collect: () => void = () => globalThis.gc?.({ type: 'minor' })) {
    this.#collect = collect;
  }

  count(bytes: number): void {
    this.#passed += bytes;
    if (this.#passed < COLLECT_AFTER) return;
    this.#passed = 0;
    this.#collect();
  }
}
