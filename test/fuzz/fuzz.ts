import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import type { Coverage } from './coverage.ts';
import { type Finding, judged } from './judge.ts';
import { minimised } from './minimise.ts';
import { mutated } from './mutate.ts';
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
  /** Inputs that reached new blocks, including the seeds. */
  readonly kept: number;
  readonly finding?: Finding & { readonly input: Buffer };
}

/** Counters are read after each batch; a longer batch would make it harder to tell which input matters. */
const BATCH_CPU_MS = 60;
const MAX_BATCH = 500;
/** This share of the inputs is generated from the grammar; the others are mutations of kept inputs. */
const STRUCTURED = 0.2;
const MAX_KEPT = 4_000;
/** Caches and compiled code grow at first; this much growth afterwards is a leak. */
const WARM_UP = 0.3;
const MAX_GROWTH_BYTES = 48 * 2 ** 20;
const MEMORY_EVERY_MS = 5_000;
const AT_ONCE = 50;
const GROWN = [3, 300, 8_000, 20_000];

/** Feeds inputs to the reader until the time is over or there is a finding. */
export async function fuzz(options: FuzzOptions): Promise<FuzzResult> {
  const run = new Run(options);
  const finding = await run.finding();
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

  async finding(): Promise<FuzzResult['finding']> {
    const { target, corpus, seconds, seed, coverage } = this.#options;
    const seeds = [...(await target.seeds()).map(bytesOf), ...grown(target)];
    coverage.takeNew({ isKept: false });
    for (const input of [...corpus, ...seeds]) {
      const found = await this.#look(input.subarray(0, this.#maxBytes));
      if (found) return found;
      this.#keep(input.subarray(0, this.#maxBytes), true);
    }
    const end = performance.now() + seconds * 1000;
    const memory = new Memory(this.#options.collectGarbage, seconds);
    const built = builtInputs(target, seed);
    for (let size = 8; performance.now() < end; ) {
      const inputs = Array.from({ length: size }, () => this.#input(built));
      const before = process.threadCpuUsage();
      for (const input of inputs) {
        const found = await this.#look(input);
        if (found) return found;
      }
      const { user } = process.threadCpuUsage(before);
      size = user > BATCH_CPU_MS * 1000 ? Math.max(1, size >> 1) : Math.min(MAX_BATCH, size << 1);
      if (coverage.takeNew({ isKept: false }) > 0) await this.#keepOf(inputs);
      const leak = memory.look();
      if (leak) return { ...leak, input: inputs.at(-1) ?? Buffer.alloc(0) };
      // Lets asynchronous readers run.
      await setImmediate();
    }
    return undefined;
  }

  #input(built: () => Buffer): Buffer {
    const isBuilt = this.#pool.length === 0 || this.#random.next() < STRUCTURED;
    const input = isBuilt ? built() : mutated(this.#random, this.#options.target, this.#pool);
    return input.subarray(0, this.#maxBytes);
  }

  /** Something in this batch was new, so each input is read on its own to find out which one it was. */
  async #keepOf(inputs: readonly Buffer[]): Promise<void> {
    for (const input of inputs) {
      this.#options.watchdog.begin(input);
      await judged(this.#options.target, input);
      this.#keep(input, false);
    }
  }

  #keep(input: Buffer, isSeed: boolean): void {
    const blocks = this.#options.coverage.takeNew({ isKept: true });
    if (!isSeed && blocks === 0) return;
    this.figures.newBlocks += blocks;
    if (this.#pool.length < MAX_KEPT) this.#pool.push(Buffer.from(input));
    this.figures.kept = this.#pool.length;
  }

  async #look(input: Buffer): Promise<FuzzResult['finding']> {
    const { target, watchdog } = this.#options;
    this.figures.executions++;
    watchdog.begin(input);
    const found = await judged(target, input);
    if (!found) return undefined;
    const least = await minimised(input, async (shorter) => {
      watchdog.begin(shorter);
      const other = await judged(target, shorter);
      return other?.kind === found.kind && other.name === found.name;
    });
    return { ...found, input: least };
  }
}

/** Checks inputs that are hard for the reader in a few sizes. */
function grown(target: Target): Buffer[] {
  return Object.values(target.growing).flatMap((make) => GROWN.map((times) => bytesOf(make(times))));
}

/** Inputs from the target's grammar, generated several at a time because a single one would cost as much. */
function builtInputs(target: Target, seed: number): () => Buffer {
  let ready: Buffer[] = [];
  let round = seed;
  return () => {
    if (ready.length === 0) ready = fc.sample(target.structured, { numRuns: AT_ONCE, seed: round++ }).map(bytesOf);
    return ready.pop() ?? Buffer.alloc(0);
  };
}

/** The memory in use after a full garbage collection. */
class Memory {
  readonly #collectGarbage: () => void;
  readonly #warmAt: number;
  #next: number;
  #first: number | undefined;

  constructor(collectGarbage: () => void, seconds: number) {
    this.#collectGarbage = collectGarbage;
    this.#warmAt = performance.now() + seconds * 1000 * WARM_UP;
    this.#next = this.#warmAt;
  }

  look(): Finding | undefined {
    const now = performance.now();
    if (now < this.#next) return undefined;
    this.#next = now + MEMORY_EVERY_MS;
    this.#collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    const used = heapUsed + arrayBuffers;
    this.#first ??= used;
    const growth = used - this.#first;
    if (growth < MAX_GROWTH_BYTES) return undefined;
    return {
      kind: 'memory',
      name: 'memory',
      detail: `${Math.round(growth / 2 ** 20)} MiB more than after the warm-up`,
    };
  }
}
