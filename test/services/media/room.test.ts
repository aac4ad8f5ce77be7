import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CapacityPool, type Claim } from '../../../src/services/media/capacity.ts';

const neverAborted = new AbortController().signal;

/** Whether the promise has settled by the time all pending callbacks have run. */
async function isSettled(work: Promise<void>): Promise<boolean> {
  let hasSettled = false;
  work.then(
    () => {
      hasSettled = true;
    },
    () => {
      hasSettled = true;
    },
  );
  await new Promise(setImmediate);
  return hasSettled;
}

describe('The memory pool of all downloads', () => {
  it('The memory pool of all downloads serves claims in the order in which they were made, even a small one after a large one', async () => {
    const pool = new CapacityPool(100, 100);
    const first = pool.claim();
    await first.take(60, neverAborted);
    first.settle(60);
    const second = pool.claim();
    const large = second.take(80, neverAborted);
    const small = pool.claim().take(10, neverAborted);
    expect(await isSettled(large)).toBe(false);
    expect(await isSettled(small)).toBe(false);
    first.release();
    await large;
    second.settle(80);
    await small;
    expect(pool.used).toBe(90);
  });

  it('The memory pool of all downloads frees a claim once even if it is released twice', async () => {
    const pool = new CapacityPool(100, 100);
    const one = pool.claim();
    const other = pool.claim();
    await one.take(30, neverAborted);
    one.settle(30);
    await other.take(50, neverAborted);
    one.release();
    one.release();
    expect(pool.used).toBe(50);
  });

  it('The memory pool of all downloads drops an aborted claim, and the next claims move up', async () => {
    const pool = new CapacityPool(100, 100);
    const first = pool.claim();
    await first.take(60, neverAborted);
    first.settle(60);
    const controller = new AbortController();
    const large = pool.claim().take(80, controller.signal);
    const small = pool.claim().take(10, neverAborted);
    controller.abort(new Error('no longer wanted'));
    await expect(large).rejects.toThrow('no longer wanted');
    await small;
    expect(pool).toMatchObject({ used: 70, waiting: 0 });
  });

  it('The memory pool of all downloads reserves as much as the oldest growing file may still need', async () => {
    const pool = new CapacityPool(250, 100);
    const [oldest, second, third] = [1, 2, 3].map(() => pool.claim()) as [Claim, Claim, Claim];
    await oldest.take(50, neverAborted);
    await second.take(90, neverAborted);
    await third.take(60, neverAborted);
    const growth = third.take(1, neverAborted);
    expect(await isSettled(growth)).toBe(false);
    await oldest.take(50, neverAborted);
    expect(await isSettled(growth)).toBe(false);
    oldest.release();
    await growth;
  });

  it('The memory pool of all downloads gives free memory to the next claim once a growing file has ended', async () => {
    const pool = new CapacityPool(100, 100);
    const growingFile = pool.claim();
    await growingFile.take(64, neverAborted);
    const waitingClaim = pool.claim().take(50, neverAborted);
    expect(await isSettled(waitingClaim)).toBe(false);
    growingFile.settle(40);
    await waitingClaim;
    expect(pool.used).toBe(90);
  });

  it('The memory pool of all downloads refuses a maximum file size that could never fit', () => {
    expect(() => new CapacityPool(10, 11)).toThrow(RangeError);
  });

  it('The memory pool of all downloads serves any mixture of files without exceeding its limit', async () => {
    const files = fc.array(
      fc.record({
        // The steps in which the file grows; their sum is at most the maximum file size.
        steps: fc.array(fc.integer({ min: 0, max: 25 }), { minLength: 1, maxLength: 4 }),
        isAborted: fc.boolean(),
        pauses: fc.integer({ min: 0, max: 4 }),
      }),
      { maxLength: 25 },
    );
    await fc.assert(
      fc.asyncProperty(files, fc.integer({ min: 100, max: 300 }), async (downloads, total) => {
        const pool = new CapacityPool(total, 100);
        const download = async (one: (typeof downloads)[number]): Promise<void> => {
          const claim = pool.claim();
          const controller = new AbortController();
          try {
            for (const step of one.steps) {
              const granted = claim.take(step, controller.signal);
              if (one.isAborted && step % 2 === 1) controller.abort();
              await granted;
              expect(pool.used).toBeLessThanOrEqual(total);
              for (let pause = 0; pause < one.pauses; pause++) await Promise.resolve();
            }
            claim.settle(Math.floor(one.steps.reduce((sum, step) => sum + step, 0) / 2));
          } catch (error) {
            if (!controller.signal.aborted) throw error;
          } finally {
            claim.release();
          }
        };
        await Promise.all(downloads.map(download));
        expect(pool).toMatchObject({ used: 0, waiting: 0 });
      }),
      { numRuns: 500 },
    );
  });
});
