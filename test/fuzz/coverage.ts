import { type Profiler, Session } from 'node:inspector';

/**
 * Records which blocks of our code have run, and how often. Only code that is compiled after `start` is counted by
 * block, so the code under test is imported after it.
 */
export class Coverage {
  readonly #session = new Session();
  readonly #isCounted: (url: string) => boolean;
  /** The character offsets that have run, for each script and function. */
  readonly #recorded = new Map<string, Uint8Array>();

  constructor(isCounted: (url: string) => boolean) {
    this.#isCounted = isCounted;
  }

  start(): void {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  stop(): void {
    this.#session.post('Profiler.stopPreciseCoverage');
    this.#session.disconnect();
  }

  /**
   * Counts the blocks that ran since the last call and are not recorded yet. With `isKept`, also records them.
   */
  countNewBlocks({ isKept }: { isKept: boolean }): number {
    let newBlockCount = 0;
    for (const { url, functions } of this.#takeCoverage()) {
      for (const { ranges } of functions) {
        const [outerRange] = ranges;
        if (!outerRange || outerRange.count === 0) continue;
        newBlockCount += this.#compare(`${url} ${outerRange.startOffset} ${outerRange.endOffset}`, ranges, isKept);
      }
    }
    return newBlockCount;
  }

  /**
   * How many times blocks ran since the last call. As long as no optimizing compiler runs, the number is the same for the same input, regardless
   * of the machine's load.
   */
  countSteps(): number {
    let steps = 0;
    for (const { functions } of this.#takeCoverage()) {
      for (const { ranges } of functions) for (const { count } of ranges) steps += count;
    }
    return steps;
  }

  #compare(name: string, ranges: readonly Profiler.CoverageRange[], isKept: boolean): number {
    const [outerRange] = ranges;
    if (!outerRange) return 0;
    const offsets = new Uint8Array(outerRange.endOffset - outerRange.startOffset);
    // Inner ranges come after the outer ones, and their counts take precedence.
    for (const { startOffset, endOffset, count } of ranges) {
      offsets.fill(count > 0 ? 1 : 0, startOffset - outerRange.startOffset, endOffset - outerRange.startOffset);
    }
    const previous = this.#recorded.get(name);
    let blockCount = 0;
    let isInside = false;
    for (let index = 0; index < offsets.length; index++) {
      const isNew = offsets[index] === 1 && previous?.[index] !== 1;
      if (isNew && !isInside) blockCount++;
      isInside = isNew;
      if (previous?.[index] === 1) offsets[index] = 1;
    }
    if (blockCount > 0 && isKept) this.#recorded.set(name, offsets);
    return blockCount;
  }

  #takeCoverage(): Profiler.ScriptCoverage[] {
    let result: Profiler.ScriptCoverage[] = [];
    // An inspector session of the same thread responds before `post` returns.
    this.#session.post('Profiler.takePreciseCoverage', (error, response) => {
      if (error) throw error;
      result = response.result;
    });
    return result.filter(({ url }) => this.#isCounted(url));
  }
}
