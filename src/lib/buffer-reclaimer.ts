import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** After this many bytes, the buffers that held them are garbage-collected. */
const COLLECT_AFTER_BYTES = 8 * 2 ** 20;

/** Triggers garbage collection: V8 would let 32 MiB of buffers pile up outside the heap first. A collection takes about 1 ms. */
export class BufferReclaimer {
  readonly #collect: () => void;
  #bytesSinceCollection = 0;

  constructor(collect: () => void = minorCollector()) {
    this.#collect = collect;
  }

  count(bytes: number): void {
    this.#bytesSinceCollection += bytes;
    if (this.#bytesSinceCollection < COLLECT_AFTER_BYTES) return;
    this.#bytesSinceCollection = 0;
    this.#collect();
  }
}

/** V8 exposes its garbage collector only to new contexts. Starting with `--expose-gc` would make the start ten percent slower. */
function minorCollector(): () => void {
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
