import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cacheArgs } from '../../support/shipped.ts';
import { onOneServer, onServers, type TestStore } from '../store/sites.ts';
import type { WorkerEvent } from './events.ts';

/** Longer than any test waits, so that no lease expires because a machine is busy, and nothing is taken over because one has expired. */
const LEASE_MS = 600_000;
/** For a worker whose lease expires in a test. Each request to the server may take a fifth of it. */
const SHORT_LEASE_MS = 6_000;
const PARTITION_COUNT = 8;
/** A worker that has ended is counted until its claim expires, up to a renewal after its partitions. A worker takes one partition per check. */
const MAX_CHECKS = 3 * PARTITION_COUNT;
const workerProgram = fileURLToPath(new URL('./worker.ts', import.meta.url));

class Worker {
  readonly events: WorkerEvent[] = [];
  readonly #child: ChildProcess;
  readonly ended: Promise<number | null>;
  /** When the worker was suspended or killed, after which it did no work on its partitions. */
  #haltedAt: number | undefined;

  constructor(testStore: TestStore, { place = 'here', leaseMs = LEASE_MS } = {}) {
    const args = [workerProgram, testStore.url, String(leaseMs), String(PARTITION_COUNT), place];
    this.#child = spawn(process.execPath, [...cacheArgs, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    this.ended = once(this.#child, 'exit').then(([code]) => code as number | null);
    if (this.#child.stdout)
      createInterface(this.#child.stdout).on('line', (line) => this.events.push(JSON.parse(line) as WorkerEvent));
    onTestFinished(async () => {
      this.#child.kill('SIGKILL');
      await this.ended;
    });
  }

  get owned(): number[] {
    const owned = new Set<number>();
    for (const { event, partition } of this.events) {
      if (event === 'taken' && partition !== undefined) owned.add(partition);
      if (event === 'gave' && partition !== undefined) owned.delete(partition);
    }
    return [...owned].sort((a, b) => a - b);
  }

  signal(signal: 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): number {
    const now = Date.now();
    if (signal === 'SIGKILL' || signal === 'SIGSTOP') this.#haltedAt = now;
    this.#child.kill(signal);
    return now;
  }

  /** How often the worker saw partitions without an owner since the given time. */
  freeChecksSince(time: number): number {
    return this.events.filter(({ event, free = 0, at }) => event === 'checked' && free > 0 && at >= time).length;
  }

  /** The periods during which the worker owned each partition. */
  get spans(): { partition: number; from: number; to: number }[] {
    return this.events.flatMap(({ event, partition, at }, index) => {
      if (event !== 'taken' || partition === undefined) return [];
      const release = this.events.find(
        (one, laterIndex) => laterIndex > index && one.event === 'gave' && one.partition === partition,
      );
      return [{ partition, from: at, to: release?.at ?? this.#haltedAt ?? Number.POSITIVE_INFINITY }];
    });
  }
}

/** Waits until every partition has one owner, and each worker has an equal share. */
async function waitUntilShared(...workers: Worker[]): Promise<void> {
  const [min, max] = [Math.floor(PARTITION_COUNT / workers.length), Math.ceil(PARTITION_COUNT / workers.length)];
  await expect
    .poll(() => {
      const ownedCounts = workers.map((worker) => worker.owned.length);
      return (
        ownedCounts.every((count) => count >= min && count <= max) && ownedCounts.reduce((sum, one) => sum + one, 0)
      );
    })
    .toBe(PARTITION_COUNT);
  expect(workers.flatMap(({ owned }) => owned).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
}

function expectSingleOwners(...workers: Worker[]): void {
  for (let partition = 0; partition < PARTITION_COUNT; partition++) {
    const spans = workers.flatMap((worker) => worker.spans).filter((span) => span.partition === partition);
    spans.sort((a, b) => a.from - b.from);
    for (const [index, span] of spans.entries()) {
      const nextSpan = spans[index + 1];
      if (nextSpan) expect(nextSpan.from, `partition ${partition}`).toBeGreaterThanOrEqual(span.to);
    }
  }
}

describe('A cluster of workers', () =>
  onServers((createTestStore) => {
    it('A cluster gives a new worker its share, and redistributes the partitions of a worker that stops, before any lease expires', async () => {
      const testStore = await createTestStore();
      const first = new Worker(testStore);
      await waitUntilShared(first);
      const second = new Worker(testStore);
      await waitUntilShared(first, second);
      const third = new Worker(testStore);
      await waitUntilShared(first, second, third);

      const stoppedAt = second.signal('SIGTERM');
      expect(await second.ended).toBe(0);
      expect(second.owned).toEqual([]);
      await waitUntilShared(first, third);
      for (const worker of [first, third]) expect(worker.freeChecksSince(stoppedAt)).toBeLessThanOrEqual(MAX_CHECKS);
      expectSingleOwners(first, second, third);
    });
  }));

// What ends a lease on each server is proven where leases are tested.
describe('A cluster of workers that end', () =>
  onOneServer((createTestStore) => {
    it.skipIf(process.platform !== 'linux')(
      'A cluster replaces a worker that was killed on this machine without waiting for its lease to expire (needs /proc)',
      async () => {
        const testStore = await createTestStore();
        const [first, second] = [new Worker(testStore), new Worker(testStore)];
        await waitUntilShared(first, second);
        second.signal('SIGKILL');
        await waitUntilShared(first);
        expectSingleOwners(first, second);
      },
    );

    it('A cluster replaces a worker that was killed on another machine as soon as its lease has expired', async () => {
      const testStore = await createTestStore();
      const [first, second] = [
        new Worker(testStore),
        new Worker(testStore, { place: 'elsewhere', leaseMs: SHORT_LEASE_MS }),
      ];
      await waitUntilShared(first, second);
      const killedAt = second.signal('SIGKILL');
      await waitUntilShared(first);
      expect(first.freeChecksSince(killedAt)).toBeLessThanOrEqual(MAX_CHECKS);
      expectSingleOwners(first, second);
    });

    it('A cluster replaces a worker that is suspended for longer than its lease, and the resumed worker exits with code 75 and writes nothing', async () => {
      const testStore = await createTestStore();
      const [first, second] = [new Worker(testStore), new Worker(testStore, { leaseMs: SHORT_LEASE_MS })];
      await waitUntilShared(first, second);
      second.signal('SIGSTOP');
      await waitUntilShared(first);
      expectSingleOwners(first, second);
      first.signal('SIGTERM');
      expect(await first.ended).toBe(0);
      const rowsBefore = await testStore.rows();

      second.signal('SIGCONT');
      expect(await second.ended).toBe(75);
      expect(second.events.at(-1)).toMatchObject({ event: 'lost', why: 'lost' });
      expect(await testStore.rows()).toEqual(rowsBefore);
    });
  }));
