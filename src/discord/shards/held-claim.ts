import type { LeaseClock } from '../../services/store/lease.ts';
import type { SharedFacts } from '../../services/store/remote/shared-facts.ts';

/** Renewals within the duration of a claim; all but one of them may fail. */
const RENEWALS_PER_CLAIM = 5;
/** A failed renewal is retried this many times sooner. */
const RETRY_FACTOR = 4;
/** This process treats a claim as ended earlier than the server does, by this fraction of the claim's duration. */
const CLAIM_MARGIN = 1 / RENEWALS_PER_CLAIM;

export interface ClaimParts {
  facts: SharedFacts;
  holder: string;
  ms: number;
  clock: LeaseClock;
}

/** A claim of this process. It is renewed until it is released or lost; a lost claim is never renewed, because another process may have had it. */
export class HeldClaim {
  readonly name: string;
  readonly #parts: ClaimParts;
  readonly #onLost: () => void;
  #deadlines: readonly number[];
  #isOver = false;
  #cancel: (() => void) | undefined;
  #renewal: Promise<void> = Promise.resolve();

  private constructor(name: string, parts: ClaimParts, deadlines: readonly number[], onLost: () => void) {
    this.name = name;
    this.#parts = parts;
    this.#deadlines = deadlines;
    this.#onLost = onLost;
    this.#renewAfter(parts.ms / RENEWALS_PER_CLAIM);
  }

  /** Returns undefined if another process has the claim. `deadOwner` is a holder whose process has certainly ended. */
  static async acquire(
    name: string,
    parts: ClaimParts,
    { deadOwner, onLost = () => undefined }: { deadOwner?: string | undefined; onLost?: () => void } = {},
  ): Promise<HeldClaim | undefined> {
    const deadlines = deadlinesOf(parts);
    const isOurs = await parts.facts.claim(name, parts.holder, parts.ms, deadOwner);
    return isOurs ? new HeldClaim(name, parts, deadlines, onLost) : undefined;
  }

  /** False as soon as another process may have the claim. */
  get isHeld(): boolean {
    if (!this.#isOver && !this.#isSafe()) this.lose();
    return !this.#isOver;
  }

  /** Identifies the claim and its holder, for a write that succeeds only while the claim is held. */
  get heldBy(): { claim: string; holder: string } {
    return { claim: this.name, holder: this.#parts.holder };
  }

  /** Called when the server says that another process has the claim. */
  lose(): void {
    if (this.#isOver) return;
    this.#end();
    this.#onLost();
  }

  async release(): Promise<void> {
    if (this.#isOver) return;
    this.#end();
    await this.#renewal;
    await this.#parts.facts.release(this.name, this.#parts.holder);
  }

  #end(): void {
    this.#isOver = true;
    this.#cancel?.();
  }

  #isSafe(): boolean {
    return this.#parts.clock.now().every((now, index) => now < (this.#deadlines[index] ?? 0));
  }

  #renewAfter(ms: number): void {
    this.#cancel = this.#parts.clock.after(ms, () => {
      this.#renewal = this.#renew();
    });
  }

  async #renew(): Promise<void> {
    const { facts, holder, ms } = this.#parts;
    // After a suspension there is no attempt to renew it: the server would grant it again, although another process may have had it in the meantime.
    if (!this.isHeld) return;
    // Counted from before the request, which may take a long time.
    const deadlines = deadlinesOf(this.#parts);
    try {
      if (!(await facts.claim(this.name, holder, ms))) return this.lose();
      this.#deadlines = deadlines;
      if (!this.#isOver) this.#renewAfter(ms / RENEWALS_PER_CLAIM);
    } catch {
      // The store logs a lost connection itself; there will be more attempts before the claim expires.
      if (this.isHeld) this.#renewAfter(ms / RENEWALS_PER_CLAIM / RETRY_FACTOR);
    }
  }
}

const deadlinesOf = ({ clock, ms }: ClaimParts): number[] => clock.now().map((now) => now + ms * (1 - CLAIM_MARGIN));
