import { describe, expect, it } from 'vitest';
import {
  findSurplus,
  findTakeable,
  hasSurplusShard,
  isShortOfShare,
  type Shares,
} from '../../../src/services/cluster/shares.ts';

/** Lets the workers act in turn until none has anything left to do, and counts the partitions that were given back. */
function rebalance(shares: Shares): { owners: Map<number, string>; givenBackCount: number } {
  const owners = new Map(shares.owners);
  let givenBackCount = 0;
  for (let round = 0; round < 10 * shares.count; round++) {
    let isSettled = true;
    for (const worker of shares.workers) {
      const current = { ...shares, owners };
      const [freePartitions, surplusPartitions] = [findTakeable(current, worker), findSurplus(current, worker)];
      for (const partition of freePartitions) {
        expect(owners.has(partition)).toBe(false);
        owners.set(partition, worker);
      }
      for (const partition of freePartitions.length === 0 ? surplusPartitions : []) {
        expect(owners.get(partition)).toBe(worker);
        owners.delete(partition);
        givenBackCount += 1;
      }
      isSettled &&= freePartitions.length === 0 && surplusPartitions.length === 0;
    }
    if (isSettled) return { owners, givenBackCount };
  }
  return expect.unreachable('The workers never reached a stable state.');
}

const countsPerWorker = (workers: readonly string[], owners: ReadonlyMap<number, string>): number[] =>
  workers.map((worker) => [...owners.values()].filter((owner) => owner === worker).length).sort();

const equalShares = (count: number, workers: number): number[] =>
  Array.from({ length: workers }, (_, index) => Math.floor((count + index) / workers));

describe('The shares of workers', () => {
  it('A process with more than its share releases no shard while another one is free', () => {
    const owners = new Map([0, 1, 2].map((id) => [id, 'a'] as const));
    const shares = { count: 4, workers: ['a', 'b'], owners };
    expect(findSurplus(shares, 'a')).toHaveLength(1);
    expect(hasSurplusShard(shares, 'a')).toBe(false);
    expect(hasSurplusShard({ ...shares, owners: new Map([...owners, [3, 'b']]) }, 'a')).toBe(true);
  });

  it('The shares of workers are equal for any number of partitions and workers, and no partition is left over', () => {
    for (const count of [1, 2, 4, 7, 32])
      for (let size = 1; size <= 9; size++) {
        const workers = Array.from({ length: size }, (_, index) => `worker ${index}`);
        const { owners, givenBackCount } = rebalance({ count, workers, owners: new Map() });
        expect(owners.size).toBe(count);
        expect(countsPerWorker(workers, owners)).toEqual(equalShares(count, size));
        expect(givenBackCount).toBe(0);
      }
  });

  it('Only as many partitions are moved as a new worker needs', () => {
    for (const [count, size] of [
      [32, 1],
      [32, 2],
      [32, 3],
      [4, 2],
      [7, 6],
    ] as const) {
      const workers = Array.from({ length: size }, (_, index) => `worker ${index}`);
      const { owners } = rebalance({ count, workers, owners: new Map() });
      // The name of the new worker sorts before or after all others.
      for (const name of ['a', 'z']) {
        const allWorkers = [...workers, name].sort();
        const result = rebalance({ count, workers: allWorkers, owners });
        expect(countsPerWorker(allWorkers, result.owners)).toEqual(equalShares(count, size + 1));
        expect(result.givenBackCount).toBe(Math.floor(count / (size + 1)));
        const movedPartitions = [...result.owners].filter(([partition, owner]) => owners.get(partition) !== owner);
        expect(movedPartitions.every(([, owner]) => owner === name)).toBe(true);
      }
    }
  });

  it('A free partition is left to a worker that has too few, and workers begin with different partitions', () => {
    const shares = {
      count: 4,
      workers: ['a', 'b', 'c'],
      owners: new Map([...'abb'].map((owner, index) => [index, owner])),
    };
    expect(findTakeable(shares, 'a')).toEqual([]);
    expect(findTakeable(shares, 'c')).toEqual([3]);
    expect(isShortOfShare(shares, 'c')).toBe(true);
    const unownedShares = { count: 32, workers: ['a', 'b'], owners: new Map<number, string>() };
    const halves = [0, 16].map((from) => Array.from({ length: 16 }, (_, index) => from + index));
    expect(['a', 'b'].map((worker) => findTakeable(unownedShares, worker))).toEqual(halves);
  });

  it('A partition counts as owned even if its owner is not a worker', () => {
    const shares = { count: 2, workers: ['a'], owners: new Map([[0, 'doctor']]) };
    expect(findTakeable(shares, 'a')).toEqual([1]);
    expect(
      findTakeable(
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
