import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TokenBuckets } from '../../src/lib/token-buckets.ts';
import { ManualClock } from '../support/manual-clock.ts';

describe('Token buckets', () => {
  it('Token buckets hand out as many tokens at once as they hold, and more as they refill', () => {
    const clock = new ManualClock();
    const buckets = new TokenBuckets({ atOnce: 3, perSecond: 2 }, clock);
    const take = (count: number) => Array.from({ length: count }, () => buckets.take('ann')).filter(Boolean).length;
    expect(take(10)).toBe(3);
    expect(buckets.waitMs('ann')).toBe(500);
    clock.advance(499);
    expect(take(1)).toBe(0);
    clock.advance(1);
    expect(take(2)).toBe(1);
    expect(buckets.take('bob')).toBe(true);
    clock.advance(3_600_000);
    expect(take(10)).toBe(3);
  });

  it('Token buckets never hand out more tokens than the rate allows, for any pattern of requests', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 2_000 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(
        gaps,
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 1, max: 5 }),
        (gapsMs, atOnce, perSecond) => {
          const clock = new ManualClock();
          const start = clock.now();
          const buckets = new TokenBuckets({ atOnce, perSecond }, clock);
          let takenCount = 0;
          for (const ms of gapsMs) {
            clock.advance(ms);
            if (buckets.take('ann')) takenCount += 1;
            expect(takenCount).toBeLessThanOrEqual(atOnce + ((clock.now() - start) / 1000) * perSecond + 1e-6);
          }
        },
      ),
    );
  });

  it('Token buckets use bounded memory for any number of keys, and evict the least recently used one', () => {
    const clock = new ManualClock();
    const buckets = new TokenBuckets({ atOnce: 1, perSecond: 1 }, clock);
    buckets.take('first');
    for (let index = 0; index < 60_000; index++) buckets.take(`m${index}`);
    expect(buckets.size).toBeGreaterThan(49_000);
    expect(buckets.size).toBeLessThanOrEqual(50_000);
    expect(buckets.take('m59999')).toBe(false);
    expect(buckets.take('first')).toBe(true);
  });
});
