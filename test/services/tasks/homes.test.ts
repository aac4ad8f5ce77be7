import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketOf, bucketWithin, partitionOf } from '../../../src/services/tasks/homes.ts';
import { BUCKETS, bucketIn, createTaskId, isTaskId } from '../../../src/services/tasks/task-id.ts';
import { start } from '../orders/builders.ts';

const ownerId = fc.bigInt({ min: 1n << 56n, max: 1n << 63n }).map(String);
const partitionCount = fc.integer({ min: 1, max: BUCKETS });

describe('The partition of a task', () => {
  it('A task id reveals the partition that its server or member belongs to', () => {
    fc.assert(
      fc.property(ownerId, partitionCount, (owner, partitions) => {
        const id = createTaskId(start, bucketOf(owner));
        expect(isTaskId(id)).toBe(true);
        expect(partitionOf(bucketIn(id), partitions)).toBe(partitionOf(bucketOf(owner), partitions));
      }),
    );
  });

  it('A task that is stored in a partition gets an id of that partition, even if its server or member belongs to another one', () => {
    fc.assert(
      fc.property(ownerId, partitionCount, fc.nat(), (owner, partitions, seed) => {
        const partition = { number: seed % partitions, count: partitions };
        const bucket = bucketWithin(owner, partition);
        expect(bucket).toBeGreaterThanOrEqual(0);
        expect(bucket).toBeLessThan(BUCKETS);
        expect(partitionOf(bucketIn(createTaskId(start, bucket)), partitions)).toBe(partition.number);
        if (partitionOf(bucketOf(owner), partitions) === partition.number) expect(bucket).toBe(bucketOf(owner));
      }),
    );
  });

  // Stored ids depend on these values.
  it.each([
    ['1275225538480439328', 154],
    ['80351110224678912', 851],
  ])('The bucket of %s is %i in every version', (owner, bucket) => {
    expect(bucketOf(owner)).toBe(bucket);
  });

  it('Servers are spread evenly over the partitions', () => {
    const counts = new Map<number, number>();
    for (let index = 0; index < 32_000; index += 1) {
      const server = String(80_351_110_224_678_912n + BigInt(index) * 4_194_304n * 977n);
      const partition = partitionOf(bucketOf(server), 32);
      counts.set(partition, (counts.get(partition) ?? 0) + 1);
    }
    expect(counts.size).toBe(32);
    expect(Math.max(...counts.values())).toBeLessThan(1_250);
  });
});
