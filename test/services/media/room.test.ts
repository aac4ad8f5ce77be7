import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CapacityPool, type Claim } from '../../../src/services/media/download/capacity.ts';

const never = new AbortController().signal;

/** Whether it has ended once all pending work is done. */
async function isOver(work: Promise<void>): Promise<boolean> {
  let over = false;
  work.then(
    () => {
      over = true;
    },
    () => {
      over = true;
    },
  );
  await new Promise(setImmediate);
  return over;
}

describe('The memory pool of all downloads', () => {
  it('The memory pool of all downloads serves claims in the order in which they were made, even a small one after a large one', async () => {
    const pool = new CapacityPool(100, 100);
    const first = pool.claim();
    await first.take(60, never);
    first.settle(60);
    const second = pool.claim();
    const large = second.take(80, never);
    const small = pool.claim().take(10, never);
    expect(await isOver(large)).toBe(false);
    expect(await isOver(small)).toBe(false);
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
    await one.take(30, never);
    one.settle(30);
    await other.take(50, never);
    one.release();
    one.release();
    expect(pool.used).toBe(50);
  });

  it('The memory pool of all downloads drops an aborted claim, and the claims behind it move up', async () => {
    const pool = new CapacityPool(100, 100);
    const first = pool.claim();
    await first.take(60, never);
    first.settle(60);
    const controller = new AbortController();
    const large = pool.claim().take(80, controller.signal);
    const small = pool.claim().take(10, never);
    controller.abort(new Error('no longer wanted'));
    await expect(large).rejects.toThrow('no longer wanted');
    await small;
    expect(pool).toMatchObject({ used: 70, waiting: 0 });
  });

  it('The memory pool of all downloads reserves as much as the oldest growing file may still need', async () => {
    const pool = new CapacityPool(250, 100);
    const [eldest, younger, third] = [1, 2, 3].map(() => pool.claim()) as [Claim, Claim, Claim];
    await eldest.take(50, never);
    await younger.take(90, never);
    await third.take(60, never);
    const more = third.take(1, never);
    expect(await isOver(more)).toBe(false);
    await eldest.take(50, never);
    expect(await isOver(more)).toBe(false);
    eldest.release();
    await more;
  });

  it('The memory pool of all downloads gives free memory to the next claim once a growing file has ended', async () => {
    const pool = new CapacityPool(100, 100);
    const grown = pool.claim();
    await grown.take(64, never);
    const waiting = pool.claim().take(50, never);
    expect(await isOver(waiting)).toBe(false);
    grown.settle(40);
    await waiting;
    expect(pool.used).toBe(90);
  });

  it('The memory pool of all downloads refuses a maximum file size that could never fit', () => {
    expect(() => new CapacityPool(10, 11)).toThrow(RangeError);
  });

  it('The memory pool of all downloads serves any mixture of files without exceeding its limit', async () => {
    const files = fc.array(
      fc.record({
        // The steps by which the file grows, less than the maximum file size in total.
        steps: fc.array(fc.integer({ min: 0, max: 25 }), { minLength: 1, maxLength: 4 }),
        isUnwanted: fc.boolean(),
        pauses: fc.integer({ min: 0, max: 4 }),
      }),
      { maxLength: 25 },
    );
    await fc.assert(
      fc.asyncProperty(files, fc.integer({ min: 100, max: 300 }), async (wanted, total) => {
        const pool = new CapacityPool(total, 100);
        const use = async (one: (typeof wanted)[number]): Promise<void> => {
          const claim = pool.claim();
          const controller = new AbortController();
          try {
            for (const step of one.steps) {
              const turn = claim.take(step, controller.signal);
              if (one.isUnwanted && step % 2 === 1) controller.abort();
              await turn;
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
        await Promise.all(wanted.map(use));
        expect(pool).toMatchObject({ used: 0, waiting: 0 });
      }),
      { numRuns: 500 },
    );
  });
});
