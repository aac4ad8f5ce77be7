import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import type { Coverage } from './coverage.ts';
import { type Finding, judge } from './judge.ts';
import { minimise } from './minimise.ts';
import { mutate } from './mutate.ts';
import { SeededRandom } from './random.ts';
import { bytesOf, DEFAULT_MAX_BYTES, type Target } from './target.ts';
import type { Watchdog } from './watchdog.ts';

export interface FuzzOptions {
  readonly target: Target;
  readonly coverage: Coverage;
  readonly corpus: readonly Buffer[];
  readonly seconds: number;
  readonly seed: number;
  readonly watchdog: Watchdog;
  readonly collectGarbage: () => void;
}

export interface FuzzResult {
  readonly executions: number;
  readonly newBlocks: number;
  /** The number of inputs that were kept because they reached new blocks, including the seeds. */
  readonly kept: number;
  readonly finding?: Finding & { readonly input: Buffer };
}

/** Counters are read after each batch; a longer batch would make it harder to tell which input matters. */
const BATCH_CPU_MS = 60;
const MAX_BATCH_SIZE = 500;
/** This share of the inputs is generated from the grammar; the others are mutations of kept inputs. */
const STRUCTURED_SHARE = 0.2;
const MAX_KEPT_INPUTS = 4_000;
/** The share of the time in which memory may grow, because caches fill up and code is compiled. */
const WARM_UP_SHARE = 0.3;
/** More growth than this after the warm-up is a leak. */
const MAX_GROWTH_BYTES = 48 * 2 ** 20;
const MEMORY_CHECK_INTERVAL_MS = 5_000;
const SAMPLE_SIZE = 50;
const GROWTH_SIZES = [3, 300, 8_000, 20_000];

/** Feeds inputs to the reader until the time is up or there is a finding. */
export async function fuzz(options: FuzzOptions): Promise<FuzzResult> {
  const run = new Run(options);
  const finding = await run.search();
  return { ...run.figures, ...(finding && { finding }) };
}

class Run {
  readonly #options: FuzzOptions;
  readonly #maxBytes: number;
  readonly #random: SeededRandom;
  readonly #pool: Buffer[] = [];
  readonly figures = { executions: 0, newBlocks: 0, kept: 0 };

  constructor(options: FuzzOptions) {
    this.#options = options;
    this.#maxBytes = options.target.maxBytes ?? DEFAULT_MAX_BYTES;
    this.#random = new SeededRandom(options.seed);
  }

  async search(): Promise<FuzzResult['finding']> {
    const { target, corpus, seconds, seed, coverage } = this.#options;
    const seeds = [...(await target.seeds()).map(bytesOf), ...growingInputs(target)];
    coverage.countNewBlocks({ isKept: false });
    for (const input of [...corpus, ...seeds]) {
      const finding = await this.#check(input.subarray(0, this.#maxBytes));
      if (finding) return finding;
      this.#keep(input.subarray(0, this.#maxBytes), true);
    }
    const end = performance.now() + seconds * 1000;
    const memory = new MemoryWatch(this.#options.collectGarbage, seconds);
    const nextStructured = structuredInputs(target, seed);
    for (let size = 8; performance.now() < end; ) {
      const inputs = Array.from({ length: size }, () => this.#input(nextStructured));
      const usageBefore = process.threadCpuUsage();
      for (const input of inputs) {
        const finding = await this.#check(input);
        if (finding) return finding;
      }
      const { user } = process.threadCpuUsage(usageBefore);
      size = user > BATCH_CPU_MS * 1000 ? Math.max(1, size >> 1) : Math.min(MAX_BATCH_SIZE, size << 1);
      if (coverage.countNewBlocks({ isKept: false }) > 0) await this.#keepUseful(inputs);
      const leak = memory.check();
      if (leak) return { ...leak, input: inputs.at(-1) ?? Buffer.alloc(0) };
      // Lets asynchronous readers run.
      await setImmediate();
    }
    return undefined;
  }

  #input(nextStructured: () => Buffer): Buffer {
    const isStructured = this.#pool.length === 0 || this.#random.next() < STRUCTURED_SHARE;
    const input = isStructured ? nextStructured() : mutate(this.#random, this.#options.target, this.#pool);
    return input.subarray(0, this.#maxBytes);
  }

  /** After a batch that reached new blocks, reads its inputs again one by one, to find out which of them did. */
  async #keepUseful(inputs: readonly Buffer[]): Promise<void> {
    for (const input of inputs) {
      this.#options.watchdog.begin(input);
      await judge(this.#options.target, input);
      this.#keep(input, false);
    }
  }

  #keep(input: Buffer, isSeed: boolean): void {
    const blocks = this.#options.coverage.countNewBlocks({ isKept: true });
    if (!isSeed && blocks === 0) return;
    this.figures.newBlocks += blocks;
    if (this.#pool.length < MAX_KEPT_INPUTS) this.#pool.push(Buffer.from(input));
    this.figures.kept = this.#pool.length;
  }

  async #check(input: Buffer): Promise<FuzzResult['finding']> {
    const { target, watchdog } = this.#options;
    this.figures.executions++;
    watchdog.begin(input);
    const finding = await judge(target, input);
    if (!finding) return undefined;
    const smallest = await minimise(input, async (shorter) => {
      watchdog.begin(shorter);
      const shorterFinding = await judge(target, shorter);
      return shorterFinding?.kind === finding.kind && shorterFinding.name === finding.name;
    });
    return { ...finding, input: smallest };
  }
}

/** Returns inputs that are hard for the reader, in a few sizes. */
function growingInputs(target: Target): Buffer[] {
  return Object.values(target.growing).flatMap((make) => GROWTH_SIZES.map((times) => bytesOf(make(times))));
}

/** Inputs from the target's grammar. Several are generated at a time, because generating one costs almost as much. */
function structuredInputs(target: Target, seed: number): () => Buffer {
  let samples: Buffer[] = [];
  let round = seed;
  return () => {
    if (samples.length === 0)
      samples = fc.sample(target.structured, { numRuns: SAMPLE_SIZE, seed: round++ }).map(bytesOf);
    return samples.pop() ?? Buffer.alloc(0);
  };
}

/** Watches how much memory is in use after full garbage collections, and reports a leak. */
class MemoryWatch {
  readonly #collectGarbage: () => void;
  readonly #warmUpEndsAt: number;
  #nextCheckAt: number;
  #baseline: number | undefined;

  constructor(collectGarbage: () => void, seconds: number) {
    this.#collectGarbage = collectGarbage;
    this.#warmUpEndsAt = performance.now() + seconds * 1000 * WARM_UP_SHARE;
    this.#nextCheckAt = this.#warmUpEndsAt;
  }

  check(): Finding | undefined {
    const now = performance.now();
    if (now < this.#nextCheckAt) return undefined;
    this.#nextCheckAt = now + MEMORY_CHECK_INTERVAL_MS;
    this.#collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    const usedBytes = heapUsed + arrayBuffers;
    this.#baseline ??= usedBytes;
    const growth = usedBytes - this.#baseline;
    if (growth < MAX_GROWTH_BYTES) return undefined;
    return {
      kind: 'memory',
      name: 'memory',
      detail: `${Math.round(growth / 2 ** 20)} MiB more than after the warm-up`,
    };
  }
}
