import { pause } from '../../lib/clock.ts';
import type { Lease } from '../store/lease.ts';
import type { Partitions } from '../store/partitions.ts';
import type { StoredTasks } from '../store/stored-tasks.ts';
import { StoreError } from '../tasks/store-error.ts';
import { acquireClaim, type ClusterContext } from './claim.ts';
import { findSurplus, findTakeable, isShortOfShare, readShares, type Shares, WORKER_CLAIM } from './shares.ts';

/** The partitions of a stopping worker should be taken over within a second. Each check only reads a few small rows. */
const CHECK_INTERVAL_MS = 150;
/** The interval while this worker waits for partitions that others release. */
const SHORT_CHECK_INTERVAL_MS = 100;
/** Opening a partition reads all of its rows, over connections that the other partitions need too. The first one also loads and compiles code. */
const MAX_TAKEN_AT_ONCE = 8;
const MAX_RELEASED_AT_ONCE = 4;
/** How long a worker waits for the next owners of released partitions before it releases others, so that few are without an owner at a time. */
const HAND_OVER_TIMEOUT_MS = 1_000;

interface JoinedCluster extends ClusterContext {
  partitions: Partitions;
}

interface PartitionWorker {
  /** Called once this process owns the partition. Returns false if nothing started because the server did not respond; the store is then closed. */
  take(partition: number, store: StoredTasks): Promise<boolean>;
  /** Resolves when the work on the partition has ended and its store is closed. */
  release(partition: number): Promise<void>;
}

/**
 * Maintains the membership of this process in the cluster: it takes its share of the partitions, and releases some of them, a few at a
 * time, when other workers join. Leases alone decide who owns a partition; the state of other workers only decides what this one tries.
 */
export class Membership {
  readonly #cluster: JoinedCluster;
  readonly #worker: PartitionWorker;
  readonly #owned = new Map<number, StoredTasks>();
  readonly #lost = Promise.withResolvers<Error>();
  readonly #stopping = new AbortController();
  readonly #rounds: Promise<void>;
  #claim: Lease | undefined;

  private constructor(cluster: JoinedCluster, worker: PartitionWorker, claim: Lease | undefined) {
    this.#cluster = cluster;
    this.#worker = worker;
    this.#claim = claim;
    this.#rounds = this.#keepShare();
  }

  static async join(cluster: JoinedCluster, worker: PartitionWorker): Promise<Membership> {
    return new Membership(cluster, worker, await claimMembership(cluster));
  }

  /** Resolves when this process must end: it may no longer own a partition that it works on, or cannot work on one that it took. */
  get lost(): Promise<Error> {
    return this.#lost.promise;
  }

  get owned(): readonly number[] {
    return [...this.#owned.keys()];
  }

  /** Releases everything, so that others can take it at once. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#rounds;
    try {
      // Released before the partitions, so that the other workers no longer count this one.
      await this.#claim?.release();
    } catch (error) {
      // The claim will expire by itself.
      this.#cluster.log.debug({ err: error }, 'The claim of this worker could not be released.');
    }
    await Promise.all(this.owned.map((partition) => this.#release(partition)));
  }

  get #hasEnded(): boolean {
    return this.#stopping.signal.aborted;
  }

  #wait(ms: number): Promise<void> {
    return this.#hasEnded ? Promise.resolve() : pause(this.#cluster.clock, ms, this.#stopping.signal);
  }

  async #keepShare(): Promise<void> {
    while (!this.#hasEnded) {
      let waitMs = CHECK_INTERVAL_MS;
      try {
        waitMs = await this.#rebalance();
      } catch (error) {
        this.#handleError(error);
      }
      await this.#wait(waitMs);
    }
  }

  /** Takes or releases partitions if necessary. Returns how long to wait before the next step. */
  async #rebalance(): Promise<number> {
    const { facts, partitions, holder } = this.#cluster;
    // After the machine was suspended, nothing is taken and nothing is released.
    for (const store of this.#owned.values()) store.ownership.assertOwned();
    if (!this.#claim?.isHeld) this.#claim = await claimMembership(this.#cluster);
    const shares = await readShares(facts, partitions);
    if (findTakeable(shares, holder).length > 0) return (await this.#takeShare(shares)) ? 0 : SHORT_CHECK_INTERVAL_MS;
    const releasable = findSurplus(shares, holder).filter((partition) => this.#owned.has(partition));
    const surplus = releasable.slice(0, MAX_RELEASED_AT_ONCE);
    if (surplus.length > 0) {
      await Promise.all(surplus.map((partition) => this.#release(partition)));
      await this.#waitForNewOwners(surplus);
      return 0;
    }
    return isShortOfShare(shares, holder) ? SHORT_CHECK_INTERVAL_MS : CHECK_INTERVAL_MS;
  }

  /** Takes several partitions at once, and the next one after each. Returns false if other workers were faster. */
  async #takeShare(firstShares: Shares): Promise<boolean> {
    const { facts, partitions, holder } = this.#cluster;
    const maxCount = this.#owned.size === 0 ? 1 : partitions.count;
    const begun = new Set<number>();
    let [shares, isSuccessful] = [firstShares, false];
    const takeOneByOne = async (): Promise<void> => {
      while (!this.#hasEnded && begun.size < maxCount) {
        const partition = findTakeable(shares, holder).find((one) => !begun.has(one));
        if (partition === undefined) return;
        begun.add(partition);
        if (await this.#take(partition)) isSuccessful = true;
        shares = await readShares(facts, partitions);
      }
    };
    const outcomes = await Promise.allSettled(Array.from({ length: MAX_TAKEN_AT_ONCE }, takeOneByOne));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    return isSuccessful;
  }

  async #take(partition: number): Promise<boolean> {
    const { partitions, log } = this.#cluster;
    const store = await partitions.tryOpen(partition);
    if (!store) return false;
    this.#owned.set(partition, store);
    void store.ownership.lost.then((error) => this.#fail(error));
    try {
      if (!(await this.#worker.take(partition, store))) {
        this.#owned.delete(partition);
        return false;
      }
    } catch (error) {
      log.error({ partition, err: error }, 'This worker cannot work on a partition that it took.');
      this.#fail(error);
      return false;
    }
    log.info({ partition, owned: this.#owned.size }, 'This worker owns another partition.');
    return true;
  }

  async #release(partition: number): Promise<void> {
    const store = this.#owned.get(partition);
    try {
      await this.#worker.release(partition);
    } finally {
      this.#owned.delete(partition);
      await store?.close();
    }
    this.#cluster.log.info({ partition, owned: this.#owned.size }, 'This worker released a partition.');
  }

  async #waitForNewOwners(released: readonly number[]): Promise<void> {
    const deadline = performance.now() + HAND_OVER_TIMEOUT_MS;
    while (!this.#hasEnded && performance.now() < deadline) {
      const owners = await this.#cluster.partitions.owners();
      if (released.every((partition) => owners.has(partition))) return;
      await this.#wait(SHORT_CHECK_INTERVAL_MS);
    }
  }

  /** While the server does not respond, which is logged elsewhere, the leases decide how long this process may continue. */
  #handleError(error: unknown): void {
    if (!(error instanceof StoreError && error.kind === 'unreachable')) this.#fail(error);
  }

  #fail(error: unknown): void {
    this.#stopping.abort();
    this.#lost.resolve(error instanceof Error ? error : new Error(String(error)));
  }
}

const claimMembership = (cluster: ClusterContext): Promise<Lease | undefined> =>
  acquireClaim(WORKER_CLAIM + cluster.holder, cluster);
