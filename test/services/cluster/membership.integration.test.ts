import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cacheArgs } from '../../support/shipped.ts';
import { onServers, type TestStore } from '../store/sites.ts';
import type { WorkerEvent } from './events.ts';

/** Each request to the server may take a fifth of the lease, and on a busy machine it can take almost a second. */
const LEASE_MS = 6_000;
const PARTITION_COUNT = 8;
/** Six processes start on a machine that may be busy with others. */
const TIMEOUT_MS = 240_000;
const workerProgram = fileURLToPath(new URL('./worker.ts', import.meta.url));

class Worker {
  readonly events: WorkerEvent[] = [];
  readonly #child: ChildProcess;
  readonly ended: Promise<number | null>;
  /** When the worker was suspended or killed, after which it did no work on its partitions. */
  #haltedAt: number | undefined;

  constructor(testStore: TestStore, { place = 'here', partitions = PARTITION_COUNT } = {}) {
    const args = [workerProgram, testStore.url, String(LEASE_MS), String(partitions), place];
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

  timeOf(event: WorkerEvent['event'], index = 0): number {
    return this.events.filter((one) => one.event === event)[index]?.at ?? Number.NaN;
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

const lastTakenAt = (worker: Worker): number => Math.max(...worker.spans.map(({ from }) => from));

describe('A cluster of workers', () =>
  onServers((createTestStore) => {
    it(
      'A cluster gives a new worker its share within 10 s, and redistributes the partitions of a worker that stops',
      async () => {
        const testStore = await createTestStore();
        const first = new Worker(testStore);
        await waitUntilShared(first);
        const second = new Worker(testStore);
        await waitUntilShared(first, second);
        expect(lastTakenAt(second) - second.timeOf('joins')).toBeLessThan(10_000);
        const third = new Worker(testStore);
        await waitUntilShared(first, second, third);
        expect(lastTakenAt(third) - third.timeOf('joins')).toBeLessThan(10_000);

        const stoppedAt = second.signal('SIGTERM');
        expect(await second.ended).toBe(0);
        expect(second.timeOf('stopped') - stoppedAt).toBeLessThan(1_000);
        expect(second.owned).toEqual([]);
        await waitUntilShared(first, third);
        // The other workers check four times a second.
        expect(Math.max(lastTakenAt(first), lastTakenAt(third)) - stoppedAt).toBeLessThan(2_000);
        expectSingleOwners(first, second, third);
      },
      TIMEOUT_MS,
    );

    it.skipIf(process.platform !== 'linux')(
      'A cluster replaces a worker that was killed on this machine without waiting for its lease to expire (needs /proc)',
      async () => {
        const testStore = await createTestStore();
        const [first, second] = [new Worker(testStore), new Worker(testStore)];
        await waitUntilShared(first, second);
        const killedAt = second.signal('SIGKILL');
        await waitUntilShared(first);
        expect(lastTakenAt(first) - killedAt).toBeLessThan(0.8 * LEASE_MS);
        expectSingleOwners(first, second);
      },
    );

    it('A cluster replaces a worker that was killed on another machine at most a second after its lease has expired', async () => {
      const testStore = await createTestStore();
      const [first, second] = [new Worker(testStore), new Worker(testStore, { place: 'elsewhere' })];
      await waitUntilShared(first, second);
      const killedAt = second.signal('SIGKILL');
      await waitUntilShared(first);
      expect(lastTakenAt(first) - killedAt).toBeLessThan(LEASE_MS + 1_000);
      expectSingleOwners(first, second);
    });

    it('A cluster replaces a worker that is suspended for longer than its lease, and the resumed worker exits with code 75 and writes nothing', async () => {
      const testStore = await createTestStore();
      const [first, second] = [new Worker(testStore), new Worker(testStore)];
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
