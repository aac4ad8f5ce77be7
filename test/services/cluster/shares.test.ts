import { describe, expect, it } from 'vitest';
import {
  isShortOfShare,
  partitionsToGiveBack,
  partitionsToTake,
  type Shares,
} from '../../../src/services/cluster/shares.ts';

/** Lets the workers act in turn until none has anything left to do, and counts how many times each partition changed its owner. */
function settle(shares: Shares): { owners: Map<number, string>; gaveBack: number } {
  const owners = new Map(shares.owners);
  let gaveBack = 0;
  for (let round = 0; round < 10 * shares.count; round++) {
    let isQuiet = true;
    for (const worker of shares.workers) {
      const now = { ...shares, owners };
      const [free, surplus] = [partitionsToTake(now, worker), partitionsToGiveBack(now, worker)];
      for (const partition of free) {
        expect(owners.has(partition)).toBe(false);
        owners.set(partition, worker);
      }
      for (const partition of free.length === 0 ? surplus : []) {
        expect(owners.get(partition)).toBe(worker);
        owners.delete(partition);
        gaveBack += 1;
      }
      isQuiet &&= free.length === 0 && surplus.length === 0;
    }
    if (isQuiet) return { owners, gaveBack };
  }
  return expect.unreachable('The workers never came to rest.');
}

const counts = (workers: readonly string[], owners: ReadonlyMap<number, string>): number[] =>
  workers.map((worker) => [...owners.values()].filter((owner) => owner === worker).length).sort();

const equal = (count: number, workers: number): number[] =>
  Array.from({ length: workers }, (_, at) => Math.floor((count + at) / workers));

describe('The shares of workers', () => {
  it('The shares of workers are equal for every number of partitions and of workers, and none is left over', () => {
    for (const count of [1, 2, 4, 7, 32])
      for (let size = 1; size <= 9; size++) {
        const workers = Array.from({ length: size }, (_, at) => `worker ${at}`);
        const { owners, gaveBack } = settle({ count, workers, owners: new Map() });
        expect(owners.size).toBe(count);
        expect(counts(workers, owners)).toEqual(equal(count, size));
        expect(gaveBack).toBe(0);
      }
  });

  it('The shares of workers move no more partitions than a new worker needs', () => {
    for (const [count, size] of [
      [32, 1],
      [32, 2],
      [32, 3],
      [4, 2],
      [7, 6],
    ] as const) {
      const workers = Array.from({ length: size }, (_, at) => `worker ${at}`);
      const { owners } = settle({ count, workers, owners: new Map() });
      // Its name sorts before all others, or after them.
      for (const name of ['a', 'z']) {
        const more = [...workers, name].sort();
        const after = settle({ count, workers: more, owners });
        expect(counts(more, after.owners)).toEqual(equal(count, size + 1));
        expect(after.gaveBack).toBe(Math.floor(count / (size + 1)));
        const moved = [...after.owners].filter(([partition, owner]) => owners.get(partition) !== owner);
        expect(moved.every(([, owner]) => owner === name)).toBe(true);
      }
    }
  });

  it('The shares of workers leave a free partition to a worker that has too few, and begin with different partitions', () => {
    const shares = { count: 4, workers: ['a', 'b', 'c'], owners: new Map([...'abb'].map((owner, at) => [at, owner])) };
    expect(partitionsToTake(shares, 'a')).toEqual([]);
    expect(partitionsToTake(shares, 'c')).toEqual([3]);
    expect(isShortOfShare(shares, 'c')).toBe(true);
    const empty = { count: 32, workers: ['a', 'b'], owners: new Map<number, string>() };
    const halves = [0, 16].map((from) => Array.from({ length: 16 }, (_, at) => from + at));
    expect(['a', 'b'].map((worker) => partitionsToTake(empty, worker))).toEqual(halves);
  });

  it('The shares of workers count a partition as owned even if its owner is not a worker', () => {
    const shares = { count: 2, workers: ['a'], owners: new Map([[0, 'doctor']]) };
    expect(partitionsToTake(shares, 'a')).toEqual([1]);
    expect(
      partitionsToTake(
        {
          ...shares,
          owners: new Map([
            [0, 'doctor'],
            [1, 'a'],
          ]),
        },
        'a',
      ),
    ).toEqual([]);
  });
});
