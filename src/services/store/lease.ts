import { pause, systemClock } from '../../lib/clock.ts';
import { trackUntilDone } from '../../lib/track-until-done.ts';
import { StoreError } from '../tasks/store-error.ts';
import { closedError, inUseError } from './backend.ts';
import { hasCertainlyEnded, nameLease } from './holder.ts';

export interface StoreTrouble {
  since: number;
  reason: string;
}

/** Ownership of the store: only one bot at a time may act on it. */
export interface StoreOwnership {
  /** Throws if another bot may have taken over. Call this before everything that is visible outside. */
  assertOwned(): void;
  /** Resolves when ownership has ended without being released. */
  readonly lost: Promise<StoreError>;
  /** Undefined while the store responds. */
  trouble(): StoreTrouble | undefined;
}

/** For a store that is reserved for this process by the operating system. */
export const soleOwnership: StoreOwnership = {
  assertOwned: () => undefined,
  lost: Promise.withResolvers<StoreError>().promise,
  trouble: () => undefined,
};

/** Several clocks, since no single one can be trusted with a lease. */
export interface LeaseClock {
  now(): readonly number[];
  after(ms: number, task: () => void): () => void;
}

/** The monotonic clock stops while a machine is suspended, and the wall clock can be set back: the lease has expired as soon as either of them says so. */
export const leaseClock: LeaseClock = {
  now: () => [performance.now(), Date.now()],
  after: systemClock.after,
};

interface ForeignLease {
  holder: string;
  /** Changes with every renewal. */
  renewals: string;
  endsInMs: number;
}

interface AcquiredLease {
  number: number;
  ends: readonly number[];
}

/** Stores the lease on a server, using the server's clock. */
export interface LeaseServer {
  /**
   * Returns the fencing number, which grows with every holder, or the lease of another holder. Also takes over the lease of `endedHolder`, which writes nothing
   * more. Waits until the server has carried out or rejected the writes of the last holder that it has begun.
   */
  acquire(holder: string, ms: number, endedHolder?: string): Promise<number | ForeignLease>;
  /** Returns false if the lease has expired or belongs to another bot. */
  renew(holder: string, ms: number): Promise<boolean>;
  release(holder: string): Promise<void>;
}

/** How many renewals fit into the duration of a lease; all but one may fail. */
const RENEWALS_PER_LEASE = 5;
/** After a failed renewal, the pause before the next attempt is shorter by this factor. */
const RETRY_FACTOR = 4;
/** The share of a lease that remains for work started at the last moment. */
const SAFETY_MARGIN = 1 / RENEWALS_PER_LEASE;
/** How often a waiting bot checks whether the holder still runs. */
const CHECK_INTERVAL_MS = 250;

/** Slower requests are aborted, because none may be running when another bot has the lease. */
export const requestLimitMs = (leaseMs: number): number => leaseMs * SAFETY_MARGIN;

interface LeaseParts {
  leaseServer: LeaseServer;
  name: string;
  ms: number;
  clock: LeaseClock;
  /** The process that takes the lease, if others need to know it. */
  holder?: string | undefined;
}

/** How long to wait for a lease: `Lease.acquire` or `Lease.tryAcquire`. */
export type AcquireLease = (parts: LeaseParts, onWait: (endsInMs: number) => void) => Promise<Lease | undefined>;

/**
 * Reserves a store on a server for one bot. By this process's clocks the lease expires well before the server lets another bot take it. The server checks it
 * with each write.
 */
export class Lease {
  readonly #parts: LeaseParts;
  readonly #lost = Promise.withResolvers<StoreError>();
  readonly #writes = new Set<Promise<unknown>>();
  #holder: string;
  /** The holder's next name, while it is unknown whether the server may still carry out a write under the current one. */
  #nextHolder: string | undefined;
  #number: number;
  #expiries: readonly number[];
  #endError: StoreError | undefined;
  #cancel: (() => void) | undefined;
  #renewal: Promise<void> | undefined;

  private constructor(parts: LeaseParts, holder: string, acquired: AcquiredLease) {
    this.#parts = parts;
    this.#holder = holder;
    this.#number = acquired.number;
    this.#expiries = acquired.ends;
    this.#renewAfter(parts.ms / RENEWALS_PER_LEASE);
  }

  /**
   * Takes over the lease of a holder whose process has certainly ended, and waits for the rest of a lease whose holder may have died.
   * Fails with `in-use` if the holder renews the lease. `onWait` is called once, if another bot holds the lease.
   */
  static async acquire(parts: LeaseParts, onWait: (endsInMs: number) => void): Promise<Lease> {
    const holder = nameLease(parts.holder);
    let awaited: ForeignLease | undefined;
    for (;;) {
      const result = await acquireOnce(parts, holder);
      if ('number' in result) return new Lease(parts, holder, result);
      if (!awaited) onWait(result.endsInMs);
      // The server may carry out the request of a bot that has ended since, so another holder alone does not mean that one is running.
      if (result.holder === awaited?.holder && result.renewals !== awaited.renewals) throw inUseError(parts.name);
      awaited = result;
      await pause(parts.clock, Math.min(result.endsInMs + 1, CHECK_INTERVAL_MS));
    }
  }

