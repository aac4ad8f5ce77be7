import { randomUUID } from 'node:crypto';
import { pause, systemClock } from '../../lib/clock.ts';
import { closed, inUse, StoreError } from './backend.ts';

/** The store cannot be reached at the moment. */
export interface StoreTrouble {
  since: number;
  reason: string;
}

/** That this store is ours: one bot at a time may act on it. */
export interface Tenure {
  /** Throws where another bot may have taken over: called before everything that somebody outside could notice. */
  mustBeOurs(): void;
  /** It has come to its end although nobody here gave it back. */
  readonly lost: Promise<StoreError>;
  /** undefined: the store answers. */
  trouble(): StoreTrouble | undefined;
}

/** Of a store that the system itself keeps for this process, until it ends. */
export const soleTenure: Tenure = {
  mustBeOurs: () => undefined,
  lost: Promise.withResolvers<StoreError>().promise,
  trouble: () => undefined,
};

/** Several clocks at once, for no single one can be trusted with a lease. */
export interface LeaseClock {
  now(): readonly number[];
  after(ms: number, task: () => void): () => void;
}

/**
 * The one that is never set back, and the one on the wall: where a machine is suspended, the first stands still meanwhile, and the second can be
 * set back. Whichever says first that a lease is over is believed.
 */
export const leaseClock: LeaseClock = {
  now: () => [performance.now(), Date.now()],
  after: systemClock.after,
};

/** Somebody else's lease, as a newcomer sees it. */
interface Held {
  /** Changes with every renewal, so that a holder who lives can be told from one who died. */
  mark: string;
  endsInMs: number;
}

/** Where a server keeps the lease of a store, by its own clock. */
export interface LeaseDesk {
  /** The fencing number, which grows with every holder; or who holds it. */
  take(holder: string, ms: number): Promise<number | Held>;
  /** false: it has run out, or is another's. */
  renew(holder: string, ms: number): Promise<boolean>;
  giveBack(holder: string): Promise<void>;
}

/** So many renewals fall into the time of a lease: all but one may fail. */
const RENEWALS = 5;
/** A renewal that failed is tried again so much sooner. */
const SOONER = 4;
/** What is begun at the last moment has so much of the lease's time left to come to its end. */
const MARGIN = 1 / RENEWALS;
/** How often a newcomer looks whether the holder still lives. */
const LOOK_EVERY_MS = 250;

/** Whatever takes longer at the server is given up: it must not be under way still when the lease is another's. */
export const longestWork = (leaseMs: number): number => leaseMs * MARGIN;

interface LeaseParts {
  desk: LeaseDesk;
  /** The store, for people. */
  name: string;
  /** How long it lasts without a renewal. */
  ms: number;
  clock: LeaseClock;
  /** Told once, when another holds it. */
  waits(endsInMs: number): void;
}

/**
 * That one bot alone works on a store. Everybody asks here before they act: by our own clocks it ends a good while before the server gives it to
 * another. The server checks writes once more by itself.
 */
export class Lease {
  readonly #parts: LeaseParts;
  readonly #holder: string;
  readonly #lost = Promise.withResolvers<StoreError>();
  /** Grows with every holder of the store. */
  readonly number: number;
  #ends: readonly number[];
  #over: StoreError | undefined;
  #cancel: (() => void) | undefined;
  #renewal: Promise<void> = Promise.resolve();

  private constructor(parts: LeaseParts, holder: string, taken: { number: number; ends: readonly number[] }) {
    this.#parts = parts;
    this.#holder = holder;
    this.number = taken.number;
    this.#ends = taken.ends;
    this.#renewAfter(parts.ms / RENEWALS);
  }

  /** Waits for the rest of a lease whose holder died; refuses, with an `in-use`, where the holder lives. */
  static async take(parts: LeaseParts): Promise<Lease> {
    const holder = randomUUID();
    let first: Held | undefined;
    for (;;) {
      const ends = endsOf(parts);
      const answer = await parts.desk.take(holder, parts.ms);
      if (typeof answer === 'number') return new Lease(parts, holder, { number: answer, ends });
      if (!first) parts.waits(answer.endsInMs);
      first ??= answer;
      if (answer.mark !== first.mark) throw inUse(parts.name);
      await pause(parts.clock, Math.min(answer.endsInMs + 1, LOOK_EVERY_MS));
    }
  }

  get lost(): Promise<StoreError> {
    return this.#lost.promise;
  }

  mustBeHeld(): void {
    if (!this.#over && !this.#isSafe()) this.#lose('was not renewed in time');
    if (this.#over) throw this.#over;
  }

  /** The name under which it stands at the server, which checks it once more with each write. */
  get holder(): string {
    this.mustBeHeld();
    return this.#holder;
  }

  /** What a write is told that the server took for another's. */
  refused(): StoreError {
    return this.#lose('was taken over or deleted');
  }

  /** From here on another may take it. */
  async giveBack(): Promise<void> {
    if (this.#over) return;
    this.#over = closed(this.#parts.name);
    this.#cancel?.();
    await this.#renewal;
    await this.#parts.desk.giveBack(this.#holder);
  }

  #isSafe(): boolean {
    return this.#parts.clock.now().every((now, at) => now < (this.#ends[at] ?? 0));
  }

  #renewAfter(ms: number): void {
    this.#cancel = this.#parts.clock.after(ms, () => {
      this.#renewal = this.#renew();
    });
  }

  async #renew(): Promise<void> {
    const { desk, ms } = this.#parts;
    const gapMs = ms / RENEWALS;
    // Reckoned from before the question: on its way it may take long.
    const ends = endsOf(this.#parts);
    try {
      // One that woke up too late does not even ask: whoever had it meanwhile may have given it back.
      if (!this.#isSafe()) return void this.#lose('was not renewed in time');
      if (!(await desk.renew(this.#holder, ms))) return void this.refused();
      this.#ends = ends;
      if (!this.#over) this.#renewAfter(gapMs);
    } catch (error) {
      // A short loss of the connection, which is told elsewhere: there are more tries before the end.
      if (!this.#isSafe()) this.#lose('was not renewed in time', error);
      else if (!this.#over) this.#renewAfter(gapMs / SOONER);
    }
  }

  #lose(what: string, cause?: unknown): StoreError {
    if (this.#over) return this.#over;
    this.#cancel?.();
    this.#over = new StoreError(
      'lost',
      `The lease of the store ${this.#parts.name} ${what}, so Atelier stopped: another Atelier may be using the store. Start it again to resume all tasks.`,
      cause,
    );
    this.#lost.resolve(this.#over);
    return this.#over;
  }
}

function endsOf({ clock, ms }: LeaseParts): number[] {
  return clock.now().map((now) => now + ms * (1 - MARGIN));
}
