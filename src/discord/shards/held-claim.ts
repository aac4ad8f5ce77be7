import type { LeaseClock } from '../../services/store/lease.ts';
import type { SharedFacts } from '../../services/store/remote/shared-facts.ts';

/** Repetitions within the duration of a claim: all but one may fail. */
const REPETITIONS = 5;
/** A failed repetition is retried this many times sooner. */
const SOONER = 4;
/** By our own clocks a claim ends this share earlier than by the server's. */
const MARGIN = 1 / REPETITIONS;

export interface ClaimParts {
  facts: SharedFacts;
  holder: string;
  ms: number;
  clock: LeaseClock;
}

/** A claim of this process. It is repeated until it is released or lost; a lost claim is never repeated, because another process may have had it. */
export class HeldClaim {
  readonly name: string;
  readonly #parts: ClaimParts;
  readonly #onLost: () => void;
  #ends: readonly number[];
  #isOver = false;
  #cancel: (() => void) | undefined;
  #repetition: Promise<void> = Promise.resolve();

  private constructor(name: string, parts: ClaimParts, ends: readonly number[], onLost: () => void) {
    this.name = name;
    this.#parts = parts;
    this.#ends = ends;
    this.#onLost = onLost;
    this.#repeatAfter(parts.ms / REPETITIONS);
  }

  /** Undefined if another process has it. `deadOwner` is a holder whose process has certainly ended. */
  static async take(
    name: string,
    parts: ClaimParts,
    { deadOwner, onLost = () => undefined }: { deadOwner?: string | undefined; onLost?: () => void } = {},
  ): Promise<HeldClaim | undefined> {
    const ends = endsOf(parts);
    const isOurs = await parts.facts.claim(name, parts.holder, parts.ms, deadOwner);
    return isOurs ? new HeldClaim(name, parts, ends, onLost) : undefined;
  }

  /** False as soon as another process may have it. */
  get isHeld(): boolean {
    if (!this.#isOver && !this.#isSafe()) this.lose();
    return !this.#isOver;
  }

  /** For a write that names its claim. */
  get heldBy(): { claim: string; holder: string } {
    return { claim: this.name, holder: this.#parts.holder };
  }

  /** The server says that it is not ours. */
  lose(): void {
    if (this.#isOver) return;
    this.#end();
    this.#onLost();
  }

  async release(): Promise<void> {
    if (this.#isOver) return;
    this.#end();
    await this.#repetition;
    await this.#parts.facts.release(this.name, this.#parts.holder);
  }

  #end(): void {
    this.#isOver = true;
    this.#cancel?.();
  }

  #isSafe(): boolean {
    return this.#parts.clock.now().every((now, at) => now < (this.#ends[at] ?? 0));
  }

  #repeatAfter(ms: number): void {
    this.#cancel = this.#parts.clock.after(ms, () => {
      this.#repetition = this.#repeat();
    });
  }

  async #repeat(): Promise<void> {
    const { facts, holder, ms } = this.#parts;
    // After a suspension it does not even try: the server would give it to us again, although another process may have had it.
    if (!this.isHeld) return;
    // Counted from before the request, which may take long.
    const ends = endsOf(this.#parts);
    try {
      if (!(await facts.claim(this.name, holder, ms))) return this.lose();
      this.#ends = ends;
      if (!this.#isOver) this.#repeatAfter(ms / REPETITIONS);
    } catch {
      // A short loss of the connection, which the connection logs: more tries follow before the end.
      if (this.isHeld) this.#repeatAfter(ms / REPETITIONS / SOONER);
    }
  }
}

const endsOf = ({ clock, ms }: ClaimParts): number[] => clock.now().map((now) => now + ms * (1 - MARGIN));