  /** Does not wait: returns undefined if another holder has the lease, unless the process of that holder has certainly ended. */
  static async tryAcquire(parts: LeaseParts): Promise<Lease | undefined> {
    const holder = nameLease(parts.holder);
    const result = await acquireOnce(parts, holder);
    return 'number' in result ? new Lease(parts, holder, result) : undefined;
  }

  /** Grows with every name of a holder of the store. */
  get number(): number {
    return this.#number;
  }

  get lost(): Promise<StoreError> {
    return this.#lost.promise;
  }

  /** False as soon as another holder may have the lease. */
  get isHeld(): boolean {
    if (!this.#endError && !this.#isSafe()) this.#endLease(NOT_RENEWED);
    return this.#endError === undefined;
  }

  assertHeld(): void {
    if (!this.isHeld) throw this.#endError;
  }

  /** The holder's name on the server, which checks it with each write. */
  get holder(): string {
    this.assertHeld();
    return this.#holder;
  }

  /** To be called when the server refuses a write because of the lease. Returns the error to throw. */
  lose(): StoreError {
    return this.#endLease('was taken over or deleted');
  }

  /**
   * Runs a write. If an earlier one had no response, the lease continues under a new name first: the server could still carry that one out after this one, which
   * may be meant to undo it.
   */
  async write<T>(work: () => Promise<T>): Promise<T> {
    while (this.#nextHolder !== undefined) await this.#renew();
    try {
      return await trackUntilDone(work(), this.#writes);
    } catch (error) {
      if (error instanceof StoreError && error.kind === 'unreachable')
        this.#nextHolder ??= nameLease(this.#parts.holder);
      throw error;
    }
  }

  /** Ends the lease, so that another bot may acquire it. */
  async release(): Promise<void> {
    if (this.#endError) return;
    this.#endError = closedError(this.#parts.name);
    this.#cancel?.();
    await Promise.allSettled([this.#renewal]);
    await this.#parts.leaseServer.release(this.#holder);
  }

  #isSafe(): boolean {
    return this.#parts.clock.now().every((now, index) => now < (this.#expiries[index] ?? 0));
  }

  #renewAfter(ms: number): void {
    this.#cancel = this.#parts.clock.after(ms, () => void this.#keepRenewing());
  }

  async #keepRenewing(): Promise<void> {
    const gapMs = this.#parts.ms / RENEWALS_PER_LEASE;
    try {
      await this.#renew();
      if (!this.#endError) this.#renewAfter(gapMs);
    } catch (error) {
      // The connection was lost for a moment, which is logged elsewhere; there will be more attempts before the lease expires.
      if (!this.#isSafe()) this.#endLease(NOT_RENEWED, error);
      else if (!this.#endError) this.#renewAfter(gapMs / RETRY_FACTOR);
    }
  }

  #renew(): Promise<void> {
    this.#renewal ??= this.#renewOnce().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #renewOnce(): Promise<void> {
    const { leaseServer, ms } = this.#parts;
    const nextHolder = this.#nextHolder;
    // The server would reject them, and that would look as if another bot had the lease.
    if (nextHolder !== undefined) await Promise.allSettled(this.#writes);
    // After the machine was suspended there is no attempt to renew it: another bot may have had the lease and released it.
    this.assertHeld();
    // Measured from before the request, which may take a long time.
    const expiries = expiriesOf(this.#parts);
    const isHeld =
      nextHolder === undefined ? await leaseServer.renew(this.#holder, ms) : await this.#rename(nextHolder);
    if (!isHeld) throw this.lose();
    this.#expiries = expiries;
  }

  /** The server rejects everything that arrives later under the former name. */
  async #rename(nextHolder: string): Promise<boolean> {
    const result = await this.#parts.leaseServer.acquire(nextHolder, this.#parts.ms, this.#holder);
    // An earlier attempt may have succeeded although its response was lost. A number that is too high shows that another bot had the lease in the meantime.
    if (typeof result === 'number' ? result !== this.#number + 1 : result.holder !== nextHolder) return false;
    this.#holder = nextHolder;
    this.#nextHolder = undefined;
    this.#number += 1;
    // If the lease had expired, another bot may have had it and released it before this request.
    this.assertHeld();
    return true;
  }

  #endLease(reason: string, cause?: unknown): StoreError {
    if (this.#endError) return this.#endError;
    this.#cancel?.();
    this.#endError = new StoreError(
      'lost',
      `The lease of the store ${this.#parts.name} ${reason}, so Atelier stopped: another Atelier may be using the store. Start it again to resume all tasks.`,
      cause,
    );
    this.#lost.resolve(this.#endError);
    return this.#endError;
  }
}

const NOT_RENEWED = 'was not renewed in time (its server did not respond, or this machine was suspended)';

const expiriesOf = ({ clock, ms }: LeaseParts): number[] => clock.now().map((now) => now + ms * (1 - SAFETY_MARGIN));

async function acquireOnce(parts: LeaseParts, holder: string): Promise<AcquiredLease | ForeignLease> {
  let endedHolder: string | undefined;
  for (;;) {
    const expiries = expiriesOf(parts);
    const result = await parts.leaseServer.acquire(holder, parts.ms, endedHolder);
    if (typeof result === 'number') return { number: result, ends: expiries };
    if (result.holder === endedHolder || !hasCertainlyEnded(result.holder)) return result;
    endedHolder = result.holder;
  }
}
