import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compare,
  difference,
  divideBy100,
  inUnitsOf,
  isDecimal,
  magnitude,
  roundDown,
  roundUp,
  sumOf,
} from '../../src/lib/decimals.ts';

interface Amount {
  text: string;
  units: bigint;
  places: number;
}

/** An amount of up to thirty digits, and its value in units of its last decimal place. */
const anyAmount = fc
  .record({
    units: fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
    places: fc.integer({ min: 0, max: 30 }),
  })
  .map(({ units, places }): Amount => ({ units, places, text: decimalText(units, places) }));

function decimalText(units: bigint, places: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(places + 1, '0');
  const sign = units < 0n ? '-' : '';
  return places === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

const scaledTo = ({ units, places }: Amount, targetPlaces: number): bigint =>
  units * 10n ** BigInt(targetPlaces - places);

describe('Sums of amounts', () => {
  it('Sums of amounts are exact, with as many decimal places as the longest amount', () => {
    fc.assert(
      fc.property(fc.array(anyAmount, { minLength: 2, maxLength: 12 }), (parts) => {
        const places = Math.max(...parts.map((part) => part.places));
        const sum = parts.reduce((total, part) => total + scaledTo(part, places), 0n);
        expect(sumOf(parts.map(({ text }) => text))).toBe(decimalText(sum, places));
      }),
    );
  });

  it('Sums of amounts do not depend on order or grouping', () => {
    fc.assert(
      fc.property(
        fc.array(anyAmount, { minLength: 3, maxLength: 12 }),
        fc.integer({ min: 1, max: 2 }),
        (parts, splitIndex) => {
          const amounts = parts.map(({ text }) => text);
          const partialSums = [sumOf(amounts.slice(0, splitIndex)) ?? '', sumOf(amounts.slice(splitIndex)) ?? ''];
          expect(sumOf(amounts.toReversed())).toBe(sumOf(amounts));
          expect(sumOf(partialSums)).toBe(sumOf(amounts));
        },
      ),
    );
  });

  it('The sum of one amount is that amount unchanged, and the sum of none is undefined', () => {
    for (const text of ['1.10', '+5', '2500.0', '1e-7', '.5']) expect(sumOf([text])).toBe(text);
    expect(sumOf([])).toBeUndefined();
    expect(sumOf(['0.1', '0.2'])).toBe('0.3');
    expect(sumOf(['1e-7', '2E3', '.5', '+1.'])).toBe('2001.5000001');
  });

  it('Subtracting an amount from a sum reverses its addition', () => {
    fc.assert(
      fc.property(anyAmount, anyAmount, (one, other) => {
        expect(compare(difference(sumOf([one.text, other.text]) ?? '', other.text), one.text)).toBe(0);
      }),
    );
  });
});

it('Cents are converted to dollars by moving the decimal point, without losing a digit', () => {
  fc.assert(
    fc.property(anyAmount, ({ units, places, text }) => {
      expect(divideBy100(text)).toBe(decimalText(units, places + 2));
    }),
  );
  expect(divideBy100('2500.0')).toBe('25.000');
});

it('Decimals that would exhaust memory, and text that is not a decimal, are rejected', () => {
  for (const text of ['1e999999999', '1e-61', '9'.repeat(121), '', '1,5', '0x10', 'NaN', '1e', '.'])
    expect(isDecimal(text), text.slice(0, 12)).toBe(false);
  for (const text of ['0', '-1.5', '1e60', '9'.repeat(120), '.5', '5.']) expect(isDecimal(text), text).toBe(true);
});

it('Amounts of any size are scaled to numbers that a chart can show', () => {
  expect(inUnitsOf('5'.padEnd(30, '0'), magnitude('5'.padEnd(30, '0')))).toBe(5);
  expect(inUnitsOf('0.000000000000000000004', -21)).toBe(4);
  expect(magnitude('0.00')).toBe(0);
});

it('An amount is rounded up to a short one, unless it is only larger by the error of a float', () => {
  const amounts = [
    '0.1000000000000005',
    '0.1001',
    '0.10000001',
    '0.0447',
    '12.340000001',
    '0.00000000012345',
    '1234567890.121',
  ];
  expect(amounts.map(roundUp)).toEqual(['0.1', '0.101', '0.101', '0.0447', '12.35', '0.000000000124', '1234567890.13']);
});

describe('An amount rounded down', () => {
  it('An amount rounded down has two decimal places, or three digits if it is small, and is never larger than the original amount', () => {
    const amounts = ['4.9257142857142856', '0.06178', '0.00009', '3', '0', '3.9999999999999996'];
    expect(amounts.map(roundDown)).toEqual(['4.92', '0.0617', '0.00009', '3', '0', '4']);
    fc.assert(
      fc.property(fc.nat(1_000_000_000), (count) => {
        const amount = `${Math.floor(count / 1_000_000)}.${String(count % 1_000_000).padStart(6, '0')}`;
        expect(compare(roundDown(amount), amount)).toBeLessThanOrEqual(0);
        expect(compare(difference(amount, roundDown(amount)), '0.01')).toBeLessThan(0);
      }),
    );
  });
});
