import { type Profiler, Session } from 'node:inspector';

/**
 * Which blocks of our code have run, and how often. Only code that is compiled afterwards is counted by block, so the
 * code under test is imported after `start`.
 */
export class Coverage {
  readonly #session = new Session();
  readonly #isCounted: (url: string) => boolean;
  /** By script and function: the character offsets that have run. */
  readonly #run = new Map<string, Uint8Array>();

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
   * Counts the blocks that ran since the last call and were not recorded before. They count as recorded from then on.
   */
  takeNew({ isKept }: { isKept: boolean }): number {
    let found = 0;
    for (const { url, functions } of this.#taken()) {
      for (const { ranges } of functions) {
        const [whole] = ranges;
        if (!whole || whole.count === 0) continue;
        found += this.#compare(`${url} ${whole.startOffset} ${whole.endOffset}`, ranges, isKept);
      }
    }
    return found;
  }

  /**
   * How many times blocks ran since the last call. The number is the same for the same input, regardless of the
   * machine's load.
   */
  takeSteps(): number {
    let steps = 0;
    for (const { functions } of this.#taken()) {
      for (const { ranges } of functions) for (const { count } of ranges) steps += count;
    }
    return steps;
  }

  #compare(name: string, ranges: readonly Profiler.CoverageRange[], isKept: boolean): number {
    const [whole] = ranges;
    if (!whole) return 0;
    const letters = new Uint8Array(whole.endOffset - whole.startOffset);
    // Inner ranges follow the outer ones and override their counts.
    for (const { startOffset, endOffset, count } of ranges) {
      letters.fill(count > 0 ? 1 : 0, startOffset - whole.startOffset, endOffset - whole.startOffset);
    }
    const before = this.#run.get(name);
    let blocks = 0;
    let isInside = false;
    for (let at = 0; at < letters.length; at++) {
      const isNew = letters[at] === 1 && before?.[at] !== 1;
      if (isNew && !isInside) blocks++;
      isInside = isNew;
      if (before?.[at] === 1) letters[at] = 1;
    }
    if (blocks > 0 && isKept) this.#run.set(name, letters);
    return blocks;
  }

  #taken(): Profiler.ScriptCoverage[] {
    let result: Profiler.ScriptCoverage[] = [];
    // An inspector session of the same thread responds before `post` returns.
    this.#session.post('Profiler.takePreciseCoverage', (error, answer) => {
      if (error) throw error;
      result = answer.result;
    });
    return result.filter(({ url }) => this.#isCounted(url));
  }
}
