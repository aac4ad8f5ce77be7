import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** After so many bytes the buffers that held them are collected. */
const COLLECT_AFTER = 8 * 2 ** 20;

/** V8 lets 32 MiB of buffers pile up outside the heap before it collects any; a collection takes about 1 ms. */
export class PassingBytes {
  readonly #collect: () => void;
  #passed = 0;

  constructor(collect: () => void = youngCollector()) {
    this.#collect = collect;
  }

  count(bytes: number): void {
    this.#passed += bytes;
    if (this.#passed < COLLECT_AFTER) return;
    this.#passed = 0;
    this.#collect();
  }
}

/** V8 exposes its collector to new contexts only; with `--expose-gc` from the start, the start takes a tenth longer. */
function youngCollector(): () => void {
  let collect: unknown;
  return () => {
    if (collect === undefined) {
      setFlagsFromString('--expose-gc');
      collect = runInNewContext('gc');
      setFlagsFromString('--no-expose-gc');
    }
    if (typeof collect === 'function') collect({ type: 'minor' });
  };
}
