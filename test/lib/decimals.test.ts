import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compare, difference, roundedDown } from '../../src/lib/decimals.ts';

describe('An amount rounded down', () => {
  it('An amount rounded down has at most four decimals and is never more', () => {
    expect(['4.9257142857142856', '0.00009', '3', '0'].map(roundedDown)).toEqual(['4.9257', '0', '3', '0']);
    fc.assert(
      fc.property(fc.nat(1_000_000_000), (count) => {
        const amount = `${Math.floor(count / 1_000_000)}.${String(count % 1_000_000).padStart(6, '0')}`;
        expect(compare(roundedDown(amount), amount)).toBeLessThanOrEqual(0);
        expect(compare(difference(amount, roundedDown(amount)), '0.0001')).toBeLessThan(0);
      }),
    );
  });
});
